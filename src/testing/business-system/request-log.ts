// The log of every request that the business system has seen, kept in its file beside the books.
import type { Database } from './database.ts'
import type { SeenRequest } from './wire.ts'

interface RequestRow {
  readonly at: bigint
  readonly method: string
  readonly path: string
  readonly idempotency_key: string | null
  readonly precondition: string | null
  readonly body: string
}

export function recordRequest(database: Database, seen: SeenRequest): void {
  database
    .prepare('INSERT INTO requests (at, method, path, idempotency_key, precondition, body) VALUES (?, ?, ?, ?, ?, ?)')
    .run(seen.at, seen.method, seen.path, seen.idempotencyKey, seen.precondition, JSON.stringify(seen.body))
}

/** All of them, in the order of arrival. */
export function listRequests(database: Database): readonly SeenRequest[] {
  return database.prepare<RequestRow>('SELECT * FROM requests ORDER BY number').all().map(seenRequestOf)
}

function seenRequestOf(row: RequestRow): SeenRequest {
  const body: unknown = JSON.parse(row.body)
  const { method, path, precondition } = row
  return { at: Number(row.at), method, path, idempotencyKey: row.idempotency_key, precondition, body }
}
