// The SQLite door: a durable store in one file.
export type { MigrationText } from './store/migration-texts.ts'
export {
  type SqliteMigrationResult,
  type SqliteStoreOptions,
  migrateSqlite,
  sqliteStore,
} from './store/sqlite-store.ts'
export { witnessFile } from './store/witness-file.ts'
