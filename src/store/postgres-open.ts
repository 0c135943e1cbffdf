// Opens a PostgreSQL database as a store: looks at the server and at the schema before it uses them.
import { StoreUnavailable } from '../proposal/errors.ts'
import type { MigrationText, Migrations } from './migration-texts.ts'
import { definiteFailure } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-library.ts'
import { inspectSchema, migrateSchema, postgresMigrationTexts } from './postgres-migrate.ts'
import { DURABLE, type Durability, openings } from './postgres-settings.ts'
import { PostgresTransaction } from './postgres-transaction.ts'

/** A pool of connections to a database, the schema in it, and what that is to be. */
export interface PostgresPlace {
  readonly pool: PostgresPool
  readonly schema: string
  readonly migrations: Migrations
}

const OLDEST = 140_000

/**
 * Makes the schema if there is none, refuses it unless it is one of this version.
 * @throws StoreUnavailable with one sentence
 */
export async function preparePostgres(place: PostgresPlace): Promise<Durability> {
  const { schema, migrations } = place
  const durability = await within(place, 'read', assertServer)
  const state = await within(place, 'read', (transaction) => inspectSchema(transaction, schema, migrations))
  if (state.kind === 'older') {
    const names = state.pending.map(({ name }) => name).join(', ')
    throw new StoreUnavailable(`The database is of an older version: ${names} must be run first. Schema: ${schema}`)
  }
  if (state.kind === 'new') await migrated(place)
  return durability
}

/** Runs what is pending, or only says what that is. @throws StoreUnavailable */
export async function migratePlace(place: PostgresPlace, isDry: boolean): Promise<readonly MigrationText[]> {
  const { schema, migrations } = place
  await within(place, 'read', assertServer)
  if (!isDry) return migrated(place)
  const state = await within(place, 'read', (transaction) => inspectSchema(transaction, schema, migrations))
  if (state.kind === 'current') return []
  return state.kind === 'older' ? state.pending : postgresMigrationTexts(migrations)
}

async function migrated(place: PostgresPlace): Promise<readonly MigrationText[]> {
  return within(place, 'write', (transaction) => migrateSchema(transaction, place.schema, place.migrations))
}

/** What is asked of the server, before anything is asked of the schema. */
async function assertServer(transaction: PostgresTransaction): Promise<Durability> {
  const { rows } = await transaction.run({
    sql: `select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding,
      current_setting('synchronous_commit') as durability, pg_is_in_recovery() as "isReplica"`,
    parameters: [],
  })
  const [server] = rows as readonly { version: number; encoding: string; durability: string; isReplica: boolean }[]
  if (server === undefined || server.version < OLDEST) {
    throw new StoreUnavailable('The PostgreSQL store needs PostgreSQL 14 or newer.')
  }
  if (server.isReplica)
    throw new StoreUnavailable('The database is a replica, which may be behind and takes no writes.')
  if (server.encoding !== 'UTF8') throw new StoreUnavailable('The encoding of the database must be UTF8.')
  const durability = DURABLE.find((setting) => setting === server.durability)
  if (durability !== undefined) return durability
  throw new StoreUnavailable(
    `The database acknowledges commits before they are durable: synchronous_commit is ${server.durability}, and must be on.`,
  )
}

/** Does something in one transaction. */
async function within<Result>(
  { pool, schema }: PostgresPlace,
  mode: 'read' | 'write',
  act: (transaction: PostgresTransaction) => Promise<Result>,
): Promise<Result> {
  try {
    const transaction = await PostgresTransaction.begin(pool, openings(schema, 'on')[mode])
    try {
      const result = await act(transaction)
      if (mode === 'write') await transaction.commit()
      return result
    } finally {
      // After a commit there is nothing left to be rolled back.
      await transaction.rollback()
      transaction.end()
    }
  } catch (error) {
    throw definiteFailure(error)
  }
}
