// How tables are made on an engine: with checked column types, and in one of two layouts.
import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Capabilities } from '../capabilities.ts'

/** A table in the engine's usual layout; for rows that may hold large bytes. */
export function table<Name extends string>(
  db: Kysely<unknown>,
  engine: Capabilities,
  name: Name,
): CreateTableBuilder<Name> {
  const builder = db.schema.createTable(name)
  return engine.strictTables ? builder.modifyEnd(sql`strict`) : builder
}

/** A table of small rows that lie in the order of their key, where the engine has that. */
export function clusteredTable<Name extends string>(
  db: Kysely<unknown>,
  engine: Capabilities,
  name: Name,
): CreateTableBuilder<Name> {
  const builder = db.schema.createTable(name)
  return engine.strictTables ? builder.modifyEnd(sql`strict, without rowid`) : builder
}
