// Runs operations on a SQLite file, each in one transaction and without a pause inside it.
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../proposal/errors.ts'
import type { Engine, Write } from './engine.ts'
import { GroupCommit, type Outcome } from './group-commit.ts'
import type { Operation, Ran } from './operation.ts'
import { CommitFailed, type SqliteConnection, type TransactionMode } from './sqlite-connection.ts'
import { definiteFailure, sqliteCode } from './sqlite-errors.ts'
import { scrubbed } from './sqlite-scrub.ts'

/** What may differ between engines over SQLite files. */
export interface SqliteEngineOptions {
  readonly demandInPlace?: () => void
  /** How many writes share a commit at most; 1 by default. */
  readonly changesPerCommit?: number
}

/**
 * One connection is enough: an operation never pauses, so no two of them overlap in this process, and no reader sees
 * half of a change. Other processes are kept out by the locks of the file.
 */
export class SqliteEngine implements Engine {
  readonly #connect: () => SqliteConnection
  readonly #demandInPlace: () => void
  readonly #group: GroupCommit
  #connection: SqliteConnection | null = null
  #isClosed = false

  /**
   * `connect` opens the file anew; it is called at the first use and after a commit that was not confirmed.
   * `demandInPlace` is called before every operation and throws if the file is not the one any more that was opened.
   */
  constructor(connect: () => SqliteConnection, { demandInPlace, changesPerCommit = 1 }: SqliteEngineOptions = {}) {
    this.#connect = connect
    this.#demandInPlace = demandInPlace ?? (() => {})
    this.#group = new GroupCommit(changesPerCommit, async (writes) => this.#together(writes))
  }

  async read<Result>(operation: () => Operation<Result>): Promise<Result> {
    return this.#definite(() => this.#transact('deferred', [{ operation, isKept: () => true }])[0] as Result)
  }

  async write<Result>(write: Write<Result>): Promise<Result> {
    if (write.shares !== null) return this.#group.commit(write, write.shares.rows)
    return resultOf(this.#together([write])) as Result
  }

  // Takes about ten seconds for a gigabyte, in which this process does nothing else and no other one writes.
  async scrub(): Promise<'done' | 'busy'> {
    return this.#definite(() => scrubbed(this.#open()))
  }

  async close(): Promise<void> {
    await this.#group.answered()
    this.#isClosed = true
    this.#disconnect()
  }

  // What failed together is done one by one, so that each write meets its own errors and none of another. That there was no
  // transaction at all is everybody's: nobody waits once more for another process that writes.
  #together(writes: readonly Write<unknown>[]): readonly Outcome[] {
    let connection: SqliteConnection
    try {
      connection = this.#begun('immediate')
    } catch (error) {
      const reason = this.#failed(error)
      return writes.map(() => ({ status: 'rejected', reason }))
    }
    try {
      return this.#finished(connection, writes).map((value) => ({ status: 'fulfilled', value }))
    } catch (error) {
      if (isUnconfirmed(error)) return writes.map((write) => settled(() => this.#again(write, error)))
      const reason = this.#failed(error instanceof CommitFailed ? error.cause : error)
      return writes.length === 1 ? [{ status: 'rejected', reason }] : writes.flatMap((write) => this.#together([write]))
    }
  }

  // Whether the first try has landed is not asked of this connection, which may know no better: a fresh one reads the file.
  // Only a commit settles it. A result that is not kept writes nothing, so what the first try left in the log may still be
  // found by a recovery: a change that is too late by now would then have landed all the same.
  #again<Result>(write: Write<Result>, first: CommitFailed): Result {
    this.#disconnect()
    try {
      const result = this.#transact('immediate', [write])[0] as Result
      if (write.isKept(result)) return result
    } catch {
      this.#disconnect()
    }
    throw new PersistenceOutcomeUnknown(null, { cause: first.cause })
  }

  #transact(mode: TransactionMode, writes: readonly Kept[]): readonly unknown[] {
    return this.#finished(this.#begun(mode), writes)
  }

  #begun(mode: TransactionMode): SqliteConnection {
    const connection = this.#open()
    connection.begin(mode)
    return connection
  }

  #finished(connection: SqliteConnection, writes: readonly Kept[]): readonly unknown[] {
    try {
      let isKept = false
      const results = writes.map((write) => {
        const result = run(connection, write.operation())
        isKept ||= write.isKept(result)
        return result
      })
      if (isKept) connection.commit()
      else connection.rollback()
      return results
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

type Kept = Pick<Write<unknown>, 'operation' | 'isKept'>

/** After these the file is opened anew by the next operation. */
const CONNECTION_ENDING = ['SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CANTOPEN', 'SQLITE_READONLY']

/** Whether a commit was not confirmed, and may have landed: a constraint that refuses it says that it has not. */
function isUnconfirmed(error: unknown): error is CommitFailed {
  return error instanceof CommitFailed && sqliteCode(error.cause)?.startsWith('SQLITE_CONSTRAINT') !== true
}

function resultOf([outcome]: readonly Outcome[]): unknown {
  if (outcome?.status === 'fulfilled') return outcome.value
  throw outcome?.reason
}

function settled(act: () => unknown): Outcome {
  try {
    return { status: 'fulfilled', value: act() }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}

// After an error the operation is not resumed, so nothing that would have followed it can run.
function run<Result>(connection: SqliteConnection, operation: Operation<Result>): Result {
  let step = operation.next()
  while (step.done !== true) {
    const ran: Ran[] = []
    for (const statement of step.value) ran.push(connection.run(statement))
    step = operation.next(ran)
  }
  return step.value
}
