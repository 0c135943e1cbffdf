// Which database and which keys a command works on: as told, else as the environment says, else what `serve` makes.
import { existsSync } from 'node:fs'
import type { Keyring, Store, Witness } from '../runtime/ports.ts'
import { environment } from './environment.ts'
import { Unavailable, UsageError } from './errors.ts'

const FILE_DEFAULT = 'countersign.db'

/** What `--db` is, in the words of `--help`. */
export const DB_OPTION = [
  '--db <file>',
  `the database file, or postgres://… (default: DATABASE_URL, else ${FILE_DEFAULT})`,
] as const

/** What `--keys` is, in the words of `--help`. */
export const KEYS_OPTION = [
  '--keys <file>',
  'the key file (default: the keys in COUNTERSIGN_KEYS, else the database’s own name and .keys)',
] as const

/** What `--witness` is, in the words of `--help`. */
export const WITNESS_OPTION = [
  '--witness <file>',
  'what remembers the database outside it (default: COUNTERSIGN_WITNESS, else the file’s own name and .witness)',
] as const

/** The file of the witness of a database; null for one on a server where nothing says which. */
export function witnessPath(option: string | undefined, database: string): string | null {
  const named = option ?? environment('COUNTERSIGN_WITNESS')
  if (named !== null && (named === '' || named === ':memory:' || named.startsWith('file:') || named.trim() !== named))
    throw new UsageError('The witness must be kept in a file, which is named by its path.')
  return named ?? (isPostgres(database) ? null : `${database}.witness`)
}

/** The witness of a database that is there: the one that is named, else the one that a server has made beside it. */
export async function witnessOf(option: string | undefined, database: string): Promise<Witness | null> {
  const file = witnessPath(option, database)
  const isNamed = option !== undefined || environment('COUNTERSIGN_WITNESS') !== null
  if (file === null || !(isNamed || existsSync(file))) return null
  const { witnessFile } = await import('../store/witness-file.ts')
  return witnessFile(file)
}

/** The path of the database, or the address of one on a PostgreSQL server. @throws UsageError for any other address */
export function databasePath(option: string | undefined): string {
  const named = option ?? environment('DATABASE_URL') ?? FILE_DEFAULT
  // The address may hold a password, so it is not repeated.
  if (/^(?:[a-z][a-z0-9+.-]+:\/\/|postgres(?:ql)?:)/i.test(named) && !(isPostgres(named) && URL.canParse(named)))
    throw new UsageError('The database must be named by the path of its file, or by its postgres:// address.')
  // What SQLite would take for something else than the path of a file, or for another path.
  if (named === '' || named === ':memory:' || named.startsWith('file:') || named.trim() !== named)
    throw new UsageError('The database must be kept in a file, which is named by its path.')
  return named
}

/** Whether a database is on a server. */
export function isPostgres(database: string): boolean {
  return /^postgres(?:ql)?:\/\//iu.test(database)
}

/** A database as it may be shown: of an address neither the user and the password, nor what may hold them. */
export function shown(database: string): string {
  if (!isPostgres(database)) return database
  const { protocol, host, pathname } = new URL(database)
  return `${protocol}//${host}${pathname}`
}

/** Opens a database that is there. @throws Unavailable, StoreUnavailable */
export async function openDatabase(path: string, witness: Witness | null = null): Promise<Store> {
  // A store is made where none is; a command that only looks must not do that.
  if (isPostgres(path)) {
    const { migratePostgres, postgresStore } = await import('../store/postgres-store.ts')
    const { migrations } = await migratePostgres({ url: path, dryRun: true })
    if (migrations.length > 0) throw new Unavailable(`The database ${shown(path)} must be migrated first.`)
    return postgresStore({ url: path, ...(witness === null ? {} : { witness }) })
  }
  if (!existsSync(path)) throw new Unavailable(`The database file ${path} does not exist.`)
  const { sqliteStore } = await import('../store/sqlite-store.ts')
  return sqliteStore(path, witness === null ? {} : { witness })
}

/** The file of the example's business system, beside the database, or here for one on a server. */
export function businessBeside(database: string): string {
  return `${isPostgres(database) ? 'countersign' : database}.business`
}

/** The file that holds the keys of a database if nothing else is said. */
export function keysBeside(database: string): string {
  return `${database}.keys`
}

/** The keys, which are never made here. @throws Unavailable, KeyringError */
export async function openKeys(option: string | undefined, database: string): Promise<Keyring> {
  const text = environment('COUNTERSIGN_KEYS')
  if (option === undefined && text !== null) {
    const { localKeyring } = await import('../runtime/keys/local-keyring.ts')
    return localKeyring(text)
  }
  if (option === undefined && isPostgres(database)) {
    throw new Unavailable(
      'The keys of a PostgreSQL database must be in COUNTERSIGN_KEYS, or in a file that --keys names.',
    )
  }
  const { keyringFile } = await import('../runtime/keys/keyring-file.ts')
  const file = option ?? keysBeside(database)
  if (!existsSync(file)) throw new Unavailable(`The key file ${file} does not exist.`)
  return keyringFile(file)
}
