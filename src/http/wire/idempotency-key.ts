// Idempotency-Key: the name that a caller gives to one request, so that repeating it is harmless.
import { MalformedRequest } from './http-refusals.ts'
import { singletonHeader } from './singleton-header.ts'

const CHARACTERS_MAX = 255
/** Visible characters; the comma is where two headers were joined. */
const BARE = /^[!#-+\--[\]-~]+$/
/** A string of RFC 9651 without spaces, in which a quote and a backslash are escaped. */
const QUOTED = /^"((?:[!#-+\--[\]-~]|\\["\\])+)"$/

/**
 * The key, without its quotes, or null if the request has none. `"k"` and `k` are the same key.
 * Spec: http "Rules", reliability 5.5.
 * @throws MalformedRequest unless it is 1 to 255 visible characters without a comma, quoted or bare
 */
export function parseIdempotencyKey(headers: Headers): string | null {
  const value = singletonHeader(headers, 'Idempotency-Key')
  if (value === null) return null
  const quoted = QUOTED.exec(value)?.[1]?.replaceAll(/\\(["\\])/g, '$1')
  const key = quoted ?? (BARE.test(value) ? value : '')
  if (key === '' || key.length > CHARACTERS_MAX) {
    throw new MalformedRequest(`The header Idempotency-Key must be 1 to ${CHARACTERS_MAX} visible characters.`)
  }
  return key
}
