// The migrations of a SQLite store, by name and in order. One that was released is never edited: another follows it.
import type { Migration } from 'kysely/migration'
import { sqliteCapabilities } from '../sqlite-capabilities.ts'
import { initialMigration } from './initial.ts'

/**
 * Numbered, frozen, and checksummed over the statements that they run: what has run is compared with what stands here
 * whenever a store is opened.
 */
export const sqliteMigrations: Readonly<Record<string, Migration>> = {
  '0001_initial': initialMigration(sqliteCapabilities),
}
