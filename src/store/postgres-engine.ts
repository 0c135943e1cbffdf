// Runs operations on a PostgreSQL database, each in one short transaction on one connection of a pool.
import { setTimeout as pause } from 'node:timers/promises'
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../proposal/errors.ts'
import { alone, type Engine, type Write } from './engine.ts'
import type { Outcome } from './group-commit.ts'
import { type Operation, together } from './operation.ts'
import { CommitUnconfirmed, DatabaseFailure, definiteFailure, runsOf } from './postgres-errors.ts'
import type { PostgresPool } from './postgres-library.ts'
import type { Openings } from './postgres-settings.ts'
import { PostgresTransaction } from './postgres-transaction.ts'
import { TenantGroups } from './tenant-groups.ts'

const PAUSE_MS = 10

/** What the engine is made of. */
export interface PostgresEngineParts {
  readonly pool: PostgresPool
  readonly openings: Openings
  /** How many writes share a commit at most. */
  readonly changesPerCommit: number
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
  readonly #groups: TenantGroups
  #isClosed = false

  constructor(parts: PostgresEngineParts) {
    this.#parts = parts
    this.#groups = new TenantGroups(parts.changesPerCommit, (writes) => this.#together(writes))
  }

  async read<Result>(operation: () => Operation<Result>): Promise<Result> {
    const write = { ...alone(operation), isKept: () => false }
    return this.#repeated(() => this.#transact(this.#parts.openings.read, write))
  }

  async write<Result>(write: Write<Result>): Promise<Result> {
    return write.shares === null ? this.#alone(write) : this.#groups.commit(write, write.shares)
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
    await this.#groups.answered()
    this.#isClosed = true
    await this.#parts.release()
  }

  // What failed together is done one by one, so that each write meets its own errors and none of another.
  async #together(writes: readonly Write<unknown>[]): Promise<readonly Outcome[]> {
    const [first, ...others] = writes
    if (first !== undefined && others.length > 0) {
      try {
        const results = await this.#transact(this.#parts.openings.shared, all(writes))
        return results.map((value) => ({ status: 'fulfilled', value }))
      } catch (error) {
        if (error instanceof CommitUnconfirmed) {
          return Promise.allSettled(writes.map((write) => this.#again(write, error)))
        }
      }
    }
    return Promise.allSettled(writes.map((write) => this.#alone(write)))
  }

  async #alone<Result>(write: Write<Result>): Promise<Result> {
    return this.#repeated(
      () => this.#transact(this.#parts.openings.write, write),
      (lost) => this.#again(write, lost),
    )
  }

  // Only a commit settles whether the first try has landed. A result that is not kept writes nothing, and the first try may
  // still be on its way to the server: it would then land after we had said that it has not.
  async #again<Result>(write: Write<Result>, lost: CommitUnconfirmed): Promise<Result> {
    try {
      const result = await this.#repeated(() => this.#transact(this.#parts.openings.write, write))
      if (write.isKept(result)) return result
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

  async #transact<Result>(opening: string, { operation, isKept }: Kept<Result>): Promise<Result> {
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

type Kept<Result> = Pick<Write<Result>, 'operation' | 'isKept'>

/** Writes as one, whose steps are theirs side by side. */
function all(writes: readonly Write<unknown>[]): Kept<readonly unknown[]> {
  return {
    operation: () => together(writes.map((write) => write.operation())),
    isKept: (results) => writes.some((write, index) => write.isKept(results[index])),
  }
}

// After an error the operation is not resumed, so nothing that would have followed it can run.
async function run<Result>(transaction: PostgresTransaction, operation: Operation<Result>): Promise<Result> {
  let step = operation.next()
  while (step.done !== true) step = operation.next(await transaction.runAll(step.value))
  return step.value
}
