// The shape of what a host hands in: where no compiler looked, a sentence says what is missing.
import { MalformedReference } from '../proposal/errors.ts'
import type { RuntimeOptions } from './runtime.ts'

/** @throws MalformedReference at the first field that is needed, where there is no input at all. */
export function demandInput(input: unknown, path: string): void {
  if (!isObject(input)) throw new MalformedReference(path)
}

/** @throws TypeError with a sentence about what cannot make a runtime. */
export function demandOptions(options: RuntimeOptions): void {
  const given: unknown = options
  if (!isObject(given)) throw new TypeError('A runtime is opened with { store, keyring, actions }.')
  const { store, keyring, actions }: { store?: unknown; keyring?: unknown; actions?: unknown } = given
  demandPart('store', store, 'commit', 'such as memoryStore() or await sqliteStore(path)')
  demandPart('keyring', keyring, 'referenceKey', 'such as await keyringFile(path)')
  if (!Array.isArray(actions)) throw new TypeError('A runtime needs "actions": a list of actions.')
  const isClass = actions.some((action: unknown) => typeof action === 'function')
  if (isClass) throw new TypeError('A runtime needs actions, not their classes: new RefundAction(), for one.')
}

function demandPart(name: string, part: unknown, method: string, such: string): void {
  if (isObject(part) && 'then' in part) throw new TypeError(`The ${name} is a promise: an await is missing.`)
  const isPart = isObject(part) && method in part && typeof Reflect.get(part, method) === 'function'
  if (!isPart) throw new TypeError(`A runtime needs a ${name}, ${such}.`)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
