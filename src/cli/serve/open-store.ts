// Opens the store of a server: a file, with the clock of this machine, or a PostgreSQL database, with its own.
import type { Store } from '../../runtime/ports.ts'
import { type SqliteStoreOptions, sqliteStore } from '../../store/sqlite-store.ts'
import { witnessFile } from '../../store/witness-file.ts'
import { isPostgres } from '../database.ts'

/** Makes what is not there. @throws StoreUnavailable */
export async function openStore(
  database: string,
  {
    clock,
    onCorruptRow,
    witness: file,
  }: Required<Pick<SqliteStoreOptions, 'clock' | 'onCorruptRow'>> & { readonly witness: string | null },
): Promise<Store> {
  const witness = file === null ? {} : { witness: witnessFile(file) }
  if (!isPostgres(database)) return sqliteStore(database, { clock, onCorruptRow, ...witness })
  const { postgresStore } = await import('../../store/postgres-store.ts')
  return postgresStore({ url: database, onCorruptRow, ...witness })
}
