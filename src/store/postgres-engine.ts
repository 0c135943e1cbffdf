// Runs operations on a PostgreSQL database, each in one short transaction on one connection of a pool.
import { setTimeout as pause } from 'node:timers/promises'
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../proposal/errors.ts'
import type { Engine } from './engine.ts'
import type { Operation } from './operation.ts'
import { CommitUnconfirmed, DatabaseFailure, definiteFailure, runsOf } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-library.ts'
import type { Openings } from './postgres-settings.ts'
import { PostgresTransaction } from './postgres-transaction.ts'

const PAUSE_MS = 10

/** What the engine is made of. */
export interface PostgresEngineParts {
  readonly pool: PostgresPool
  readonly openings: Openings
  readonly scrub: () => Promise<'done' | 'busy'>
  /** Lets go of the pool. */
  readonly release: () => Promise<void>
}

/**
 * Safety rests on conditional updates, locked rows and unique keys, not on isolation (reliability F8). What two
 * transactions did at once is run again; a COMMIT without an answer is tried once more, since a change lands once.
 */
export class PostgresEngine implements Engine {
  readonly #parts: PostgresEngineParts
  #isClosed = false

  constructor(parts: PostgresEngineParts) {
    this.#parts = parts
  }

  async read<Result>(operation: () => Operation<Result>): Promise<Result> {
    return this.#repeated(() => this.#transact(this.#parts.openings.read, operation, () => false))
  }

  async write<Result>(operation: () => Operation<Result>, isKept: (result: Result) => boolean): Promise<Result> {
    const { write } = this.#parts.openings
    return this.#repeated(
      () => this.#transact(write, operation, isKept),
      (lost) => this.#again(operation, isKept, lost),
    )
  }

  async scrub(): Promise<'done' | 'busy'> {
    this.#assertOpen()
    try {
      return await this.#parts.scrub()
    } catch (error) {
      throw definiteFailure(error)
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#parts.release()
  }

  // Only a commit settles whether the first try has landed. A result that is not kept writes nothing, and the first try may
  // still be on its way to the server: it would then land after we had said that it has not.
  async #again<Result>(
    operation: () => Operation<Result>,
    isKept: (result: Result) => boolean,
    lost: CommitUnconfirmed,
  ): Promise<Result> {
    const { write } = this.#parts.openings
    try {
      const result = await this.#repeated(() => this.#transact(write, operation, isKept))
      if (isKept(result)) return result
    } catch {
      // What became of the first try is as open as before.
    }
    throw new PersistenceOutcomeUnknown(null, { cause: lost })
  }

  // Each run is a transaction of its own, of which nothing was stored when it failed, unless its commit was lost.
  async #repeated<Result>(
    transact: () => Promise<Result>,
    onLost?: (lost: CommitUnconfirmed) => Promise<Result>,
  ): Promise<Result> {
    for (let runs = 1; ; runs += 1) {
      try {
        return await transact()
      } catch (error) {
        if (error instanceof CommitUnconfirmed) {
          if (onLost === undefined) throw new PersistenceOutcomeUnknown(null, { cause: error })
          return onLost(error)
        }
        if (!(error instanceof DatabaseFailure) || runs >= runsOf(error)) throw definiteFailure(error)
        await pause(PAUSE_MS * 2 ** runs)
      }
    }
  }

  async #transact<Result>(
    opening: string,
    operation: () => Operation<Result>,
    isKept: (result: Result) => boolean,
  ): Promise<Result> {
    this.#assertOpen()
    const transaction = await PostgresTransaction.begin(this.#parts.pool, opening)
    try {
      const result = await run(transaction, operation())
      if (isKept(result)) await transaction.commit()
      else await transaction.rollback()
      return result
    } catch (error) {
      await transaction.rollback()
      throw error
    } finally {
      transaction.end()
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable('The store is closed.')
  }
}

// After an error the operation is not resumed, so nothing that would have followed it can run.
async function run<Result>(transaction: PostgresTransaction, operation: Operation<Result>): Promise<Result> {
  let step = operation.next()
  while (step.done !== true) step = operation.next(await transaction.run(step.value))
  return step.value
}
