// What a host's method answered, taken apart before it is judged: nothing of the host runs, and nothing odd becomes plain.
import { isPlainObject } from '../../effect/canonical-json.ts'

/**
 * The answer without the properties that are `undefined`. Hosts write `{ externalReference: response.id }` where there
 * may be no id; only the outermost object is treated so, everything inside must be plain data.
 */
export function withoutUndefined(answer: unknown): unknown {
  if (!isPlainObject(answer)) return answer
  const properties = Object.getOwnPropertyDescriptors(answer)
  for (const [name, property] of Object.entries(properties)) {
    if (Object.hasOwn(property, 'value') && property.value === undefined) Reflect.deleteProperty(properties, name)
  }
  return Object.defineProperties({}, properties)
}

/** One property of an answer, taken out of it; what is no plain data stays whole and is refused as a whole. */
export function takenApart(answer: unknown, name: string): { readonly value: unknown; readonly rest: unknown } {
  if (!isPlainObject(answer)) return { value: undefined, rest: answer }
  const properties = Object.getOwnPropertyDescriptors(answer)
  const property = properties[name]
  if (property === undefined || !Object.hasOwn(property, 'value')) return { value: undefined, rest: answer }
  Reflect.deleteProperty(properties, name)
  return { value: property.value, rest: Object.defineProperties({}, properties) }
}
