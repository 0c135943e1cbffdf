// What SQLite can do, and how it says it.
import { sql } from 'kysely'
import type { Capabilities } from './capabilities.ts'
import { createSqliteErasure } from './migrations/sqlite-erasure.ts'
import { createSqliteGuards } from './migrations/sqlite-guard.ts'

/** SQLite 3.37 or newer. A writer has the file to itself. */
export const sqliteCapabilities: Capabilities = {
  text: 'text',
  bytes: 'blob',
  integer: 'integer',
  strictTables: true,
  refersForward: true,
  computesWhenRead: true,
  numbersRows: true,
  locksRows: false,
  lockName: null,
  differsFrom: sql`is not`,
  joined: (column) => sql`group_concat(${column})`,
  asBytes: (value) => sql`${value}`,
  randomId: sql`lower(hex(randomblob(16)))`,
  place: sql`null`,
  createGuards: createSqliteGuards,
  createActingTriggers: createSqliteErasure,
}
