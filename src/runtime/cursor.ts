// Cursors: where a list goes on, sealed for one caller and one query, so that it tells nothing and serves nobody else.
import { framed, hmacSha256, toBase64Url } from '../effect/hash.ts'
import { principalName } from '../proposal/principal.ts'
import type { CallerSession } from '../proposal/session.ts'
import { decrypt, encrypt } from './keys/aead.ts'

/** Longer than any cursor that is made here. */
const CURSOR_CHARACTERS_MAX = 2_000

/** Whose cursor it is, and of which list; the text of a query is equal for equal filters. */
export interface CursorOf {
  readonly referenceKey: Uint8Array
  readonly session: CallerSession
  readonly queryText: string
}

/**
 * The place behind a proposal or an event. It may be one that the caller must not know of, so it is sealed. Spec: rules
 * R14.
 */
export function sealCursor(of: CursorOf, last: string): string {
  return toBase64Url(encrypt(cursorKey(of), context(of), Buffer.from(last, 'utf8')))
}

/** The place that a cursor names; null for one that was made for another caller or query, or not here. */
export function openCursor(of: CursorOf, cursor: unknown): string | null {
  if (typeof cursor !== 'string' || cursor.length > CURSOR_CHARACTERS_MAX) return null
  const bytes = decrypt(cursorKey(of), context(of), Buffer.from(cursor, 'base64url'))
  return bytes === null ? null : Buffer.from(bytes).toString('utf8')
}

function cursorKey({ referenceKey }: CursorOf): Uint8Array {
  return hmacSha256(referenceKey, framed(['countersign/cursor-key/v1']))
}

function context({ session, queryText }: CursorOf): Uint8Array {
  return framed(['countersign/cursor/v1', session.tenant, principalName(session.principal), queryText])
}
