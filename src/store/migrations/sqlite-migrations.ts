// The migrations of a SQLite store, by name and in order. One that was released is never edited: another follows it.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { sqliteCapabilities } from '../capabilities.ts'
import { createBooks } from './initial-books.ts'
import { createCallGuards } from './initial-call-guards.ts'
import { createEffectGuards } from './initial-effect-guards.ts'
import { createEffectTables } from './initial-effects.ts'
import { createProposalGuards } from './initial-proposal-guards.ts'
import { createProposalTables } from './initial-proposals.ts'
import { createRecordGuards } from './initial-record-guards.ts'

/**
 * Numbered, frozen, and checksummed over the statements that they run: what has run is compared with what stands here
 * whenever a store is opened. The status trigger of `0001` is generated from the lifecycle table; when that table changes,
 * the checksum test fails, the old table is written out in `0001`, and a new migration replaces the trigger.
 */
export const sqliteMigrations: Readonly<Record<string, Migration>> = {
  '0001_initial': {
    async up(db: Kysely<unknown>): Promise<void> {
      await createProposalTables(db, sqliteCapabilities)
      await createEffectTables(db, sqliteCapabilities)
      await createBooks(db, sqliteCapabilities)
      await createProposalGuards(db)
      await createRecordGuards(db)
      await createEffectGuards(db)
      await createCallGuards(db)
      await sql`insert into store_identity (id, store_id) values (1, lower(hex(randomblob(16))))`.execute(db)
    },
  },
}
