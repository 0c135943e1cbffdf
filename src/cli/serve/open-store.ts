// Opens the store of a server: a file, with the clock of this machine, or a PostgreSQL database, with its own.
import type { Store } from '../../runtime/ports.ts'
import { type SqliteStoreOptions, sqliteStore } from '../../store/sqlite-store.ts'
import { isPostgres } from '../database.ts'

/** Makes what is not there. @throws StoreUnavailable */
export async function openStore(
  database: string,
  { clock, onCorruptRow }: Required<Pick<SqliteStoreOptions, 'clock' | 'onCorruptRow'>>,
): Promise<Store> {
  if (!isPostgres(database)) return sqliteStore(database, { clock, onCorruptRow })
  const { postgresStore } = await import('../../store/postgres-store.ts')
  return postgresStore({ url: database, onCorruptRow })
}
