// The public keys that tokens are verified with: a set of the issuer's, read over the network or given.
import { AuthenticationUnavailable } from '../wire/http-refusals.ts'
import type { LocalKeySet, RemoteKeySetOptions } from './bearer-jwt-options.ts'
import type { JoseLibrary } from './jose-library.ts'

/** Finds the key of a token's header, as `jwtVerify` asks for it. */
type FindKey = (...asked: Parameters<LocalSet>) => ReturnType<LocalSet>
type LocalSet = ReturnType<JoseLibrary['createLocalJWKSet']>

const SECOND_MS = 1_000
const RSA_BYTES_MIN = 256
/** What is wrong with the token and not with the set: no key of it, several, or one that cannot be meant. */
const TOKENS_FAULT = new Set(['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'ERR_JOSE_NOT_SUPPORTED'])

/**
 * Only this set is asked: a `jwk`, `jku` or `x5u` in a token's header is never looked at, and its `kid` only chooses.
 * Spec: reliability 5.6.
 * @throws TypeError for a set that is no set of public keys, or an address that is not safe
 */
export function keySet(jose: JoseLibrary, jwks: URL | LocalKeySet, options: RemoteKeySetOptions = {}): FindKey {
  if (!(jwks instanceof URL)) {
    demandPublicKeys(jwks)
    return jose.createLocalJWKSet(structuredClone(jwks) as Parameters<JoseLibrary['createLocalJWKSet']>[0])
  }
  demandSafeAddress(jwks)
  const remote = jose.createRemoteJWKSet(jwks, {
    timeoutDuration: options.timeoutMs ?? 5 * SECOND_MS,
    cacheMaxAge: options.maxAgeMs ?? 600 * SECOND_MS,
    cooldownDuration: options.cooldownMs ?? 30 * SECOND_MS,
  })
  return async (header, token) => {
    try {
      return await remote(header, token)
    } catch (cause) {
      // A set that cannot be read says nothing about the token: refusing it would blame the caller.
      if (cause instanceof jose.errors.JOSEError && TOKENS_FAULT.has(cause.code)) throw cause
      throw new AuthenticationUnavailable({ cause })
    }
  }
}

function demandSafeAddress({ protocol, hostname }: URL): void {
  const isLocal = protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
  if (protocol !== 'https:' && !isLocal) throw new TypeError('"jwks" must be an https address.')
}

function demandPublicKeys(jwks: LocalKeySet): void {
  const given: unknown = jwks
  const keys = typeof given === 'object' && given !== null && 'keys' in given ? given.keys : null
  if (!Array.isArray(keys) || keys.length === 0) throw new TypeError('"jwks" must be a URL or a set of keys.')
  for (const key of keys as LocalKeySet['keys']) demandPublicKey(key)
}

/** A shared secret would let everyone who verifies sign too; a short key lets everyone. */
function demandPublicKey(key: LocalKeySet['keys'][number]): void {
  const { kty, n } = key
  const isPublic = (kty === 'RSA' || kty === 'EC' || kty === 'OKP') && !('d' in key) && !('k' in key)
  if (!isPublic) throw new TypeError('Every key of "jwks" must be a public key.')
  const modulusBytes = typeof n === 'string' ? Buffer.from(n, 'base64url').length : 0
  if (kty === 'RSA' && modulusBytes < RSA_BYTES_MIN) throw new TypeError('An RSA key needs 2048 bits or more.')
}
