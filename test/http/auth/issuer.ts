// An issuer for tests: real keys, real signatures, and tokens that can be wrong in any one way.
import { createHmac, randomBytes } from 'node:crypto'
import { CompactSign, type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { BearerJwtOptions, LocalKeySet } from '../../../src/http/auth/bearer-jwt-options.ts'

export const ISSUER = 'https://issuer.example/'
export const AUDIENCE = 'https://countersign.example/'

/** The time of all tests, in seconds. */
export const NOW = 1_800_000_000

interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

export async function signingKey(alg: string, kid: string, extractable = false): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable })
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** The issuer's keys, one of each allowed algorithm, and one of an algorithm that is not allowed. */
export const keys = {
  ed: await signingKey('EdDSA', 'ed'),
  ec: await signingKey('ES256', 'ec'),
  rsa: await signingKey('RS256', 'rsa'),
  es384: await signingKey('ES384', 'es384'),
}

/** Somebody else's key, under a name of the issuer's. */
export const foreign = await signingKey('EdDSA', 'ed')

export const jwks: LocalKeySet = { keys: Object.values(keys).map(({ jwk }) => ({ ...jwk })) }

export const options: BearerJwtOptions = {
  issuer: ISSUER,
  audience: AUDIENCE,
  jwks,
  claims: { tenant: 'tenant', kind: 'kind', owner: 'owner', roles: 'roles', assurance: 'amr' },
  clock: { now: () => NOW * 1_000 },
}

export type Claims = Readonly<Record<string, unknown>>

/** The claims of a good token of a person. */
export const goodClaims: Claims = {
  iss: ISSUER,
  aud: AUDIENCE,
  sub: 'u-alice',
  jti: 'token-1',
  iat: NOW - 60,
  exp: NOW + 600,
  tenant: 'acme',
  kind: 'user',
  roles: ['finance'],
  amr: ['mfa'],
}

/** A signed token: good claims and headers, but for those that are named; a claim that is undefined is left out. */
export async function signed(claims: Claims = {}, header: Claims = {}, key: SigningKey = keys.ed): Promise<string> {
  const payload = new TextEncoder().encode(JSON.stringify({ ...goodClaims, ...claims }))
  const all = { alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header }
  return new CompactSign(payload)
    .setProtectedHeader(
      Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as { alg: string },
    )
    .sign(key.privateKey, { crit: { 'urn:own': true } })
}

/** A token whose bytes are signed as they are, so that even its payload may be no claims. */
export async function signedText(payload: string): Promise<string> {
  return new CompactSign(new TextEncoder().encode(payload))
    .setProtectedHeader({ alg: 'EdDSA', kid: 'ed', typ: 'at+jwt' })
    .sign(keys.ed.privateKey)
}

/** A good token with another header, and its signature as it was. */
export async function reheaded(header: Claims): Promise<string> {
  const [, payload, signature] = (await signed()).split('.')
  return `${encoded(header)}.${payload}.${signature}`
}

/** A good token with other claims, and its signature as it was. */
export async function reclaimed(claims: Claims): Promise<string> {
  const [header, , signature] = (await signed()).split('.')
  return `${header}.${encoded({ ...goodClaims, ...claims })}.${signature}`
}

/** Signed with a shared secret, which is whatever an attacker can know. */
export function hmacSigned(secret: string | Uint8Array, header: Claims = {}): string {
  const body = `${encoded({ alg: 'HS256', typ: 'at+jwt', ...header })}.${encoded(goodClaims)}`
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`
}

/** The confusion of algorithms: the public key, which everybody has, as a shared secret. */
export async function confused(): Promise<string> {
  return hmacSigned(await exportSPKI(keys.rsa.publicKey), { kid: 'rsa' })
}

/** Not signed at all. */
export function unsigned(alg: string): string {
  return `${encoded({ alg, typ: 'at+jwt' })}.${encoded(goodClaims)}.`
}

/** Signed by a key that the token itself brings along. */
export async function selfIntroduced(member: 'jwk' | 'jku' | 'x5u', value: unknown): Promise<string> {
  return new SignJWT({ ...goodClaims })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', [member]: value })
    .sign(foreign.privateKey)
}

/** A secret of so many bytes. */
export const secret = (bytes: number): Uint8Array => randomBytes(bytes)

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
