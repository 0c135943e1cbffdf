// Opens a SQLite file as a store: looks before it touches, sets what durability needs, and asserts that it holds.
import { StoreUnavailable } from '../proposal/errors.ts'
import { CommitFailed, SqliteConnection } from './sqlite-connection.ts'
import type { Migrations } from './migration-texts.ts'
import { definiteFailure } from './sqlite-errors.ts'
import { fileState } from './sqlite-file.ts'
import type { SqliteLibrary } from './sqlite-library.ts'
import { migrate } from './sqlite-migrate.ts'
import { type SchemaState, schemaState } from './sqlite-schema.ts'

/** A file, how long to wait for other processes that write to it, and the schema that it is to have. */
export interface SqliteFile {
  readonly path: string
  readonly busyTimeoutMs: number
  readonly migrations: Migrations
}

/** What can be worked with: the schema of this version, an older one, or none yet. */
type UsableSchema = Exclude<SchemaState, { readonly kind: 'refused' }>

const FULL = 2

/**
 * Opens a connection to a file that is there; one that has gone is not made anew behind the back of its users.
 * @throws StoreUnavailable
 */
export function connect(library: SqliteLibrary, file: SqliteFile): SqliteConnection {
  return open(library, file, { fileMustExist: true })
}

function open(library: SqliteLibrary, file: SqliteFile, options: { fileMustExist: boolean }): SqliteConnection {
  return translated(file.path, () => {
    const connection = new SqliteConnection(new library(file.path, { timeout: file.busyTimeoutMs, ...options }))
    try {
      configure(connection)
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  })
}

/**
 * Makes the file a store if it is new, refuses it unless it is one of this version.
 * @throws StoreUnavailable with one sentence
 */
export async function prepareFile(library: SqliteLibrary, file: SqliteFile): Promise<void> {
  const state = await inspectFile(library, file)
  if (state.kind === 'current') return
  if (state.kind === 'older') {
    const names = state.pending.map(({ name }) => name).join(', ')
    throw refusal(file.path, `The database is of an older version: ${names} must be run first.`)
  }
  await migrateFile(library, file)
}

/** Runs what is pending, whatever the file is now. @throws StoreUnavailable */
export async function migrateFile(library: SqliteLibrary, file: SqliteFile): Promise<void> {
  const connection = open(library, file, { fileMustExist: false })
  try {
    await migrate(connection, file.migrations)
  } catch (error) {
    // Whether it landed is seen by whoever opens the file next.
    throw named(file.path, definiteFailure(error instanceof CommitFailed ? error.cause : error))
  } finally {
    connection.close()
  }
}

/**
 * What the file is. Nothing is changed, so that the database of another application is left as it was.
 * @throws StoreUnavailable if the file is none of this version or an older one
 */
export async function inspectFile(library: SqliteLibrary, file: SqliteFile): Promise<UsableSchema> {
  const { path, busyTimeoutMs, migrations } = file
  const found = fileState(path)
  if (found.kind === 'unusable') throw refusal(path, found.sentence)
  if (found.kind === 'missing') return { kind: 'new' }
  const connection = translated(path, () => new SqliteConnection(new library(path, { timeout: busyTimeoutMs })))
  try {
    const state = await schemaState(connection, library, migrations)
    if (state.kind === 'refused') throw new StoreUnavailable(state.sentence)
    return state
  } catch (error) {
    throw named(path, definiteFailure(error))
  } finally {
    connection.close()
  }
}

function configure(connection: SqliteConnection): void {
  const journal = connection.pragma('journal_mode = wal')
  if (journal !== 'wal') throw new StoreUnavailable('The database file cannot be used with a write-ahead log.')
  connection.pragma('synchronous = full')
  connection.pragma('foreign_keys = on')
  connection.pragma('secure_delete = on')
  connection.pragma('trusted_schema = off')
  // SQLite may answer FULL right after the mode is set and use NORMAL after the first access (reliability F2).
  connection.run({ sql: 'select count(*) from sqlite_schema', parameters: [] })
  const isDurable = Number(connection.pragma('synchronous')) >= FULL
  const isGuarded = connection.pragma('foreign_keys') === 1 && connection.pragma('secure_delete') === 1
  if (!isDurable || !isGuarded) {
    throw new StoreUnavailable(
      'The database does not keep synchronous=FULL, foreign_keys and secure_delete switched on.',
    )
  }
}

function translated<Result>(path: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    throw named(path, definiteFailure(error))
  }
}

// Whoever opens a store is its operator, who must learn which file is meant.
function named(path: string, error: unknown): unknown {
  return error instanceof StoreUnavailable ? refusal(path, error.message, error.cause) : error
}

function refusal(path: string, sentence: string, cause?: unknown): StoreUnavailable {
  return new StoreUnavailable(`${sentence} File: ${path}`, { cause })
}
