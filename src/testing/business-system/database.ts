// The business system's one SQLite file: opened, checked to be its own, and filled with orders and invoices at first use.
import { createRequire } from 'node:module'
import { schema } from './schema.ts'
import { seed } from './seeds.ts'

/** What is used of better-sqlite3, an optional peer; no type of the package reaches the published declarations. */
export interface Database {
  prepare<Row = unknown>(sql: string): Statement<Row>
  exec(sql: string): unknown
  pragma(sql: string, options: { readonly simple: true }): unknown
  transaction<Result>(work: () => Result): { immediate(): Result }
  close(): unknown
}

type Value = string | number | bigint | null

/** A prepared statement. Integers come back as `bigint`. */
export interface Statement<Row> {
  get(...values: readonly Value[]): Row | undefined
  all(...values: readonly Value[]): Row[]
  run(...values: readonly Value[]): unknown
}

interface Driver {
  new (
    file: string,
    options: { readonly fileMustExist: boolean },
  ): Database & { defaultSafeIntegers(on: boolean): void }
}

// Written into the header of the file; a file with tables and another number belongs to somebody else.
const applicationId = 0x43_53_42_33n

/**
 * Opens the file; `create` makes it, with its orders and invoices, if there is none.
 *
 * @throws Error with one sentence: the driver is missing, the path cannot be opened, or the file is another program's.
 */
export function openDatabase(file: string, options: { readonly create: boolean }): Database {
  const Driver = loadDriver()
  try {
    const database = new Driver(file, { fileMustExist: !options.create })
    database.defaultSafeIntegers(true)
    prepareFile(database)
    return database
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`the example business system cannot use ${file}: ${reason}`, { cause })
  }
}

function prepareFile(database: Database): void {
  // Whose file it is comes first: the switch to WAL would already change somebody else's.
  if (!isNew(database) && !isOurs(database)) throw new Error('the file belongs to another program')
  // The write-ahead log lets a second writer in while a reader reads; FULL keeps what was acknowledged over a power cut.
  if (database.pragma('journal_mode = WAL', { simple: true }) !== 'wal')
    throw new Error('no write-ahead log is possible')
  database.pragma('synchronous = FULL', { simple: true })
  database.pragma('foreign_keys = ON', { simple: true })
  database
    .transaction(() => {
      if (!isNew(database)) return
      database.exec(schema)
      seed(database)
      database.pragma(`application_id = ${applicationId}`, { simple: true })
    })
    .immediate()
}

function isNew(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
}

function isOurs(database: Database): boolean {
  return database.pragma('application_id', { simple: true }) === applicationId
}

function loadDriver(): Driver {
  try {
    return createRequire(import.meta.url)('better-sqlite3') as Driver
  } catch (cause) {
    throw new Error('the example business system needs the package better-sqlite3: npm install better-sqlite3', {
      cause,
    })
  }
}
