// Idempotency keys: one key names one request for ever, of whatever kind, and what became of it is remembered.
import type { Database } from './database.ts'
import type { KnownRequest, RequestState } from './wire.ts'

/** A request that moves money, as far as its key is concerned. */
export interface KeyedRequest {
  readonly idempotencyKey: string
  /** Tells the bodies that one key may not carry apart. The precondition is no part of it: it may differ in a retry. */
  readonly fingerprint: string
}

/** What is known of a request by its key alone, before anything else is looked at. */
export type KeyJudgement =
  /** The key belongs to another request. */
  | 'mismatch'
  /** The key is finished without effect, and that is for good. */
  | 'finished'
  /** An error was answered, and is answered for ever. */
  | 'errored'
  /** It was booked under this key, which is not known any more. */
  | 'forgotten'
  /** Nothing that settles it: never seen, refused before, or booked. */
  | 'open'

interface KeyRow {
  readonly fingerprint: string
  /** `errored` is told as refused: something was answered, and nothing was booked; `forgotten` as never seen. */
  readonly state: Exclude<RequestState, 'never_seen'> | 'errored' | 'forgotten'
}

export function judgeKey(database: Database, { idempotencyKey, fingerprint }: KeyedRequest): KeyJudgement {
  const key = findKey(database, idempotencyKey)
  if (key?.state === 'forgotten') return 'forgotten'
  if (key !== null && key.fingerprint !== fingerprint) return 'mismatch'
  if (key?.state === 'errored') return 'errored'
  return key?.state === 'finished_without_effect' ? 'finished' : 'open'
}

/** Records what became of the request with this key. */
export function rememberKey(database: Database, request: KeyedRequest, state: KeyRow['state']): void {
  database
    .prepare(
      `INSERT INTO keys (idempotency_key, fingerprint, state) VALUES (?, ?, ?)
       ON CONFLICT (idempotency_key) DO UPDATE SET state = excluded.state`,
    )
    .run(request.idempotencyKey, request.fingerprint, state)
}

/** What is known of each key asked for. */
export function knownRequests(database: Database, idempotencyKeys: readonly string[]): readonly KnownRequest[] {
  return idempotencyKeys.map((idempotencyKey) => {
    const state = findKey(database, idempotencyKey)?.state ?? 'never_seen'
    return { idempotencyKey, state: state === 'errored' ? 'refused' : state === 'forgotten' ? 'never_seen' : state }
  })
}

/** Every key that begins with one of these. */
export function keysBeginningWith(database: Database, beginnings: readonly string[]): readonly string[] {
  const found = beginnings.flatMap((beginning) =>
    database
      .prepare<{ readonly idempotency_key: string }>(
        'SELECT idempotency_key FROM keys WHERE substr(idempotency_key, 1, length(?)) = ? ORDER BY idempotency_key',
      )
      .all(beginning, beginning)
      .map((row) => row.idempotency_key),
  )
  return [...new Set([...beginnings, ...found])]
}

function findKey(database: Database, idempotencyKey: string): KeyRow | null {
  return (
    database.prepare<KeyRow>('SELECT fingerprint, state FROM keys WHERE idempotency_key = ?').get(idempotencyKey) ??
    null
  )
}
