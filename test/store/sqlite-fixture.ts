// A SQLite store in a folder of its own, with everything that can be done around it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Store } from '../../src/runtime/ports.ts'
import { type SqliteStoreOptions, sqliteStore } from '../../src/sqlite.ts'
import type { StoreUnderTest } from '../../src/testing/store-conformance.ts'

/** A path for a database in a new folder. */
export function freshPath(): string {
  return join(mkdtempSync(join(tmpdir(), 'countersign-store-')), 'store.db')
}

/** Removes the folder of a path from {@link freshPath}. */
export function removeFolderOf(path: string): void {
  rmSync(join(path, '..'), { recursive: true, force: true })
}

/** Opens a store in a new file. */
export async function openSqlite(
  options: SqliteStoreOptions = {},
): Promise<Required<StoreUnderTest> & { path: string }> {
  const path = freshPath()
  const opened: Store[] = []
  const open = async (): Promise<Store> => {
    const store = await sqliteStore(path, options)
    opened.push(store)
    return store
  }
  const store = await open()
  return {
    path,
    store,
    second: open,
    async reopen() {
      await store.close()
      return open()
    },
    attack: (sql) => rawSql(path, sql),
    tamper: (sql) => withoutGuards(path, sql),
    async close() {
      for (const one of opened) await one.close()
      removeFolderOf(path)
    },
  }
}

/** Runs SQL on a file as anybody with access to it could. */
export function rawSql(path: string, sql: string): void {
  const database = new Database(path)
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}

/** The rows of a query. */
export function rawRows<Row>(path: string, sql: string): Row[] {
  const database = new Database(path, { readonly: true })
  try {
    return database.prepare<[], Row>(sql).all()
  } finally {
    database.close()
  }
}

/** Takes the triggers away, runs the SQL without CHECK constraints and foreign keys, and puts the triggers back. */
export function withoutGuards(path: string, sql: string): void {
  const database = new Database(path)
  try {
    const triggers = database
      .prepare<[], { name: string; sql: string }>(`select name, sql from sqlite_schema where type = 'trigger'`)
      .all()
    database.pragma('foreign_keys = off')
    database.pragma('ignore_check_constraints = on')
    database.exec('begin immediate')
    for (const { name } of triggers) database.exec(`drop trigger "${name}"`)
    database.exec(sql)
    for (const trigger of triggers) database.exec(trigger.sql)
    database.exec('commit')
  } finally {
    database.close()
  }
}
