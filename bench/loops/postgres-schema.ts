// The schema of a limit loop on PostgreSQL: our own, without its triggers, as they look for rows of statements before.
import { migratePostgres } from 'countersign/postgres'
import { oneQuery } from '../postgres-place.ts'
import { SCHEMA } from './written.ts'

/** How a loop numbers an event, since no trigger does. */
export function eventNumbers(table: string): Readonly<Record<string, string>> {
  return table === 'events' ? { position: `nextval('events_positions')` } : {}
}

/** What a connection of a loop begins with. */
export const SEARCH_PATH = `-c search_path=${SCHEMA}`

/** Makes the tables; those of the triggers that hold foreign keys stay in any case. */
export async function preparePostgresLoop(url: string): Promise<void> {
  await migratePostgres({ url, schema: SCHEMA })
  const tables = await oneQuery<{ name: string }>(
    url,
    `select table_name as name from information_schema.tables where table_schema = '${SCHEMA}'`,
  )
  for (const { name } of tables) await oneQuery(url, `alter table ${SCHEMA}."${name}" disable trigger user`)
}
