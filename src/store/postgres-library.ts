// Loads the PostgreSQL driver, or says in one sentence what is missing; and what is used of it.
import { createRequire } from 'node:module'
import { StoreUnavailable } from '../proposal/errors.ts'

/**
 * What is used of a pool of the package `pg`. The driver has its types in a package of its own, which no user of the store
 * should need; so our declarations name none of them.
 */
export interface PostgresPool {
  connect(): Promise<PostgresPoolClient>
  on(event: 'error' | 'connect', listener: () => void): unknown
  removeListener(event: 'error' | 'connect', listener: () => void): unknown
  end(): Promise<void>
}

/** What is used of a connection that was taken out of a pool. */
export interface PostgresPoolClient {
  /** Whether it sends what it is asked without waiting for what was asked before; then a step is one round trip. */
  readonly pipeline?: boolean
  query(request: PostgresRequest): Promise<PostgresAnswer>
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  release(destroy?: boolean): void
}

/** A statement, never a named one: a pooler may send the next to another server process. */
export interface PostgresRequest {
  readonly text: string
  readonly values?: unknown[]
  readonly types: { getTypeParser(oid: number, format?: unknown): (value: string) => unknown }
  /** Milliseconds after which the driver gives up on an answer. */
  readonly query_timeout: number
}

/** What a statement brought back. */
export interface PostgresAnswer {
  readonly command: string
  readonly rowCount: number | null
  readonly rows: readonly unknown[]
}

interface PostgresLibrary {
  readonly Pool: new (options: {
    readonly connectionString: string
    readonly max: number
    readonly connectionTimeoutMillis: number
    readonly keepAlive: boolean
    readonly pipeline: boolean
  }) => PostgresPool
}

const CONNECT_LIMIT_MS = 10_000

/** A pool of connections of our own. @throws StoreUnavailable */
export function openPool(url: string, max: number): PostgresPool {
  const { Pool } = loadPostgres()
  const connectionTimeoutMillis = CONNECT_LIMIT_MS
  return new Pool({ connectionString: url, max, connectionTimeoutMillis, keepAlive: true, pipeline: true })
}

/** Loaded at the first use and not by an import, since it is an optional peer. @throws StoreUnavailable */
export function loadPostgres(): PostgresLibrary {
  try {
    return createRequire(import.meta.url)('pg') as PostgresLibrary
  } catch (cause) {
    throw new StoreUnavailable('The PostgreSQL store needs the package pg: npm install pg@8.', { cause })
  }
}
