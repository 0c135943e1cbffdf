// Kysely's view of a PostgreSQL transaction: to compile every statement, and to run the migrations.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { PostgresTransaction } from './postgres-transaction.ts'

/** A dialect over any driver of the language. */
export function postgresDialect(driver: Driver): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** Runs Kysely's queries in a transaction that somebody else has begun and will end. */
export class PostgresTransactionDriver implements Driver {
  readonly #queries: DatabaseConnection

  constructor(transaction: PostgresTransaction) {
    this.#queries = {
      async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
        const { rows, changed } = await transaction.run({ sql, parameters, isOnce: true })
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

  async beginTransaction(): Promise<void> {}

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}
