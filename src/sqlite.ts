// The SQLite door: a durable store in one file.
export type { MigrationText } from './store/sqlite-migrate.ts'
export {
  type SqliteMigrationResult,
  type SqliteStoreOptions,
  migrateSqlite,
  sqliteStore,
} from './store/sqlite-store.ts'
