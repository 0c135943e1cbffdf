// Authentication by fixed tokens, for development: on a loopback address unless somebody insists.
import { randomBytes } from 'node:crypto'
import { hmacSha256, sameBytes } from '../../effect/hash.ts'
import { deepFreeze } from '../../effect/canonical-json.ts'
import { parseSession, type Session } from '../../proposal/session.ts'
import { Unauthenticated } from '../wire/http-refusals.ts'
import { bearerToken } from './bearer-token.ts'
import { isLoopback } from './loopback.ts'
import type { Authenticate } from './session.ts'

/** A token of 16 or more characters of `A-Z a-z 0-9 - . _ ~ + /`, and who holds it. */
export interface StaticToken {
  readonly token: string
  readonly session: Session
}

/** Where the tokens are taken. */
export interface StaticTokensOptions {
  /** The host name or address that the server listens on. */
  readonly listeningOn: string
  /** Asks for them on an address that others can reach. */
  readonly beyondLoopback?: boolean
}

const TOKEN = /^[\w.~+/-]{16,256}$/
const loopbackOnly = new WeakSet<Authenticate>()

/**
 * Authenticates by fixed tokens in the Authorization header. They never expire and cannot be taken back, so they are for
 * development. Only digests of them are kept, and compared in constant time. Spec: http "Rules".
 * @throws TypeError for an address that others can reach, unless `beyondLoopback` asks for it, and for tokens that are too
 * short, given twice or held by nobody
 */
export function staticTokens(tokens: readonly StaticToken[], options: StaticTokensOptions): Authenticate {
  const { listeningOn, beyondLoopback = false } = options
  if (!beyondLoopback) demandLoopbackAddress(listeningOn)
  const key = randomBytes(32)
  const digestOf = (token: string): Uint8Array => hmacSha256(key, Buffer.from(token))
  const holders = tokens.map((entry, index) => ({
    digest: digestOf(tokenOf(entry, index)),
    session: held(entry, index),
  }))
  if (new Set(tokens.map(({ token }) => token)).size !== tokens.length) throw new TypeError('A token is given twice.')
  const authenticate: Authenticate = ({ headers }) => {
    const token = bearerToken(headers)
    if (token === null) return null
    const digest = digestOf(token)
    // Every holder is compared, so that the time tells nothing about which one it is.
    const session = holders.reduce<Session | null>(
      (found, holder) => (sameBytes(holder.digest, digest) ? holder.session : found),
      null,
    )
    if (session === null) throw new Unauthenticated('refused')
    return session
  }
  if (!beyondLoopback) loopbackOnly.add(authenticate)
  return authenticate
}

/**
 * For whoever starts a server: refuses the address if these are tokens made for a loopback address only.
 * @throws TypeError
 */
export function demandSuitableAddress(authenticate: Authenticate, address: string): void {
  if (loopbackOnly.has(authenticate)) demandLoopbackAddress(address)
}

function demandLoopbackAddress(address: string): void {
  if (isLoopback(address)) return
  throw new TypeError(
    'Static tokens are for development: listen on a loopback address, or ask for them with "beyondLoopback".',
  )
}

function tokenOf({ token }: StaticToken, index: number): string {
  if (!TOKEN.test(token)) throw new TypeError(`Token ${index} is not 16 to 256 characters of the allowed form.`)
  return token
}

function held({ session }: StaticToken, index: number): Session {
  try {
    parseSession(session)
  } catch (cause) {
    throw new TypeError(`The session of token ${index} is not one.`, { cause })
  }
  const isOrphan = session.principal.kind === 'agent' && session.owner === undefined
  if (isOrphan) throw new TypeError(`The agent of token ${index} has no owner.`)
  return deepFreeze(structuredClone(session))
}
