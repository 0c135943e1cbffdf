// A pool whose connections are interfered with: something is done before a statement is sent, or after it was answered.
import { setImmediate } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'
import { onTestFinished } from 'vitest'
import type { PostgresPool, PostgresRequest } from '../../src/postgres.ts'
import { rawSql } from './postgres-fixture.ts'

/** What is done around the statements of a pool; `client` is the real connection. */
export interface Interference {
  readonly before?: (text: string, client: PoolClient) => Promise<void>
  readonly after?: (text: string, client: PoolClient) => Promise<void>
}

/** A pool that is ended when the test is over. */
export function realPool(url: string, max = 4): Pool {
  const pool = new Pool({ connectionString: url, max })
  pool.on('error', () => {})
  onTestFinished(() => pool.end())
  return pool
}

export function interferingPool(url: string, { before, after }: Interference): PostgresPool {
  const pool = realPool(url)
  return {
    async connect() {
      const client = await pool.connect()
      return {
        async query({ values, ...request }: PostgresRequest) {
          await before?.(request.text, client)
          const answer = await client.query(values === undefined ? request : { ...request, values })
          await after?.(request.text, client)
          return answer
        },
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (destroy) => client.release(destroy),
      }
    },
    on: (event, listener) => pool.on(event, listener),
    removeListener: (event, listener) => pool.removeListener(event, listener),
    end: () => pool.end(),
  }
}

/** Sends away whoever is behind a connection, as an administrator does, and waits until it is gone. */
export async function terminated(url: string, pid: number): Promise<void> {
  await rawSql(url, 'public', `select pg_terminate_backend(${pid}, 10000)`)
}

/** The process of the server behind a connection. */
export async function pidOf(client: { query(text: string): Promise<{ rows: { pid: number }[] }> }): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  if (rows[0] === undefined) throw new Error('A connection has a process')
  return rows[0].pid
}

/** Cuts a connection at its COMMIT: before that is sent, or once it was done. */
export async function cutAtCommit(url: string, client: PoolClient, when: 'before' | 'after'): Promise<void> {
  client.on('error', () => {})
  const pid = await pidOf(client).catch(() => null)
  if (pid !== null) await terminated(url, pid)
  if (when === 'after') throw new Error('Connection terminated unexpectedly')
}

/** Until somebody waits for a lock on a name, or until what else is awaited is there. */
export async function untilWaiting(url: string, other: Promise<unknown> = new Promise(() => {})): Promise<void> {
  const sql = `select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`
  const isThere = other.then(
    () => true,
    () => true,
  )
  for (;;) {
    const waiting = rawSql(url, 'public', sql).then((rows) => rows.length > 0)
    if ((await waiting) || (await Promise.race([isThere, setImmediate(false)]))) return
  }
}
