// Loads better-sqlite3, or says in one sentence what is missing.
import { createRequire } from 'node:module'
import process from 'node:process'
import { StoreUnavailable } from '../proposal/errors.ts'

/**
 * What is used of the driver's constructor. The driver has its types in a package of its own, which no user of the store
 * should need; so our declarations name none of them.
 */
export interface SqliteLibrary {
  new (path: string, options?: { readonly timeout?: number; readonly fileMustExist?: boolean }): SqliteDatabase
}

/** What is used of the driver's connection. */
export interface SqliteDatabase {
  readonly inTransaction: boolean
  prepare(sql: string): SqliteStatement
  pragma(text: string, options: { readonly simple: true }): unknown
  close(): unknown
}

/** What is used of the driver's prepared statement; `reader` tells whether it returns rows. */
export interface SqliteStatement {
  readonly reader: boolean
  all(...values: readonly unknown[]): readonly unknown[]
  run(...values: readonly unknown[]): { readonly changes: number }
}

const NODE_NEEDED = { major: 22, minor: 18 }

/**
 * The driver is loaded at the first use and not by an import: it is an optional peer, and its binary brings an unsuitable
 * Node down before anything could be said.
 * @throws StoreUnavailable with a sentence for whoever installs
 */
export function loadSqlite(): SqliteLibrary {
  assertSuitableNode(process.versions.node)
  try {
    return createRequire(import.meta.url)('better-sqlite3') as SqliteLibrary
  } catch (cause) {
    throw new StoreUnavailable('The SQLite store needs the package better-sqlite3: npm install better-sqlite3@13.', {
      cause,
    })
  }
}

function assertSuitableNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > NODE_NEEDED.major || (major === NODE_NEEDED.major && minor >= NODE_NEEDED.minor)) return
  throw new StoreUnavailable(
    `The SQLite store needs Node ${NODE_NEEDED.major}.${NODE_NEEDED.minor} or newer; this is Node ${version}.`,
  )
}
