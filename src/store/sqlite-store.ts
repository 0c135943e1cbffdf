// The SQLite store as it is opened by its users, and the migration of its file.
import { resolve } from 'node:path'
import { DummyDriver, Kysely } from 'kysely'
import type { Store, Witness } from '../runtime/ports.ts'
import { changesPerCommit } from './group-commit.ts'
import { KyselyStore } from './kysely-store.ts'
import type { MigrationText } from './migration-texts.ts'
import { sqliteMigrations } from './migrations/sqlite-migrations.ts'
import type { OnCorruptRow } from './reads/list-reader.ts'
import { Reconnects } from './reconnects.ts'
import { sqliteCapabilities } from './sqlite-capabilities.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { keptInPlace } from './sqlite-file.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { SqliteEngine } from './sqlite-engine.ts'
import { loadSqlite } from './sqlite-library.ts'
import { demandFilePath } from './sqlite-path.ts'
import { connect, inspectFile, migrateFile, prepareFile, type SqliteFile } from './sqlite-open.ts'
import { migrationTexts } from './sqlite-migrate.ts'
import { clockTime, type StoreTime, systemStoreTime } from './store-time.ts'

/** How a SQLite store is opened. */
export interface SqliteStoreOptions {
  /**
   * The store's clock, which judges `notAfter` and `notBefore`; by default the wall clock of the machine that this process
   * runs on. SQLite has no clock of its own: processes that share a file are on one machine, and so have one clock, unless
   * they are given others. If that clock is set, the store's time jumps along; runtimes notice (trace S6).
   */
  readonly clock?: StoreTime
  /** How long to wait for another process that writes; 5,000 ms by default. This process does nothing else meanwhile. */
  readonly busyTimeoutMs?: number
  /**
   * What remembers outside the store how far it is, so that an older copy that was put back is found out before anything is
   * called again: see `witnessFile`. Without one nothing notices a restore. Spec: rules R15.
   */
  readonly witness?: Witness
  /** How many changes share a commit at most, if they come at the same time; 64 by default, 1 for none. Spec: store 3. */
  readonly changesPerCommit?: number
  /** Told of every stored row that a list leaves out because it cannot be read; read by its reference it throws. */
  readonly onCorruptRow?: OnCorruptRow
}

const BUSY_TIMEOUT_MS = 5_000

/**
 * Opens the durable store in a file, and makes it if there is none. Whatever a commit acknowledges has been synced to the
 * disk. Several processes may use one file. Spec: store 3, reliability F1 to F5.
 *
 * ```ts
 * const store = await sqliteStore('countersign.db')
 * ```
 *
 * @throws StoreUnavailable with one sentence that says what is wrong with the file, its folder or the installation
 */
export async function sqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const changesMax = changesPerCommit(options.changesPerCommit)
  const file = sqliteFile(path, options.busyTimeoutMs)
  const library = loadSqlite()
  await prepareFile(library, file)
  const reconnects = new Reconnects()
  const connectAnew = (): SqliteConnection => {
    reconnects.note()
    return connect(library, file)
  }
  const engine = new SqliteEngine(connectAnew, {
    demandInPlace: keptInPlace(file.path),
    changesPerCommit: changesMax,
  })
  const store = new KyselyStore({
    db: new Kysely({ dialect: sqliteDialect(new DummyDriver()) }),
    engine,
    time: clockTime(options.clock ?? systemStoreTime),
    capabilities: sqliteCapabilities,
    onCorruptRow: options.onCorruptRow ?? (() => {}),
    witness: options.witness ?? null,
    reconnects,
  })
  try {
    await store.health()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** What a migration did, or with `dryRun` would do. */
export interface SqliteMigrationResult {
  /** The migrations that ran or are to be run, each with its statements. */
  readonly migrations: readonly MigrationText[]
}

/**
 * Brings a file to the schema of this version, in one transaction; a file that is there already is left as it is.
 * With `dryRun` nothing is changed.
 * @throws StoreUnavailable
 */
export async function migrateSqlite(
  path: string,
  { dryRun = false, busyTimeoutMs }: { readonly dryRun?: boolean; readonly busyTimeoutMs?: number } = {},
): Promise<SqliteMigrationResult> {
  const file = sqliteFile(path, busyTimeoutMs)
  const library = loadSqlite()
  const state = await inspectFile(library, file)
  switch (state.kind) {
    case 'current':
      return { migrations: [] }
    case 'new':
    case 'older': {
      const migrations = state.kind === 'older' ? state.pending : await migrationTexts(file.migrations)
      if (!dryRun) await migrateFile(library, file)
      return { migrations }
    }
  }
}

function sqliteFile(path: string, busyTimeoutMs: number = BUSY_TIMEOUT_MS): SqliteFile {
  demandFilePath(path, 'A SQLite store')
  // Absolute, since the file is opened anew after a commit that was not confirmed, wherever the process is by then.
  return { path: resolve(path), busyTimeoutMs, migrations: sqliteMigrations }
}
