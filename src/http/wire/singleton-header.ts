// Headers that may stand in a request once: several lines of one arrive joined by commas, and none of them is to be believed.
import { MalformedRequest } from './http-refusals.ts'

/** The headers read here; none of their values has a comma of its own. */
export type SingletonHeader = 'Authorization' | 'Content-Encoding' | 'Content-Type' | 'Idempotency-Key' | 'If-Match'

/**
 * The value of a header, or null if the request has none. An empty value is a value.
 * Spec: reliability F17.
 * @throws MalformedRequest if it was sent more than once
 */
export function singletonHeader(headers: Headers, name: SingletonHeader): string | null {
  const value = headers.get(name)
  if (value?.includes(',') === true) throw new MalformedRequest(`The header ${name} may be sent once, without a comma.`)
  return value
}
