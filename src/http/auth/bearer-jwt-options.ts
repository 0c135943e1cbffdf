// What is asked of a token: the options of bearerJwt, their defaults, and what cannot be safe.
import type { Clock } from '../../runtime/ports.ts'
import type { ClaimMapping } from './token-session.ts'

/** Public keys as JWKs (RFC 7517). */
export interface LocalKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/** How a set is read over the network. */
export interface RemoteKeySetOptions {
  /** How long a read may take. Default 5 s. */
  readonly timeoutMs?: number
  /** How long a set is believed. Default 10 min. */
  readonly maxAgeMs?: number
  /** How soon after a read an unknown key may cause another one. Default 30 s. */
  readonly cooldownMs?: number
}

const ALGORITHMS = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
] as const

/** The algorithms that can be allowed. None is symmetric: whoever verifies could sign too. */
export type TokenAlgorithm = (typeof ALGORITHMS)[number]

/** What is asked of a token, and which of its claims say who calls. Spec: http "Rules", reliability 5.6. */
export interface BearerJwtOptions {
  /** The one `iss` that is believed. */
  readonly issuer: string
  /** The `aud` of this API; of several, a token needs one. */
  readonly audience: string | readonly string[]
  /** The https address of the issuer's key set, or the set itself. */
  readonly jwks: URL | LocalKeySet
  /** Which claims say who calls. There is no default: a guess here would be an identity. */
  readonly claims: ClaimMapping
  /** Default EdDSA, ES256 and RS256. Naming fewer is better. */
  readonly algorithms?: readonly TokenAlgorithm[]
  /** The `typ` in a token's header, which tells an access token from any other. Default `at+jwt` (RFC 9068). */
  readonly type?: string
  /** How old a token may be since its `iat`, whatever its `exp` says. Default 1 h. */
  readonly maxAgeMs?: number
  /** How far the issuer's clock may be off. Default 30 s. */
  readonly clockToleranceMs?: number
  /** How a set at an address is read. */
  readonly remote?: RemoteKeySetOptions
  /** Default: the clock of this machine. */
  readonly clock?: Pick<Clock, 'now'>
}

const SECOND_MS = 1_000
/** What holds where an option is not given. */
export const DEFAULTS: Required<Pick<BearerJwtOptions, 'algorithms' | 'type' | 'maxAgeMs' | 'clockToleranceMs'>> = {
  algorithms: ['EdDSA', 'ES256', 'RS256'],
  type: 'at+jwt',
  maxAgeMs: 3_600 * SECOND_MS,
  clockToleranceMs: 30 * SECOND_MS,
}

/**
 * Where no compiler looked: each of these, forgotten, would let foreign tokens in.
 * @throws TypeError
 */
export function demandOptions(options: BearerJwtOptions): void {
  const { issuer, audience, claims, algorithms, type, maxAgeMs, clockToleranceMs } = { ...DEFAULTS, ...options }
  demand(isName(issuer), '"issuer" must name one issuer.')
  const audiences: unknown = Array.isArray(audience) ? audience : [audience]
  demand(Array.isArray(audiences) && audiences.length > 0 && audiences.every(isName), '"audience" must name this API.')
  demand(isName(type), '"type" must name the type of the tokens.')
  const known = algorithms.every((algorithm) => ALGORITHMS.includes(algorithm))
  demand(known && algorithms.length > 0, `"algorithms" must be some of ${ALGORITHMS.join(', ')}.`)
  demandClaims(claims)
  demandDuration('maxAgeMs', maxAgeMs)
  demandDuration('clockToleranceMs', clockToleranceMs)
}

function demandClaims(claims: ClaimMapping): void {
  const given: unknown = claims
  for (const field of ['tenant', 'kind', 'owner', 'roles', 'assurance'] as const) {
    const source: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, field) : undefined
    demand(isName(source) || typeof source === 'function', `"claims.${field}" must name a claim or be a function.`)
  }
}

function demandDuration(name: string, ms: number): void {
  demand(Number.isSafeInteger(ms) && ms >= 0, `"${name}" must be a number of milliseconds.`)
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function demand(holds: boolean, sentence: string): void {
  if (!holds) throw new TypeError(`bearerJwt: ${sentence}`)
}
