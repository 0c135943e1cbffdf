// Moving a store from a SQLite file to PostgreSQL: everything or nothing, and the file admits nothing from then on.
import { DummyDriver, Kysely } from 'kysely'
import type { Witnessed } from '../effect/witness.ts'
import { StoreUnavailable } from '../proposal/errors.ts'
import type { Store, Witness } from '../runtime/ports.ts'
import { type CopiedTable, type CopySide, digestTable, type TableDigest } from './copy-tables.ts'
import { inOrderOfReferences, postgresSide, writePage } from './copy-to-postgres.ts'
import { copiedTables, sqliteSide } from './copy-from-sqlite.ts'
import type { Engine } from './engine.ts'
import type { Operation } from './operation.ts'
import { KyselyStore } from './kysely-store.ts'
import { takeSource } from './move-source.ts'
import { postgresMigrations } from './migrations/postgres-migrations.ts'
import { postgresCapabilities } from './postgres-capabilities.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { CommitUnconfirmed, definiteFailure } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-library.ts'
import { migrateSchema } from './postgres-migrate.ts'
import { openings, quoted } from './postgres-settings.ts'
import { PostgresTransaction } from './postgres-transaction.ts'
import { Reconnects } from './reconnects.ts'
import { restoreBook } from './restores.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { sqliteStore } from './sqlite-store.ts'
import { clockTime, systemStoreTime } from './store-time.ts'
import type { Tables } from './tables.ts'

/** What is moved, and where to. */
export interface MoveToPostgres {
  /** The file, of the schema of this version. */
  readonly path: string
  readonly pool: PostgresPool
  readonly schema: string
  /** Of the file, and from then on of the copy; null where there is none. */
  readonly witness: Witness | null
  /** Looks through a store, first the one in the file and then the copy; throws if something in it is not whole. */
  readonly examine: (store: Store) => Promise<void>
}

/** What was moved, table by table; `again` if an earlier run had done it and was not there to say so. */
export interface Moved {
  readonly tables: readonly TableDigest[]
  readonly again: boolean
}

/** Kept by each side for itself: its own migrations. */
const OWN = ['schema_info', 'kysely_migration', 'kysely_migration_lock'] as const
/** Of which every store has a row from the start. */
const FROM_THE_START = ['store_identity', 'store_counts'] as const

const db = new Kysely<Tables>({ dialect: postgresDialect(new DummyDriver()) })
const time = clockTime(systemStoreTime)

/**
 * The file is closed to admissions first, and nobody writes to it while it is copied. The copy is one transaction, schema
 * and all: killed anywhere, the target is as empty as before, and the same command does it again. The file is never changed
 * otherwise. Which tables there are is asked of the file, so that none is forgotten. Spec: store 5.
 * @throws StoreUnavailable with one sentence: for a file that is in use, not whole, or with attempts open; for a target that
 * holds something; or if what was read back is not what was copied
 */
export async function moveToPostgres(move: MoveToPostgres): Promise<Moved> {
  const source = await takeSource(move.path, move.witness)
  try {
    await examined(await sqliteStore(move.path), move.examine)
    const { moved, known } = await copied(source, move)
    await witnessed(move.witness, known)
    return moved
  } finally {
    source.rollback()
    source.close()
  }
}

async function examined(store: Store, examine: MoveToPostgres['examine']): Promise<void> {
  try {
    await examine(store)
  } finally {
    await store.close()
  }
}

// From here on the witness knows the copy as the place of the store, and whoever uses the file again is found out by it.
async function witnessed(witness: Witness | null, known: Witnessed): Promise<void> {
  try {
    await witness?.record(known)
  } catch (cause) {
    throw new StoreUnavailable('Everything was moved, and the witness could not be told: the same command does it.', {
      cause,
    })
  }
}

async function copied(
  source: SqliteConnection,
  { pool, schema, examine }: MoveToPostgres,
): Promise<{ readonly moved: Moved; readonly known: Witnessed }> {
  const tables = copiedTables(source).filter(({ name }) => !isOneOf(OWN, name))
  const from = sqliteSide(source)
  try {
    const transaction = await PostgresTransaction.begin(pool, openings(schema, 'on').write)
    try {
      await migrateSchema(transaction, schema, postgresMigrations)
      const to = postgresSide(transaction)
      const again = await isThere(transaction, source, tables)
      const ordered = await inOrderOfReferences(transaction, tables)
      const digests = again ? await digestsOf(from, ordered) : await copyAll(transaction, from, ordered)
      await compare(to, ordered, digests)
      const engine = engineWithin(transaction)
      await examine(storeOver(engine))
      const known = await engine.read(() => restoreBook(db, postgresCapabilities, time).known())
      await transaction.commit()
      return { moved: { tables: digests, again }, known }
    } finally {
      await transaction.rollback()
      transaction.end()
    }
  } catch (error) {
    if (!(error instanceof CommitUnconfirmed)) throw definiteFailure(error)
    throw new StoreUnavailable('Whether the copy was stored is not known: the same command finds out.', {
      cause: error,
    })
  }
}

/** Whether an earlier run has copied this very store. @throws StoreUnavailable if something else is there */
async function isThere(
  transaction: PostgresTransaction,
  source: SqliteConnection,
  tables: readonly CopiedTable[],
): Promise<boolean> {
  const identity = { sql: 'select store_id as id from store_identity', parameters: [] }
  const [there] = (await transaction.run(identity)).rows as readonly { readonly id: string }[]
  const [here] = source.run(identity).rows as readonly { readonly id: string }[]
  if (there?.id === here?.id) return true
  const filled = tables.filter(({ name }) => !isOneOf(FROM_THE_START, name))
  const used = [
    'exists (select 1 from store_identity where reference_key_check is not null)',
    ...filled.map(({ name }) => `exists (select 1 from ${quoted(name)})`),
  ]
  const { rows } = await transaction.run({ sql: `select ${used.join(' or ')} as "isUsed"`, parameters: [] })
  const [row] = rows as readonly { readonly isUsed: boolean }[]
  if (row?.isUsed === false) return false
  throw new StoreUnavailable('The target is in use already; a store is moved into a schema that is empty.')
}

async function digestsOf(side: CopySide, tables: readonly CopiedTable[]): Promise<readonly TableDigest[]> {
  const digests: TableDigest[] = []
  for (const table of tables) digests.push(await digestTable(side, table))
  return digests
}

// The guards of the target speak of changes one by one; what is copied was held to the same guards when it came about.
async function copyAll(
  transaction: PostgresTransaction,
  from: CopySide,
  tables: readonly CopiedTable[],
): Promise<readonly TableDigest[]> {
  const ask = async (sql: string): Promise<unknown> => transaction.run({ sql, parameters: [] })
  // A store of any size: what is looked at in the end is looked at in one statement.
  await ask('set local statement_timeout to 0')
  for (const { name } of tables) await ask(`alter table ${quoted(name)} disable trigger user`)
  for (const name of FROM_THE_START) await ask(`delete from ${quoted(name)}`)
  const digests: TableDigest[] = []
  for (const table of tables) {
    digests.push(await digestTable(from, table, async (rows) => writePage(transaction, table, rows)))
  }
  await ask(`select setval('events_positions', greatest(1, coalesce((select max(position) from events), 0)),
    exists (select 1 from events))`)
  // What is looked at at the end of the transaction is looked at now: a table with such work open cannot be changed.
  await ask('set constraints all immediate')
  for (const { name } of tables) await ask(`alter table ${quoted(name)} enable trigger user`)
  return digests
}

async function compare(to: CopySide, tables: readonly CopiedTable[], digests: readonly TableDigest[]): Promise<void> {
  const found = await digestsOf(to, tables)
  const different = digests.filter(({ sha256 }, index) => found[index]?.sha256 !== sha256).map(({ table }) => table)
  if (different.length === 0) return
  throw new StoreUnavailable(`What is in the target is not what is in the file: ${different.join(', ')}.`)
}

/** Reads what is there within the transaction. */
function engineWithin(transaction: PostgresTransaction): Engine {
  return {
    async read<Result>(operation: () => Operation<Result>): Promise<Result> {
      const running = operation()
      let step = running.next()
      while (step.done !== true) step = running.next(await transaction.runAll(step.value))
      return step.value
    },
    write: async () => {
      throw new StoreUnavailable('The copy is looked at before it is there.')
    },
    scrub: async () => 'busy',
    close: async () => {},
  }
}

function storeOver(engine: Engine): Store {
  return new KyselyStore({
    db,
    engine,
    time,
    capabilities: postgresCapabilities,
    onCorruptRow: () => {},
    witness: null,
    reconnects: new Reconnects(),
  })
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name)
}
