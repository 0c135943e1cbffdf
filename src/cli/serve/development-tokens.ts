// Development tokens: derived from the reference key, so that they outlive a restart and are the same in every process.
import { hkdfSync } from 'node:crypto'
import { toBase64Url } from '../../effect/hash.ts'
import type { StaticToken } from '../../http/auth/static-tokens.ts'
import type { Session } from '../../proposal/session.ts'
import type { Keyring } from '../../runtime/ports.ts'

const TOKEN_BYTES = 32

/** The identities of development by their names, each with what a token for it stands for. */
export type Cast = Readonly<Record<string, Session>>

/** A token for each of the cast, by name. Nothing can be learnt from a token about the key, nor about another token. */
export async function developmentTokens(keyring: Keyring, cast: Cast): Promise<Readonly<Record<string, string>>> {
  const key = await keyring.referenceKey()
  return Object.fromEntries(Object.keys(cast).map((name) => [name, tokenOf(key, name)]))
}

/** The same as `staticTokens` takes them. */
export function withSessions(tokens: Readonly<Record<string, string>>, cast: Cast): readonly StaticToken[] {
  return Object.entries(cast).flatMap(([name, session]) => {
    const token = tokens[name]
    return token === undefined ? [] : [{ token, session }]
  })
}

function tokenOf(key: Uint8Array, name: string): string {
  const bytes = hkdfSync('sha256', key, new Uint8Array(0), `countersign/development-token/v1/${name}`, TOKEN_BYTES)
  return `dev_${toBase64Url(new Uint8Array(bytes))}`
}
