// The first tables of the gate of restores: what a witness is held against, and what it found.
import { type ColumnDefinitionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import type { Capabilities } from '../capabilities.ts'
import { type Guard, isChanged } from './guard.ts'
import { table } from './table-form.ts'

const notNull = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull()

/** Creates the tables, and the row of counts. */
export async function createRestoreTables(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer } = engine
  await table(db, engine, 'store_counts')
    .addColumn('id', integer, (column) => column.primaryKey())
    .addColumn('admissions', integer, notNull)
    .addColumn('erasures', integer, notNull)
    .addCheckConstraint('store_counts_single', sql`id = 1`)
    .execute()
  await table(db, engine, 'restores')
    .addColumn('number', integer, (column) => column.primaryKey())
    .addColumn('finding', text, notNull)
    .addColumn('found_at', integer, notNull)
    .addColumn('admissions', integer, notNull)
    .addColumn('witnessed', integer)
    .addColumn('acknowledged_at', integer)
    .addColumn('acknowledged_by', text)
    .addColumn('reason', text)
    .addCheckConstraint('restores_finding', sql`finding in ('behind', 'changed', 'missing', 'moved')`)
    .addCheckConstraint(
      'restores_acknowledged',
      sql`(acknowledged_at is null) = (acknowledged_by is null) and (acknowledged_at is null) = (reason is null)`,
    )
    .execute()
  await sql`insert into store_counts (id, admissions, erasures) values (1, 0, 0)`.execute(db)
}

/** Creates the triggers. */
export async function createRestoreGuards(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  await engine.createGuards(db, guards(engine))
}

const found = ['number', 'finding', 'found_at', 'admissions', 'witnessed'] as const

const guards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'store_counts_single',
    before: 'insert',
    on: 'store_counts',
    when: sql<SqlBool>`exists (select 1 from store_counts)`,
    rule: 'a store counts once',
  },
  {
    name: 'store_counts_grow',
    before: 'update',
    on: 'store_counts',
    when: sql<SqlBool>`new.id <> old.id or new.admissions < old.admissions or new.erasures < old.erasures`,
    rule: 'what is counted never becomes less',
  },
  { name: 'store_counts_kept', before: 'delete', on: 'store_counts', rule: 'a store counts once' },
  {
    name: 'restores_numbered',
    before: 'insert',
    on: 'restores',
    when: sql<SqlBool>`new.number <> (select count(*) + 1 from restores) or new.acknowledged_at is not null
      or exists (select 1 from restores as kept where kept.acknowledged_at is null)`,
    rule: 'restores are numbered, and the next one is found when the last one was acknowledged',
  },
  {
    name: 'restores_acknowledged_once',
    before: 'update',
    on: 'restores',
    when: sql<SqlBool>`old.acknowledged_at is not null or ${isChanged(engine, found)}`,
    rule: 'a restore is acknowledged once and says what was found',
  },
  { name: 'restores_not_deleted', before: 'delete', on: 'restores', rule: 'rows of restores are never deleted' },
]
