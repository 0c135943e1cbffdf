// One connection to a SQLite file, whose transactions are poisoned by their first error.
import type { Ran } from './operation.ts'
import type { SqliteDatabase, SqliteStatement } from './sqlite-library.ts'
import type { Bound } from './statement.ts'

/**
 * COMMIT failed. That is no rollback: the change may be found when the file is next opened. Spec: reliability F5.
 */
export class CommitFailed extends Error {
  override readonly name = 'CommitFailed'
}

/** How a transaction begins: writers take the lock at once, since a reader that turns writer fails at once (F3). */
export type TransactionMode = 'immediate' | 'deferred'

/**
 * After an error inside a transaction SQLite may have rolled back by itself, and whatever is executed next would be
 * committed on its own. So a transaction remembers its first error and runs nothing after it, and it is looked at before
 * each statement and before COMMIT. Spec: reliability F4, rules R13.
 */
export class SqliteConnection {
  readonly #database: SqliteDatabase
  readonly #statements = new Map<string, SqliteStatement>()
  #transaction: { failure: Error | null } | null = null

  constructor(database: SqliteDatabase) {
    this.#database = database
  }

  begin(mode: TransactionMode): void {
    if (this.#transaction !== null) throw new Error('A transaction is open already')
    this.#prepared(mode === 'immediate' ? 'begin immediate' : 'begin').run()
    this.#transaction = { failure: null }
  }

  run({ sql, parameters, isOnce }: Bound<unknown>): Ran {
    this.#assertSound()
    try {
      const statement = isOnce === true ? this.#database.prepare(sql) : this.#prepared(sql)
      if (statement.reader) return { rows: statement.all(...parameters), changed: 0 }
      return { rows: [], changed: statement.run(...parameters).changes }
    } catch (error) {
      throw this.#poisoned(error)
    }
  }

  /** @throws CommitFailed if the database did not confirm; the first error if there was one before. */
  commit(): void {
    this.#assertSound()
    try {
      this.#prepared('commit').run()
    } catch (cause) {
      throw new CommitFailed('The database did not confirm the commit', { cause })
    }
    this.#transaction = null
  }

  /** Ends the transaction whatever state it is in. */
  rollback(): void {
    this.#transaction = null
    if (this.#database.inTransaction) this.#prepared('rollback').run()
  }

  /** The value of a pragma, or the answer to one that acts. */
  pragma(text: string): unknown {
    return this.#database.pragma(text, { simple: true })
  }

  close(): void {
    this.#database.close()
  }

  #assertSound(): void {
    if (this.#transaction === null) return
    if (this.#transaction.failure !== null) throw this.#transaction.failure
    if (!this.#database.inTransaction) throw this.#poisoned(new Error('The transaction has ended by itself'))
  }

  #poisoned(error: unknown): Error {
    const failure = error instanceof Error ? error : new Error('The database failed', { cause: error })
    if (this.#transaction !== null) this.#transaction.failure ??= failure
    return failure
  }

  #prepared(sql: string): SqliteStatement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
