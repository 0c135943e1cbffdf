// Loads better-sqlite3, or says in one sentence what is missing.
import { createRequire } from 'node:module'
import process from 'node:process'
import type Database from 'better-sqlite3'
import { StoreUnavailable } from '../proposal/errors.ts'

/** The constructor of the driver. */
export type SqliteLibrary = typeof Database

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
