// The PostgreSQL store as it is opened by its users, and the migration of its schema.
import { DummyDriver, Kysely } from 'kysely'
import type { Store, Witness } from '../runtime/ports.ts'
import { changesPerCommit } from './group-commit.ts'
import { KyselyStore } from './kysely-store.ts'
import type { MigrationText } from './migration-texts.ts'
import { postgresMigrations } from './migrations/postgres-migrations.ts'
import { type Moved, moveToPostgres } from './move-to-postgres.ts'
import { postgresCapabilities } from './postgres-capabilities.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { PostgresEngine } from './postgres-engine.ts'
import { openPool, type PostgresPool } from './postgres-library.ts'
import { migratePlace, type PostgresPlace, preparePostgres } from './postgres-open.ts'
import { scrubbedSchema } from './postgres-scrub.ts'
import { openings } from './postgres-settings.ts'
import { Reconnects } from './reconnects.ts'
import { serverTime } from './postgres-time.ts'
import type { OnCorruptRow } from './reads/list-reader.ts'
import { clockTime, type StoreTime } from './store-time.ts'
import type { Tables } from './tables.ts'

/** Where a store is kept: a database by its address, or by a pool that the host has made and will end. */
export type PostgresAddress =
  | { readonly url: string; readonly pool?: never; readonly connectionsMax?: number }
  | { readonly pool: PostgresPool; readonly url?: never; readonly connectionsMax?: never }

/** How a PostgreSQL store is opened. */
export type PostgresStoreOptions = PostgresAddress & {
  /** The schema that holds the tables; `countersign` by default. It is made if there is none. */
  readonly schema?: string
  /**
   * Judges `notAfter` and `notBefore` in the stead of the database's own clock, which is the one clock that all servers and
   * workers share; for tests.
   */
  readonly clock?: StoreTime
  /**
   * What remembers outside the store how far it is, so that an older copy that was put back is found out before anything is
   * called again: see `witnessFile`. Without one nothing notices a restore. Spec: rules R15.
   */
  readonly witness?: Witness
  /** How many changes share a commit at most, if they come at the same time; 64 by default, 1 for none. Spec: store 3. */
  readonly changesPerCommit?: number
  /** Told of every stored row that a list leaves out because it cannot be read; read by its reference it throws. */
  readonly onCorruptRow?: OnCorruptRow
}

const SCHEMA_DEFAULT = 'countersign'
const CONNECTIONS_MAX = 10
/** A longer name is cut off by the server, and then is another one. */
const NAME_BYTES_MAX = 63

/**
 * Opens the durable store in a PostgreSQL database, 14 or newer; any number of processes may share it. Whatever a commit
 * acknowledges is durable. Nothing depends on the state of a session, so a pooler in transaction mode may stand between.
 * Spec: store 3, reliability F6 to F9.
 *
 * ```ts
 * const store = await postgresStore({ url: 'postgres://app@localhost/app' })
 * ```
 *
 * @throws StoreUnavailable with one sentence that says what is wrong with the server, the schema or the installation
 */
export async function postgresStore(options: PostgresStoreOptions): Promise<Store> {
  const changesMax = changesPerCommit(options.changesPerCommit)
  const { place, release, reconnects } = placeOf(options)
  try {
    const durability = await preparePostgres(place)
    const db = new Kysely<Tables>({ dialect: postgresDialect(new DummyDriver()) })
    const engine = new PostgresEngine({
      pool: place.pool,
      openings: openings(place.schema, durability),
      changesPerCommit: changesMax,
      scrub: () => scrubbedSchema(place.pool, place.schema),
      release,
    })
    const store = new KyselyStore({
      db,
      engine,
      time: options.clock === undefined ? serverTime(db) : clockTime(options.clock),
      capabilities: postgresCapabilities,
      onCorruptRow: options.onCorruptRow ?? (() => {}),
      witness: options.witness ?? null,
      reconnects,
    })
    await store.health()
    return store
  } catch (error) {
    await release()
    throw error
  }
}

/** What a migration did, or with `dryRun` would do. */
export interface PostgresMigrationResult {
  /** The migrations that ran or are to be run, each with its statements. */
  readonly migrations: readonly MigrationText[]
}

/**
 * Brings a schema to that of this version, in one transaction; one that is there already is left as it is. With `dryRun`
 * nothing is changed.
 * @throws StoreUnavailable
 */
export async function migratePostgres(
  options: PostgresAddress & { readonly schema?: string; readonly dryRun?: boolean },
): Promise<PostgresMigrationResult> {
  const { place, release } = placeOf(options)
  try {
    return { migrations: await migratePlace(place, options.dryRun === true) }
  } finally {
    await release()
  }
}

/**
 * Moves a store from a SQLite file into an empty schema, see {@link moveToPostgres}. `examine` looks through both sides.
 * @throws StoreUnavailable
 */
export async function moveSqliteToPostgres(
  options: PostgresAddress & {
    readonly from: string
    readonly schema?: string
    readonly witness: Witness | null
    readonly examine: (store: Store) => Promise<void>
  },
): Promise<Moved> {
  const { from: path, witness, examine } = options
  const { place, release } = placeOf(options)
  try {
    return await moveToPostgres({ path, pool: place.pool, schema: place.schema, witness, examine })
  } finally {
    await release()
  }
}

function placeOf({
  url,
  pool,
  schema = SCHEMA_DEFAULT,
  connectionsMax,
}: PostgresAddress & { readonly schema?: string }): {
  readonly place: PostgresPlace
  readonly release: () => Promise<void>
  readonly reconnects: Reconnects
} {
  if (
    typeof schema !== 'string' ||
    schema === '' ||
    schema.includes('\0') ||
    Buffer.byteLength(schema) > NAME_BYTES_MAX
  ) {
    throw new TypeError(`The name of a schema has 1 to ${NAME_BYTES_MAX} bytes`)
  }
  // An idle connection that fails is replaced by the pool; without a listener its error would end the process.
  const unheard = (): void => {}
  const used = pool ?? openPool(url, connectionsMax ?? CONNECTIONS_MAX)
  used.on('error', unheard)
  const reconnects = new Reconnects()
  const noted = (): void => reconnects.note()
  used.on('connect', noted)
  return {
    place: { pool: used, schema, migrations: postgresMigrations },
    reconnects,
    async release() {
      if (pool === undefined) return used.end()
      pool.removeListener('error', unheard)
      pool.removeListener('connect', noted)
    },
  }
}
