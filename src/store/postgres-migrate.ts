// Brings a schema of a PostgreSQL database to that of this version: in one transaction, under a lock, with checksums.
import { DummyDriver, Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { StoreUnavailable } from '../proposal/errors.ts'
import { type MigrationText, type Migrations, textsOf } from './migration-texts.ts'
import { postgresDialect, PostgresTransactionDriver } from './postgres-dialect.ts'
import { type PostgresSchemaState, postgresSchemaState } from './postgres-schema.ts'
import { quoted } from './postgres-settings.ts'
import type { PostgresTransaction } from './postgres-transaction.ts'
import type { Tables } from './tables.ts'

/** The statements of every migration, in order, without running them anywhere. None names the schema. */
export async function postgresMigrationTexts(migrations: Migrations): Promise<readonly MigrationText[]> {
  return textsOf(migrations, postgresDialect(new DummyDriver()))
}

/** What can be worked with: the schema of this version, an older one, or none yet. */
export type UsableSchema = Exclude<PostgresSchemaState, { readonly kind: 'refused' }>

/** @throws StoreUnavailable if the schema is none of this version or an older one */
export async function inspectSchema(
  transaction: PostgresTransaction,
  schema: string,
  migrations: Migrations,
): Promise<UsableSchema> {
  const state = await postgresSchemaState(transaction, schema, await postgresMigrationTexts(migrations))
  if (state.kind === 'refused') throw new StoreUnavailable(`${state.sentence} Schema: ${schema}`)
  return state
}

/**
 * Runs what is pending and answers what that was. Of several processes that start on a new database one migrates, the
 * others wait for its lock, which goes with the transaction, and find it done.
 * @throws StoreUnavailable, DatabaseFailure
 */
export async function migrateSchema(
  transaction: PostgresTransaction,
  schema: string,
  migrations: Migrations,
): Promise<readonly MigrationText[]> {
  await ask(transaction, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`countersign migrates ${schema}`])
  const state = await inspectSchema(transaction, schema, migrations)
  if (state.kind === 'current') return []
  const known = await postgresMigrationTexts(migrations)
  const pending = state.kind === 'older' ? state.pending : known
  const { rows } = await ask(transaction, 'select 1 from pg_catalog.pg_namespace where nspname = $1', [schema])
  // Whoever may not make schemas may still have been given one.
  if (rows.length === 0) await ask(transaction, `create schema ${quoted(schema)}`)

  const db = new Kysely<Tables>({ dialect: postgresDialect(new PostgresTransactionDriver(transaction)) })
  await db.transaction().execute(async (within) => {
    const migrator = new Migrator({
      db: within,
      provider: { getMigrations: async () => ({ ...migrations }) },
      migrationTableSchema: schema,
    })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error instanceof Error ? error : new Error('A migration failed', { cause: error })
    for (const { name, checksum } of pending) {
      await within.insertInto('schema_info').values({ migration: name, checksum }).execute()
    }
  })
  return pending
}

async function ask(
  transaction: PostgresTransaction,
  sql: string,
  parameters: readonly unknown[] = [],
): ReturnType<PostgresTransaction['run']> {
  return transaction.run({ sql, parameters })
}
