// Authentication by signed tokens.
import type { Authenticate } from './session.ts'

/** What is asked of a token, and which of its claims say who calls. */
export interface BearerJwtOptions {
  readonly issuer: string
  readonly audience: string | readonly string[]
  /** The address of the issuer's key set, or the set itself. */
  readonly jwks: URL | LocalKeySet
  readonly claims: ClaimMapping
}

/** Public keys as JWKs (RFC 7517). */
export interface LocalKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>

/** A claim by its name, or a function that finds the value in the claims. */
export type ClaimSource = string | ((claims: Claims) => unknown)

/** Which claims say who calls. */
export interface ClaimMapping {
  readonly tenant: ClaimSource
  readonly kind: ClaimSource
  readonly owner: ClaimSource
  readonly roles: ClaimSource
  readonly assurance: ClaimSource
}

/** Authenticates by a bearer token in the Authorization header. */
export function bearerJwt(options: BearerJwtOptions): Authenticate {
  return () => {
    throw new TypeError(`No key set of ${options.issuer} can be read yet.`)
  }
}
