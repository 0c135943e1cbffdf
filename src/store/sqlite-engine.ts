// Runs operations on a SQLite file, each in one transaction and without a pause inside it.
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../proposal/errors.ts'
import type { Engine } from './engine.ts'
import type { Operation } from './operation.ts'
import { CommitFailed, type SqliteConnection, type TransactionMode } from './sqlite-connection.ts'
import { definiteFailure, sqliteCode } from './sqlite-errors.ts'
import { scrubbed } from './sqlite-scrub.ts'

/**
 * One connection is enough: an operation never pauses, so no two of them overlap in this process, and no reader sees
 * half of a change. Other processes are kept out by the locks of the file.
 */
export class SqliteEngine implements Engine {
  readonly #connect: () => SqliteConnection
  readonly #demandInPlace: () => void
  #connection: SqliteConnection | null = null
  #isClosed = false

  /**
   * `connect` opens the file anew; it is called at the first use and after a commit that was not confirmed.
   * `demandInPlace` is called before every operation and throws if the file is not the one any more that was opened.
   */
  constructor(connect: () => SqliteConnection, demandInPlace: () => void = () => {}) {
    this.#connect = connect
    this.#demandInPlace = demandInPlace
  }

  async read<Result>(operation: () => Operation<Result>): Promise<Result> {
    return this.#definite(() => this.#transact('deferred', operation))
  }

  async write<Result>(operation: () => Operation<Result>, isKept: (result: Result) => boolean): Promise<Result> {
    try {
      return this.#transact('immediate', operation, isKept)
    } catch (error) {
      if (!(error instanceof CommitFailed)) throw this.#failed(error)
      if (sqliteCode(error.cause)?.startsWith('SQLITE_CONSTRAINT') === true) throw definiteFailure(error.cause)
      return this.#again(operation, isKept, error)
    }
  }

  // Takes about ten seconds for a gigabyte, in which this process does nothing else and no other one writes.
  async scrub(): Promise<'done' | 'busy'> {
    return this.#definite(() => scrubbed(this.#open()))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#disconnect()
  }

  // Whether the first try has landed is not asked of this connection, which may know no better: a fresh one reads the file.
  // Only a commit settles it. A result that is not kept writes nothing, so what the first try left in the log may still be
  // found by a recovery: a change that is too late by now would then have landed all the same.
  #again<Result>(operation: () => Operation<Result>, isKept: (result: Result) => boolean, first: CommitFailed): Result {
    this.#disconnect()
    try {
      const result = this.#transact('immediate', operation, isKept)
      if (isKept(result)) return result
    } catch {
      this.#disconnect()
    }
    throw new PersistenceOutcomeUnknown(null, { cause: first.cause })
  }

  #transact<Result>(
    mode: TransactionMode,
    operation: () => Operation<Result>,
    isKept: (result: Result) => boolean = () => true,
  ): Result {
    const connection = this.#open()
    connection.begin(mode)
    try {
      const result = run(connection, operation())
      if (isKept(result)) connection.commit()
      else connection.rollback()
      return result
    } catch (error) {
      this.#abandon(connection)
      throw error
    }
  }

  // The first error is what happened; one that the rollback adds to it only means that the connection is of no more use.
  #abandon(connection: SqliteConnection): void {
    try {
      connection.rollback()
    } catch {
      this.#disconnect()
    }
  }

  #definite<Result>(act: () => Result): Result {
    try {
      return act()
    } catch (error) {
      throw this.#failed(error instanceof CommitFailed ? error.cause : error)
    }
  }

  #failed(error: unknown): unknown {
    const code = sqliteCode(error)
    if (code !== null && CONNECTION_ENDING.some((start) => code.startsWith(start))) this.#disconnect()
    return definiteFailure(error)
  }

  #open(): SqliteConnection {
    if (this.#isClosed) throw new StoreUnavailable('The store is closed.')
    this.#demandInPlace()
    this.#connection ??= this.#connect()
    return this.#connection
  }

  #disconnect(): void {
    const connection = this.#connection
    this.#connection = null
    try {
      connection?.close()
    } catch {
      // It held nothing that was acknowledged and not yet on the disk.
    }
  }
}

/** After these the file is opened anew by the next operation. */
const CONNECTION_ENDING = ['SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CANTOPEN', 'SQLITE_READONLY']

// After an error the operation is not resumed, so nothing that would have followed it can run.
function run<Result>(connection: SqliteConnection, operation: Operation<Result>): Result {
  let step = operation.next()
  while (step.done !== true) step = operation.next(connection.run(step.value))
  return step.value
}
