// Authentication by signed tokens (JWT, RFC 7519) of one issuer, with everything about them pinned.
import { systemClock } from '../../runtime/system-clock.ts'
import { AuthenticationUnavailable, Unauthenticated } from '../wire/http-refusals.ts'
import { type BearerJwtOptions, DEFAULTS, demandOptions } from './bearer-jwt-options.ts'
import { bearerToken } from './bearer-token.ts'
import { loadJose } from './jose-library.ts'
import { keySet } from './key-set.ts'
import type { Authenticate } from './session.ts'
import { tokenSession } from './token-session.ts'

const SECOND_MS = 1_000
const REQUIRED_CLAIMS = ['exp', 'iat', 'sub', 'jti']

/**
 * Authenticates by a bearer token in the Authorization header. It answers null without a token; a token that is not
 * exactly as asked for is refused as `unauthenticated`, and which rule it broke is not told. If the key set cannot be
 * read, the answer is `authentication_unavailable`, 503, since nothing is known about the token then.
 * @throws TypeError if jose is not installed, or the options cannot be safe
 */
export function bearerJwt(options: BearerJwtOptions): Authenticate {
  demandOptions(options)
  const { issuer, audience, algorithms, type, maxAgeMs, clockToleranceMs } = { ...DEFAULTS, ...options }
  const { claims, clock = systemClock } = options
  const jose = loadJose()
  const findKey = keySet(jose, options.jwks, options.remote)
  const demands = {
    issuer,
    audience: [audience].flat(),
    algorithms: [...algorithms],
    typ: type,
    requiredClaims: REQUIRED_CLAIMS,
    maxTokenAge: maxAgeMs / SECOND_MS,
    clockTolerance: clockToleranceMs / SECOND_MS,
  }
  return async ({ headers }) => {
    const token = bearerToken(headers)
    if (token === null) return null
    try {
      const { payload } = await jose.jwtVerify(token, findKey, { ...demands, currentDate: new Date(clock.now()) })
      return tokenSession(payload, claims)
    } catch (cause) {
      if (cause instanceof AuthenticationUnavailable) throw cause
      throw new Unauthenticated('refused', { cause })
    }
  }
}
