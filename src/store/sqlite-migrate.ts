// Brings a SQLite database to the schema of this version: in one transaction, under its lock, with checksums.
import { DummyDriver, Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { type MigrationText, type Migrations, textsOf } from './migration-texts.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { SqliteDriver, sqliteDialect } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

/** "Csg1" in the header of a database: what says that a file is a store of this library. */
export const APPLICATION_ID = 1_131_636_529

/** The statements of every migration, in order, without running them anywhere. */
export async function migrationTexts(migrations: Migrations): Promise<readonly MigrationText[]> {
  return textsOf(migrations, sqliteDialect(new DummyDriver()))
}

/**
 * Runs the migrations that have not run. Everything, the bookkeeping of Kysely included, is one `BEGIN IMMEDIATE`
 * transaction: of several processes that open a new file one migrates, the others wait for its lock and find it done.
 */
export async function migrate(connection: SqliteConnection, migrations: Migrations): Promise<void> {
  const db = new Kysely<Tables>({ dialect: sqliteDialect(new SqliteDriver(connection)) })
  const texts = await migrationTexts(migrations)
  await alone(() =>
    db.transaction().execute(async (transaction) => {
      const migrator = new Migrator({
        db: transaction,
        provider: { getMigrations: async () => ({ ...migrations }) },
      })
      const { error, results = [] } = await migrator.migrateToLatest()
      if (error !== undefined) {
        throw error instanceof Error ? error : new Error('A migration failed', { cause: error })
      }
      const ran = new Set(results.map(({ migrationName }) => migrationName))
      for (const { name, checksum } of texts) {
        if (ran.has(name)) await transaction.insertInto('schema_info').values({ migration: name, checksum }).execute()
      }
      // The number of APPLICATION_ID: a pragma takes no parameter.
      await sql`pragma application_id = 1131636529`.execute(transaction)
    }),
  )
}

let last: Promise<unknown> = Promise.resolve()

// A migration holds the lock of its file while it awaits, and SQLite blocks the whole thread when it waits for a lock: two
// stores of one process that migrate the same new file would wait for each other.
async function alone<Result>(act: () => Promise<Result>): Promise<Result> {
  const mine = last.then(act)
  last = mine.catch(() => null)
  return mine
}
