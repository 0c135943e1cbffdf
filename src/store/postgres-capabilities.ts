// What PostgreSQL can do, and how it says it.
import { sql } from 'kysely'
import type { Capabilities } from './capabilities.ts'
import { createPostgresTriggers } from './migrations/postgres-triggers.ts'
import { createPostgresGuards } from './migrations/postgres-guard.ts'

/** PostgreSQL 14 or newer. Writers run side by side, so they lock what they look at. */
export const postgresCapabilities: Capabilities = {
  text: sql`text collate "C"`,
  bytes: 'bytea',
  integer: 'bigint',
  strictTables: false,
  refersForward: false,
  computesWhenRead: false,
  numbersRows: false,
  locksRows: true,
  lockName: (name) => sql`pg_advisory_xact_lock(hashtextextended(current_schema() || '.' || ${name}, 0))`,
  differsFrom: sql`is distinct from`,
  joined: (column) => sql`string_agg(${column}, ',')`,
  asBytes: (value) => sql`cast(${value} as bytea)`,
  randomId: sql`replace(gen_random_uuid()::text, '-', '')`,
  // The tables too: a dump that was read back into the same database has made them anew.
  place: sql`(select system_identifier from pg_control_system()) || '/' ||
    left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || 'store_counts'::regclass::oid || '/' ||
    (select oid from pg_database where datname = current_database())`,
  createGuards: createPostgresGuards,
  createActingTriggers: createPostgresTriggers,
}
