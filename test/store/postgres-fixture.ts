// A PostgreSQL store in a schema of its own, with everything that can be done around it.
import process from 'node:process'
import { Client, DatabaseError, type QueryResultRow, escapeIdentifier } from 'pg'
import { inject } from 'vitest'
import type { Store } from '../../src/runtime/ports.ts'
import { type PostgresStoreOptions, postgresStore } from '../../src/postgres.ts'
import type { StoreUnderTest } from '../../src/testing/store-conformance.ts'
import type { Major } from '../postgres/server.ts'

/** Options beside the address. */
export type PostgresOptions = Pick<PostgresStoreOptions, 'clock' | 'onCorruptRow'>

const databases = new Map<Major, Promise<string>>()

/**
 * The address of a database on the shared server of a major. Each process has one of its own: what a transaction of one
 * could still see is not scrubbed from the tables of another.
 */
export async function serverUrl(major: Major = '18'): Promise<string> {
  const database = databases.get(major) ?? newDatabase(major)
  databases.set(major, database)
  return database
}

async function newDatabase(major: Major): Promise<string> {
  const answer = await fetch(`${inject('postgresStarter')}/${major}`)
  if (!answer.ok) throw new Error(await answer.text())
  const url = await answer.text()
  const name = `tests_${process.pid}`
  await rawSql(url, 'public', `create database ${name}`)
  return url.replace(/postgres$/u, name)
}

/** Schemas that are as good as new, by the address of their server: making one takes longer than most tests. */
const emptied = new Map<string, string[]>()

let schemas = 0

/** A name that only works where it is quoted. */
export function freshSchema(): string {
  schemas += 1
  return `Store "${process.pid}" ${schemas}`
}

export interface OpenedPostgres extends Required<StoreUnderTest> {
  readonly url: string
  readonly schema: string
}

/** Opens a store in a new schema. */
export async function openPostgres(options: PostgresOptions = {}, major: Major = '18'): Promise<OpenedPostgres> {
  const url = await serverUrl(major)
  const schema = emptied.get(url)?.pop() ?? freshSchema()
  let isSound = true
  const opened: Store[] = []
  const open = async (): Promise<Store> => {
    const store = await postgresStore({ url, schema, connectionsMax: 4, ...options })
    opened.push(store)
    return store
  }
  const store = await open()
  return {
    url,
    schema,
    store,
    second: open,
    async reopen() {
      await store.close()
      return open()
    },
    attack: async (sql) => {
      await rawSql(url, schema, spokenHere(sql))
    },
    tamper: async (sql) => {
      isSound = false
      await withoutGuards(url, schema, spokenHere(sql))
    },
    async close() {
      for (const one of opened) await one.close()
      if (!isSound) return
      await rawSql(url, schema, EMPTIED)
      emptied.set(url, [...(emptied.get(url) ?? []), schema])
    },
  }
}

// As it was made, but for the name of the store, which must be another one.
const EMPTIED = `set session_replication_role to replica;
truncate proposals, approvals, receipts, keys, request_keys, unscrubbed, effects, attempts, observations, calls,
  call_attempts, events, delivery_endpoints, deliveries, changes, action_domains, store_identity, store_counts, restores;
alter sequence events_positions restart;
insert into store_identity (id, store_id) values (1, replace(gen_random_uuid()::text, '-', ''));
insert into store_counts (id, admissions, erasures) values (1, 0, 0)`

/** Runs SQL as the owner of a schema could; answers the rows of the last statement. */
export async function rawSql<Row extends QueryResultRow>(url: string, schema: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`set search_path to ${escapeIdentifier(schema)}`)
    const answers = [await client.query<Row>(sql)].flat()
    return answers.at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}

/** Runs SQL with triggers and foreign keys off, and takes away the constraints that would still refuse it. */
async function withoutGuards(url: string, schema: string, sql: string): Promise<void> {
  for (;;) {
    try {
      await rawSql(url, schema, `set session_replication_role to replica; ${sql}`)
      return
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error
      const { code, table = '', constraint = '', column = '' } = error
      if (code === '23514') await rawSql(url, schema, `alter table ${table} drop constraint ${constraint}`)
      else if (code === '23502') await rawSql(url, schema, `alter table ${table} alter ${column} drop not null`)
      else throw error
    }
  }
}

// The cases are written for SQLite where the languages differ: bytes, and the insertion that replaces.
function spokenHere(sql: string): string {
  return sql
    .replaceAll(/x'([0-9a-f]*)'/gu, String.raw`'\x$1'::bytea`)
    .replaceAll('insert or replace into', 'insert into')
}
