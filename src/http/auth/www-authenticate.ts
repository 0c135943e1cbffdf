// The challenge of a 401: which credentials are taken, and whether those given were refused.
import type { Unauthenticated } from '../wire/http-refusals.ts'

/** Spec: reliability 5.6, RFC 9110 11.6.1, RFC 6750 3: without credentials no error is named. */
export function wwwAuthenticate(credentials: Unauthenticated['credentials']): string {
  const challenge = 'Bearer realm="countersign"'
  return credentials === 'none' ? challenge : `${challenge}, error="invalid_token"`
}
