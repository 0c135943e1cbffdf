// The first tables beside proposals and effects: outbox, landed changes, domains, and what the store says of itself.
import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely'
import type { Capabilities } from '../capabilities.ts'
import { clusteredTable, table } from './table-form.ts'

const notNull = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull()

/** Creates the tables. */
export async function createBooks(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer } = engine
  await table(db, engine, 'events')
    // Never given twice, even after the highest row is gone.
    .addColumn('position', integer, (column) => {
      return engine.numbersRows ? column.primaryKey().autoIncrement() : column.primaryKey()
    })
    .addColumn('tenant', text, notNull)
    .addColumn('type', text, notNull)
    .addColumn('proposal', text, notNull)
    .addColumn('status', text, notNull)
    .addColumn('revision', integer, notNull)
    .addColumn('at', integer, notNull)
    .addForeignKeyConstraint('events_of', ['tenant', 'proposal'], 'proposals', ['tenant', 'ref'])
    .execute()
  await db.schema.createIndex('events_by_tenant').on('events').columns(['tenant', 'position']).execute()
  await db.schema.createIndex('events_by_proposal').on('events').columns(['tenant', 'proposal', 'position']).execute()

  await clusteredTable(db, engine, 'changes')
    .addColumn('tenant', text, notNull)
    .addColumn('change_id', text, notNull)
    .addColumn('at', integer, notNull)
    .addPrimaryKeyConstraint('changes_key', ['tenant', 'change_id'])
    .execute()

  await clusteredTable(db, engine, 'action_domains')
    .addColumn('action_name', text, notNull)
    .addColumn('domain', text, notNull)
    .addPrimaryKeyConstraint('action_domains_key', ['action_name', 'domain'])
    .execute()

  await clusteredTable(db, engine, 'schema_info')
    .addColumn('migration', text, (column) => column.primaryKey())
    .addColumn('checksum', text, notNull)
    .execute()

  await table(db, engine, 'store_identity')
    .addColumn('id', integer, (column) => column.primaryKey())
    .addColumn('store_id', text, notNull)
    .addColumn('reference_key_check', text)
    .addCheckConstraint('store_identity_single', sql`id = 1`)
    .execute()
}
