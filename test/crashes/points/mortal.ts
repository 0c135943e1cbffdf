// A process in this process that may end: its ports answer until it has come to a point, and never again after that.
import type { Change, Keyring, KeyEncryptionKey, Store } from '../../../src/runtime/ports.ts'
import { commitStep } from '../../../src/testing/commit-faults.ts'
import { InterceptedStore } from '../../../src/testing/intercepted-store.ts'
import type { TestAction } from '../../runtime/refund.ts'
import type { CrashPoint } from './crash-points.ts'

/** Whoever waits for something of it when it has ended waits for ever, as for a process that was killed. */
export class Mortal {
  readonly #point: CrashPoint | null
  readonly #dead = Promise.withResolvers<'dead'>()
  #passed = 0
  #isDead = false

  constructor(point: CrashPoint | null) {
    this.#point = point
  }

  /** When it has come to its point. */
  get death(): Promise<'dead'> {
    return this.#dead.promise
  }

  /** Comes by a place. */
  async pass(place: string): Promise<void> {
    if (place === this.#point?.place) {
      this.#passed += 1
      if (this.#passed === this.#point.nth) {
        this.#isDead = true
        this.#dead.resolve('dead')
      }
    }
    if (this.#isDead) await new Promise<never>(() => {})
  }

  async around<T>(what: string, act: () => Promise<T>): Promise<T> {
    await this.pass(`before ${what}`)
    const answer = await act()
    await this.pass(`after ${what}`)
    return answer
  }

  store(store: Store): Store {
    return new InterceptedStore(store, async (name, call, change) => {
      return this.around(change === null ? name : commitName(change), call)
    })
  }

  keyring(keyring: Keyring): Keyring {
    const key = (one: KeyEncryptionKey): KeyEncryptionKey => ({
      version: one.version,
      wrap: async (...input) => this.around('wrap', async () => one.wrap(...input)),
      unwrap: async (...input) => this.around('unwrap', async () => one.unwrap(...input)),
    })
    return {
      current: async () => key(await keyring.current()),
      resolve: async (version) => {
        const found = await keyring.resolve(version)
        return found === null ? null : key(found)
      },
      referenceKey: async () => keyring.referenceKey(),
    }
  }

  /** Every method that reads or writes the world. */
  action(action: TestAction): TestAction {
    const { prepare, resolve, execute, verify } = action.methods
    Object.assign(action.methods, {
      prepare: async (input) => this.around('prepare', async () => prepare(input)),
      resolve: async (input) => this.around('resolve', async () => resolve(input)),
      execute: async (input) => this.around('execute', async () => execute(input)),
      verify: async (input) => this.around('verify', async () => verify(input)),
    } satisfies Partial<TestAction['methods']>)
    return action
  }
}

function commitName(change: Change): string {
  const told = change.receipts.flatMap(({ body }) => (body === null ? [] : [body.type]))
  return `commit ${commitStep(change)}: ${told.join(' and ')}`
}
