// The file that a store is moved from: used by nobody else, no older copy of itself, and closed to admissions for good.
import { DummyDriver, Kysely } from 'kysely'
import { restoreFinding } from '../effect/witness.ts'
import { StoreUnavailable } from '../proposal/errors.ts'
import type { Witness } from '../runtime/ports.ts'
import { sqliteMigrations } from './migrations/sqlite-migrations.ts'
import { restoreBook } from './restores.ts'
import { sqliteCapabilities } from './sqlite-capabilities.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { SqliteEngine } from './sqlite-engine.ts'
import { definiteFailure } from './sqlite-errors.ts'
import { loadSqlite, type SqliteLibrary } from './sqlite-library.ts'
import { connect, inspectFile, type SqliteFile } from './sqlite-open.ts'
import { clockTime, systemStoreTime } from './store-time.ts'
import type { Tables } from './tables.ts'

const BUSY_TIMEOUT_MS = 5_000

/**
 * Closes the file by an entry in its book of restores, and answers a connection that keeps everybody else from writing until
 * it is closed. A run that was killed has left its entry there; the next one goes on from it.
 * @throws StoreUnavailable with one sentence that says what must be done first
 */
export async function takeSource(path: string, witness: Witness | null): Promise<SqliteConnection> {
  const library = loadSqlite()
  const file = { path, busyTimeoutMs: BUSY_TIMEOUT_MS, migrations: sqliteMigrations }
  if ((await inspectFile(library, file)).kind !== 'current') {
    throw new StoreUnavailable(`There is no store of this version to be moved. File: ${path}`)
  }
  demandUnused(library, file)
  await demandWhole(library, file, witness)
  const source = connect(library, file)
  try {
    closeToAdmissions(source)
    source.begin('immediate')
    return source
  } catch (error) {
    source.close()
    throw definiteFailure(error)
  }
}

// Whoever has the file open shares a lock with the others who do; one who wants it alone is refused at once. What a server
// took while the file is copied, or after, would be acknowledged and left behind.
function demandUnused(library: SqliteLibrary, { path }: SqliteFile): void {
  const connection = new SqliteConnection(new library(path, { timeout: 0, fileMustExist: true }))
  try {
    connection.pragma('locking_mode = exclusive')
    connection.begin('immediate')
    connection.rollback()
  } catch (error) {
    throw new StoreUnavailable('The file is in use: stop every server and worker that has it open.', {
      cause: definiteFailure(error),
    })
  } finally {
    connection.close()
  }
}

// Moved as it is, an older copy would lose what its witness knows, and be called again from where it is moved to.
async function demandWhole(library: SqliteLibrary, file: SqliteFile, witness: Witness | null): Promise<void> {
  if (witness === null) return
  const db = new Kysely<Tables>({ dialect: sqliteDialect(new DummyDriver()) })
  const book = restoreBook(db, sqliteCapabilities, clockTime(systemStoreTime))
  const engine = new SqliteEngine(() => connect(library, file))
  try {
    const finding = restoreFinding(await engine.read(() => book.known()), await witness.read())
    if (finding === null) return
    throw new StoreUnavailable(`The file and its witness do not agree (${finding}): "countersign restore" says more.`)
  } finally {
    await engine.close()
  }
}

function closeToAdmissions(source: SqliteConnection): void {
  source.begin('immediate')
  try {
    const open = counted(source, 'select count(*) as number from attempts where ended_at is null')
    if (open > 0)
      throw new StoreUnavailable(`Attempts are open: ${open}. A store is moved when all of them have ended.`)
    const sql = 'select number, finding, acknowledged_at as at from restores order by number desc limit 1'
    const [last] = source.run({ sql, parameters: [] }).rows as readonly {
      readonly number: number
      readonly finding: string
      readonly at: number | null
    }[]
    const isOpen = last !== undefined && last.at === null
    if (isOpen && last.finding !== 'moved') {
      throw new StoreUnavailable('A restore of the store waits to be acknowledged; it is moved after that.')
    }
    if (!isOpen) {
      source.run({
        sql: `insert into restores (number, finding, found_at, admissions)
          select ?, 'moved', ?, admissions from store_counts`,
        parameters: [(last?.number ?? 0) + 1, systemStoreTime.now()],
      })
    }
    source.commit()
  } catch (error) {
    source.rollback()
    throw error
  }
}

function counted(source: SqliteConnection, sql: string): number {
  const [row] = source.run({ sql, parameters: [] }).rows as readonly { readonly number: number }[]
  return row?.number ?? 0
}
