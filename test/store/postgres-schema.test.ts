// The schema of the PostgreSQL store: made by migrations that never change, the same on every server, and judged before use.
import { Pool } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migratePostgres, postgresStore } from '../../src/postgres.ts'
import { postgresMigrations } from '../../src/store/migrations/postgres-migrations.ts'
import { postgresMigrationTexts } from '../../src/store/postgres-migrate.ts'
import { madeObjects, SCHEMA_DIGESTS, schemaDigest } from '../../src/store/postgres-schema.ts'
import { openings } from '../../src/store/postgres-settings.ts'
import { PostgresTransaction } from '../../src/store/postgres-transaction.ts'
import { MAJORS, type Major } from '../postgres/server.ts'
import { freshSchema, openPostgres, rawSql, serverUrl } from './postgres-fixture.ts'

async function objectsOn(major: Major): Promise<readonly string[]> {
  const { url, schema, close } = await openPostgres({}, major)
  const pool = new Pool({ connectionString: url })
  pool.on('error', () => {})
  const transaction = await PostgresTransaction.begin(pool, openings(schema, 'on').read)
  try {
    return await madeObjects(transaction, schema)
  } finally {
    await transaction.rollback()
    transaction.end()
    await pool.end()
    await close()
  }
}

describe('the PostgreSQL schema', () => {
  it('is made by migrations that do not change any more', async () => {
    const texts = await postgresMigrationTexts(postgresMigrations)

    expect(Object.fromEntries(texts.map(({ name, checksum }) => [name, checksum]))).toEqual({
      '0001_initial': 'e535c5b2812dd1df8812bbd24220693bbad998c4e35418a189e9b57967a82cc8',
    })
  })

  it.each(MAJORS)('is what the digest says on PostgreSQL %s', async (major) => {
    const objects = await objectsOn(major)

    expect(schemaDigest(objects)).toBe(SCHEMA_DIGESTS['0001_initial'])
    expect(objects).toContain('column events.position bigint not null  ')
    expect(objects.filter((object) => object.startsWith('trigger '))).toHaveLength(75)
  })
})

describe('of many stores that open one new schema at once', () => {
  it('one makes it', async () => {
    const url = await serverUrl()
    const schema = freshSchema()

    const stores = await Promise.all(Array.from({ length: 5 }, () => postgresStore({ url, schema })))

    expect(await rawSql(url, schema, 'select migration from schema_info')).toEqual([{ migration: '0001_initial' }])
    const ids = await Promise.all(stores.map(async (store) => (await store.adopt(CLAIMS)).storeId))
    expect(new Set(ids).size).toBe(1)
    for (const store of stores) await store.close()
  })
})

const CLAIMS = { referenceKeyCheck: 'check', domains: {} }
const INCOMPLETE = 'The schema of the database is incomplete, or something else has changed it.'

describe('a schema is refused', () => {
  it.each([
    [
      'of a newer version',
      `insert into schema_info values ('0002_later', 'x')`,
      'The database was made by a newer version of countersign: it has the migration 0002_later.',
    ],
    [
      'whose migration was another',
      `update schema_info set checksum = 'x'`,
      'The migration 0001_initial of the database is not the one that this version knows.',
    ],
    ['without one of its triggers', 'drop trigger receipts_not_changed on receipts', INCOMPLETE],
    ['with a trigger that is switched off', 'alter table receipts disable trigger receipts_not_changed', INCOMPLETE],
    [
      'with another function in the place of a guard',
      `create or replace function receipts_not_changed() returns trigger language plpgsql as 'begin return new; end'`,
      INCOMPLETE,
    ],
    ['without one of its constraints', 'alter table proposals drop constraint proposals_live', INCOMPLETE],
    ['without one of its unique indexes', 'drop index attempts_open', INCOMPLETE],
    ['without one of its tables', 'drop table events cascade', INCOMPLETE],
    ['with another column', 'alter table events add column note text', INCOMPLETE],
    ['with a column of another type', 'alter table changes alter column at type numeric', INCOMPLETE],
    ['of which the migrator knows nothing', 'delete from kysely_migration', INCOMPLETE],
    ['that lost its own record of migrations', 'drop table schema_info', INCOMPLETE],
    [
      'of another application',
      'drop table schema_info, kysely_migration',
      'The schema of the database is that of another application.',
    ],
  ])('%s', async (_what, spoil, sentence) => {
    const { url, schema, store, tamper, close } = await openPostgres()
    onTestFinished(close)

    await tamper(spoil)

    const refusal = { name: 'StoreUnavailable', message: `${sentence} Schema: ${schema}` }
    await expect(postgresStore({ url, schema })).rejects.toMatchObject(refusal)
    await expect(migratePostgres({ url, schema })).rejects.toMatchObject(refusal)
    await store.close()
  })

  it('but not one to which an index was added', async () => {
    const { url, schema, second, tamper, close } = await openPostgres()
    onTestFinished(close)

    await tamper('create index for_reports on events (at)')

    expect(await (await second()).adopt(CLAIMS)).toMatchObject({ referenceKeyCheck: 'check' })
    expect(await migratePostgres({ url, schema })).toEqual({ migrations: [] })
  })
})

describe('a migration', () => {
  it('shows what it would do, does it, and then has nothing to do', async () => {
    const address = { url: await serverUrl(), schema: freshSchema() }

    const dry = await migratePostgres({ ...address, dryRun: true })
    expect(
      await rawSql(address.url, 'public', `select 1 from pg_namespace where nspname = '${address.schema}'`),
    ).toEqual([])
    const done = await migratePostgres(address)

    expect(dry).toEqual(done)
    expect(done.migrations.map(({ name }) => name)).toEqual(['0001_initial'])
    expect(await migratePostgres(address)).toEqual({ migrations: [] })
  })

  it.each(['', 'x'.repeat(64), 'nul\0'])(
    'of a schema that cannot be named so (%j) is a mistake of the host',
    async (schema) => {
      await expect(migratePostgres({ url: await serverUrl(), schema })).rejects.toThrow(TypeError)
    },
  )
})
