// Authentication by fixed tokens, for development.
import type { Session } from '../../proposal/session.ts'
import type { Authenticate } from './session.ts'

/** A token, and who holds it. */
export interface StaticToken {
  readonly token: string
  readonly session: Session
}

/** Where the tokens will be taken. */
export interface StaticTokensOptions {
  /** The host name or address that the server listens on. */
  readonly listeningOn: string
  /** Takes them on an address that others can reach. */
  readonly beyondLoopback?: boolean
}

/** Authenticates by fixed tokens. */
export function staticTokens(tokens: readonly StaticToken[], options: StaticTokensOptions): Authenticate {
  return () => {
    throw new TypeError(`${tokens.length} tokens for ${options.listeningOn} cannot be read yet.`)
  }
}
