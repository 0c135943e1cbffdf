// The migrations of a PostgreSQL store, by name and in order. One that was released is never edited: another follows it.
import type { Migration } from 'kysely/migration'
import { postgresCapabilities } from '../postgres-capabilities.ts'
import { initialMigration } from './initial.ts'

/** Numbered, frozen, and checksummed over the statements that they run, none of which names the schema. */
export const postgresMigrations: Readonly<Record<string, Migration>> = {
  '0001_initial': initialMigration(postgresCapabilities),
}
