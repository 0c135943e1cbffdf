// The store that several processes share: a database file, or a schema of a PostgreSQL database.
import type { Store } from '../../../src/runtime/ports.ts'
import { postgresStore } from '../../../src/store/postgres-store.ts'
import { sqliteStore } from '../../../src/store/sqlite-store.ts'

/** Where a schema of a database is: what a process is told of it. */
export interface SharedSchema {
  readonly url: string
  readonly schema: string
}

/** Opens it, by the path of the file or by a {@link SharedSchema} as JSON. */
export async function openShared(place: string): Promise<Store> {
  if (!place.startsWith('{')) return sqliteStore(place, { busyTimeoutMs: 60_000 })
  const { url, schema } = JSON.parse(place) as SharedSchema
  return postgresStore({ url, schema, connectionsMax: 4 })
}
