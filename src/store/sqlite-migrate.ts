// Brings a SQLite database to the schema of this version: in one transaction, under its lock, with checksums.
import { DummyDriver, Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { sha256, framed } from '../effect/hash.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { SqliteDriver, sqliteDialect } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

/** "Csg1" in the header of a database: what says that a file is a store of this library. */
export const APPLICATION_ID = 1_131_636_529

/** Migrations by name; their order is that of their names. */
export type Migrations = Readonly<Record<string, Migration>>

/** A migration as text. */
export interface MigrationText {
  readonly name: string
  readonly statements: readonly string[]
  /** SHA-256 over the statements, hex. */
  readonly checksum: string
}

/** The statements of every migration, in order, without running them anywhere. */
export async function migrationTexts(migrations: Migrations): Promise<readonly MigrationText[]> {
  const texts: MigrationText[] = []
  for (const name of Object.keys(migrations).sort()) {
    const statements: string[] = []
    const recorder = new Kysely<Tables>({
      dialect: sqliteDialect(new DummyDriver()),
      log(event) {
        statements.push(event.query.sql)
      },
    })
    await migrations[name]?.up(recorder)
    texts.push({ name, statements, checksum: Buffer.from(sha256(framed(statements))).toString('hex') })
  }
  return texts
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
