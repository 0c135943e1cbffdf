// A PostgreSQL server of the bench's own, as durable as one in production, and databases on it.
import { Client } from 'pg'
import { newServer } from '../test/postgres/server.ts'

/** A server that is gone when it is closed. */
export interface PostgresPlace {
  /** A fresh database; its address. */
  database(): Promise<string>
  close(): Promise<void>
}

/** Everything at its default, but for memory and log enough that no checkpoint falls into one slice and not into the next. */
const DURABLE = [
  'fsync=on',
  'synchronous_commit=on',
  'shared_buffers=256MB',
  'max_wal_size=8GB',
  'checkpoint_timeout=1h',
]

export async function postgresPlace(more: readonly string[] = []): Promise<PostgresPlace> {
  const server = await newServer('18', [...DURABLE, ...more])
  let databases = 0
  return {
    async database() {
      databases += 1
      const name = `bench_${databases}`
      await oneQuery(server.url, `create database ${name}`)
      return server.url.replace(/postgres$/u, name)
    },
    close: () => server.remove(),
  }
}

/** Asks one question on a connection of its own; answers its rows. */
export async function oneQuery<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    const answers = [await client.query<Row>(sql)].flat()
    return answers.at(-1)?.rows ?? []
  } finally {
    await client.end()
  }
}
