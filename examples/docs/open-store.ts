// The one line in which a host on a file and a host on a PostgreSQL server differ.
import process from 'node:process'
import type { Store } from 'countersign'
import { postgresStore } from 'countersign/postgres'
import { sqliteStore } from 'countersign/sqlite'

// #region file
/** For one machine. */
export async function storeInFile(): Promise<Store> {
  return sqliteStore('countersign.db')
}
// #endregion

// #region server
/** For any number of machines. */
export async function storeOnServer(): Promise<Store> {
  return postgresStore({ url: process.env['DATABASE_URL'] ?? 'postgres://localhost/app', schema: 'countersign' })
}
// #endregion
