// The bearer token of a request: from the Authorization header and from nowhere else.
import { singletonHeader } from '../wire/singleton-header.ts'

/** RFC 6750 2.1; the scheme's case does not matter. A server bounds the header's length, and this the token's. */
const BEARER = /^bearer +([\w.~+/-]{1,8192}=*)$/i

/**
 * The token, or null if there is none that could be one: no header, another scheme, or text that no token has.
 * Spec: reliability 5.6, F17.
 * @throws MalformedRequest if the header was sent twice
 */
export function bearerToken(headers: Headers): string | null {
  const credentials = singletonHeader(headers, 'Authorization')
  return credentials === null ? null : (BEARER.exec(credentials)?.[1] ?? null)
}
