// Kysely's view of a SQLite connection: to compile every statement, and to run the migrations.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { SqliteConnection } from './sqlite-connection.ts'

// SQLite can change its schema inside a transaction; Kysely's own adapter does not make use of that.
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** A dialect over one connection, or over any driver of the same language. */
export function sqliteDialect(driver: Driver): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Runs Kysely's queries on a connection; every transaction is a writing one, and one error ends it. */
export class SqliteDriver implements Driver {
  readonly #connection: SqliteConnection
  readonly #queries: DatabaseConnection

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#queries = {
      async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
        const { rows, changed } = connection.run({ sql: query.sql, parameters: query.parameters, isOnce: true })
        return { rows: rows as Row[], numAffectedRows: BigInt(changed) }
      },
      streamQuery() {
        throw new Error('Nothing is streamed from this driver')
      },
    }
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#queries
  }

  async beginTransaction(): Promise<void> {
    this.#connection.begin('immediate')
  }

  async commitTransaction(): Promise<void> {
    this.#connection.commit()
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection.rollback()
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}
