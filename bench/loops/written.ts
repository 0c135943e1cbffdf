// How lifecycles answer for their effects in the tables of our schema.
import assert from 'node:assert/strict'
import type Database from 'better-sqlite3'
import { oneQuery } from '../postgres-place.ts'

/** The schema of our tables on PostgreSQL. */
export const SCHEMA = 'countersign'

/** Each count must be the number of lifecycles. */
const COUNTS = `select
  (select count(*) from proposals where status = 'verified') as verified,
  (select count(*) from proposals) as proposals,
  (select count(distinct reference) from attempts where ended_at is not null) as ended,
  (select count(*) from attempts) as attempts,
  (select count(*) from receipts) / 5 as receipts`

/** @throws AssertionError unless so many lifecycles are there whole, and no other */
export async function assertWritten(url: string, lifecycles: number): Promise<void> {
  const [counts] = await oneQuery<Record<string, string>>(url, `set search_path to ${SCHEMA}; ${COUNTS}`)
  assertCounts(counts, lifecycles)
}

/** Likewise, of a SQLite file. */
export function assertWrittenIn(db: Database.Database, lifecycles: number): void {
  assertCounts(db.prepare(COUNTS).get() as Record<string, number>, lifecycles)
}

function assertCounts(counts: Readonly<Record<string, string | number>> | undefined, lifecycles: number): void {
  for (const [what, count] of Object.entries(counts ?? { rows: -1 })) assert.equal(Number(count), lifecycles, what)
}
