// The PostgreSQL door: a durable store that any number of machines share.
export type { MigrationText } from './store/migration-texts.ts'
export { POSTGRES_ROLES, type PostgresRoles, postgresGrants } from './store/postgres-grants.ts'
export type { PostgresAnswer, PostgresPool, PostgresPoolClient, PostgresRequest } from './store/postgres-library.ts'
export {
  type PostgresAddress,
  type PostgresMigrationResult,
  type PostgresStoreOptions,
  migratePostgres,
  postgresStore,
} from './store/postgres-store.ts'
