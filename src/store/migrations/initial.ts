// The first migration, whichever the engine: tables, then the guards over them, then the identity of the store.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Capabilities } from '../capabilities.ts'
import { createBooks } from './initial-books.ts'
import { createCallGuards } from './initial-call-guards.ts'
import { createDeliveries } from './initial-deliveries.ts'
import { createEffectGuards } from './initial-effect-guards.ts'
import { createEffectTables } from './initial-effects.ts'
import { createProposalGuards } from './initial-proposal-guards.ts'
import { createProposalTables } from './initial-proposals.ts'
import { createRecordGuards } from './initial-record-guards.ts'
import { createRestoreGuards, createRestoreTables } from './initial-restores.ts'

/**
 * The schema as it was first released. Its status guard is generated from the lifecycle table; when that table changes,
 * the checksum tests fail, the old table is written out here, and a new migration replaces the guard.
 */
export function initialMigration(engine: Capabilities): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await createProposalTables(db, engine)
      await createEffectTables(db, engine)
      await createBooks(db, engine)
      await createRestoreTables(db, engine)
      await createDeliveries(db, engine)
      await createProposalGuards(db, engine)
      await createRecordGuards(db, engine)
      await createEffectGuards(db, engine)
      await createCallGuards(db, engine)
      await createRestoreGuards(db, engine)
      await sql`insert into store_identity (id, store_id) values (1, ${engine.randomId})`.execute(db)
    },
  }
}
