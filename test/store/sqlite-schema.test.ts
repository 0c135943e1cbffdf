// The schema of a SQLite store: as it was committed, and refused where it is another.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { migrateSqlite, sqliteStore } from '../../src/sqlite.ts'
import { sqliteMigrations } from '../../src/store/migrations/sqlite-migrations.ts'
import { loadSqlite } from '../../src/store/sqlite-library.ts'
import type { Migrations } from '../../src/store/migration-texts.ts'
import { migrationTexts } from '../../src/store/sqlite-migrate.ts'
import { inspectFile, migrateFile, prepareFile } from '../../src/store/sqlite-open.ts'
import { STATUSES, mayMove } from '../../src/proposal/status.ts'
import { commits, prepared } from '../../src/testing/store-conformance/steps.ts'
import { inserting } from '../../src/testing/store-conformance/sample-changes.ts'
import { sampleProposal } from '../../src/testing/store-conformance/sample-proposals.ts'
import { schemaDump } from './schema-dump.ts'
import { freshPath, rawRows, rawSql, removeFolderOf } from './sqlite-fixture.ts'

const DUMP = fileURLToPath(new URL('sqlite-schema.sql', import.meta.url))

/** What has been released. A checksum here is never edited; a migration that must change is followed by another. */
const CHECKSUMS = {
  '0001_initial': '7d5feb01f19e89c2a69d43c34e4fbdcd37aa71e6ca59b9f0a6daf2085dd7191f',
}

const later: Migrations = {
  ...sqliteMigrations,
  '0002_later': {
    async up(db) {
      await sql`create table later (id integer primary key) strict`.execute(db)
    },
  },
}

const paths: string[] = []

function newPath(): string {
  const path = freshPath()
  paths.push(path)
  return path
}

afterEach(() => {
  for (const path of paths.splice(0)) removeFolderOf(path)
})

describe('the schema', () => {
  it('is the one that is committed', async () => {
    const path = newPath()
    await migrateSqlite(path)

    const dump = schemaDump(path)

    if (process.env['UPDATE_SCHEMA_DUMP'] === '1') writeFileSync(DUMP, dump)
    expect(dump).toBe(readFileSync(DUMP, 'utf8'))
  })

  it('is made by migrations that do not change any more', async () => {
    const texts = await migrationTexts(sqliteMigrations)

    expect(Object.fromEntries(texts.map(({ name, checksum }) => [name, checksum]))).toEqual(CHECKSUMS)
  })

  it('names the tenant first in every key of a table that has one', () => {
    const keys = [...readFileSync(DUMP, 'utf8').matchAll(/CREATE TABLE "(\w+)"[^;]*?primary key \("(\w+)"/gu)]

    const exceptions = keys.filter(([, , first]) => first !== 'tenant').map(([, table]) => table)
    expect(keys.length).toBeGreaterThan(8)
    expect(exceptions).toEqual(['action_domains'])
  })

  it('has tables of strict types alone, apart from those of the migrator', async () => {
    const path = newPath()
    await migrateSqlite(path)

    const loose = rawRows<{ name: string }>(
      path,
      `select name from pragma_table_list where schema = 'main' and not strict`,
    )

    expect(
      loose
        .map(({ name }) => name)
        .filter((name) => !name.startsWith('sqlite_'))
        .toSorted(),
    ).toEqual(['kysely_migration', 'kysely_migration_lock'])
  })
})

describe('the lifecycle trigger', () => {
  it('and the lifecycle table agree on every pair of statuses', async () => {
    const path = newPath()
    await migrateSqlite(path)
    const [trigger] = rawRows<{ sql: string }>(path, `select sql from sqlite_schema where name = 'proposals_lifecycle'`)
    const condition = /when not ([\s\S]*)\nbegin/u.exec(trigger?.sql ?? '')?.[1] ?? ''

    const pairs = STATUSES.flatMap((from) => STATUSES.map((to) => ({ from, to })))
    const wrong = pairs.filter(({ from, to }) => {
      const asked = condition.replaceAll('old.status', `'${from}'`).replaceAll('new.status', `'${to}'`)
      const [answer] = rawRows<{ may: number }>(path, `select ${asked} as may`)
      return (answer?.may === 1) !== mayMove(from, to)
    })

    expect(pairs).toHaveLength(196)
    expect(wrong).toEqual([])
  })
})

describe('a migration', () => {
  it('is printed by a dry run, which leaves no file behind', async () => {
    const path = newPath()

    const { migrations } = await migrateSqlite(path, { dryRun: true })

    expect(migrations.map(({ name }) => name)).toEqual(['0001_initial'])
    expect(migrations[0]?.statements.join('\n')).toContain('create table "proposals"')
    expect(() => readFileSync(path)).toThrow('ENOENT')
  })

  it('is done once', async () => {
    const path = newPath()

    expect((await migrateSqlite(path)).migrations).toHaveLength(1)
    expect((await migrateSqlite(path)).migrations).toEqual([])
    expect((await migrateSqlite(path, { dryRun: true })).migrations).toEqual([])
  })

  it('that fails leaves nothing behind', async () => {
    const path = newPath()
    const failing: Migrations = {
      ...sqliteMigrations,
      '0002_failing': {
        async up(db) {
          await sql`create table half (id integer)`.execute(db)
          await sql`create table half (id integer)`.execute(db)
        },
      },
    }
    const file = { path, busyTimeoutMs: 1000, migrations: failing }

    await expect(migrateFile(loadSqlite(), file)).rejects.toThrow('The database failed.')

    expect(rawRows(path, 'select name from sqlite_schema')).toEqual([])
    expect(await inspectFile(loadSqlite(), file)).toEqual({ kind: 'new' })
  })

  it('brings an older database up to date and keeps what is in it', async () => {
    const path = newPath()
    const store = await sqliteStore(path)
    const live = await prepared(store)
    await store.close()
    const file = { path, busyTimeoutMs: 1000, migrations: later }

    expect(await inspectFile(loadSqlite(), file)).toMatchObject({ kind: 'older', pending: [{ name: '0002_later' }] })
    await migrateFile(loadSqlite(), file)

    expect(await inspectFile(loadSqlite(), file)).toEqual({ kind: 'current' })
    expect(rawRows(path, 'select ref from proposals')).toEqual([{ ref: live.proposal.ref }])
  })

  it('of many stores that open one new file at once is done by one', async () => {
    const path = newPath()

    const stores = await Promise.all(Array.from({ length: 5 }, () => sqliteStore(path)))

    expect(rawRows(path, 'select migration from schema_info')).toEqual([{ migration: '0001_initial' }])
    for (const store of stores) await commits(store, inserting(sampleProposal()))
    for (const store of stores) await store.close()
  })
})

describe('a database is refused', () => {
  it.each([
    [
      'of a newer version',
      async (path: string) => migrateFile(loadSqlite(), { path, busyTimeoutMs: 1000, migrations: later }),
      'The database was made by a newer version of countersign: it has the migration 0002_later.',
    ],
    [
      'whose migration was another',
      async (path: string) =>
        rawSql(path, `drop trigger schema_info_not_changed; update schema_info set checksum = 'x'`),
      'The migration 0001_initial of the database is not the one that this version knows.',
    ],
    [
      'without one of its triggers',
      async (path: string) => rawSql(path, 'drop trigger receipts_not_changed'),
      'The schema of the database is incomplete, or something else has changed it.',
    ],
    [
      'with another trigger in its place',
      async (path: string) =>
        rawSql(
          path,
          'drop trigger receipts_not_changed; create trigger receipts_not_changed before update on receipts begin select 1; end',
        ),
      'The schema of the database is incomplete, or something else has changed it.',
    ],
    [
      'without one of its tables',
      async (path: string) => rawSql(path, 'drop table events'),
      'The schema of the database is incomplete, or something else has changed it.',
    ],
    [
      'with another column',
      async (path: string) => rawSql(path, 'alter table events add column note text'),
      'The schema of the database is incomplete, or something else has changed it.',
    ],
    [
      'of which the migrator knows nothing',
      async (path: string) => rawSql(path, 'delete from kysely_migration'),
      'The schema of the database is incomplete, or something else has changed it.',
    ],
    [
      'that lost its own record of migrations',
      async (path: string) => rawSql(path, 'drop table schema_info'),
      'The schema of the database is incomplete, or something else has changed it.',
    ],
    [
      'of another application',
      async (path: string) => rawSql(path, 'pragma application_id = 1'),
      'The file is the database of another application.',
    ],
  ] as const)('%s', async (_what, spoil, sentence) => {
    const path = newPath()
    await migrateSqlite(path)

    await spoil(path)

    const refusal = { name: 'StoreUnavailable', message: `${sentence} File: ${path}` }
    await expect(sqliteStore(path)).rejects.toMatchObject(refusal)
    await expect(migrateSqlite(path)).rejects.toMatchObject(refusal)
  })

  it('that is to be migrated first', async () => {
    const path = newPath()
    await migrateSqlite(path)

    const opening = prepareFile(loadSqlite(), { path, busyTimeoutMs: 1000, migrations: later })

    await expect(opening).rejects.toThrow(
      `The database is of an older version: 0002_later must be run first. File: ${path}`,
    )
  })

  it('but not one to which an index was added', async () => {
    const path = newPath()
    await migrateSqlite(path)
    rawSql(path, 'create index for_reports on events (at)')

    const store = await sqliteStore(path)

    expect(await store.scrub()).toBe('done')
    await store.close()
  })
})
