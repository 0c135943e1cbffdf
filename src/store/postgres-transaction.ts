// One transaction on a connection that was taken out of a pool and goes back into it, or is thrown away.
import type { Ran } from './operation.ts'
import { CommitUnconfirmed, DatabaseFailure, isDisconnecting, isRefusedCommit } from './postgres-errors.ts'
import type { PostgresAnswer, PostgresPool, PostgresPoolClient, PostgresRequest } from './postgres-library.ts'
import { postgresTypes } from './postgres-types.ts'
import type { Bound } from './statement.ts'

/**
 * Longer than the server takes to give up by itself, so that its own word comes first. A connection that answers nothing
 * for so long is thrown away.
 */
const ANSWER_LIMIT_MS = 30_000

// An error of a connection that nobody waits for would end the process; whoever waits is told by a rejection.
const unheard = (): void => {}

/** After an error the operation is abandoned, and the server runs nothing more in the transaction. Spec: reliability F4. */
export class PostgresTransaction {
  readonly #client: PostgresPoolClient
  #isLost = false
  /** The first error is what happened: whatever is asked afterwards fails with it. */
  #failure: DatabaseFailure | null = null

  private constructor(client: PostgresPoolClient) {
    this.#client = client
  }

  /** Takes a connection and sends it the opening: BEGIN, and settings that end with the transaction. @throws DatabaseFailure */
  static async begin(pool: PostgresPool, opening: string): Promise<PostgresTransaction> {
    const client = await taken(pool)
    const transaction = new PostgresTransaction(client)
    try {
      await transaction.#ask({ text: opening })
      return transaction
    } catch (error) {
      transaction.#isLost = true
      transaction.end()
      throw error
    }
  }

  /** @throws DatabaseFailure */
  async run({ sql, parameters }: Bound<unknown>): Promise<Ran> {
    if (this.#failure !== null) throw this.#failure
    const { rows, rowCount, command } = await this.#ask({ text: sql, values: [...parameters] })
    return { rows, changed: command === 'SELECT' ? 0 : (rowCount ?? 0) }
  }

  /** @throws CommitUnconfirmed if the change may have landed, DatabaseFailure if it has not */
  async commit(): Promise<void> {
    let answer: PostgresAnswer
    try {
      answer = await this.#ask({ text: 'commit' })
    } catch (error) {
      if (error instanceof DatabaseFailure && isRefusedCommit(error.sqlState)) throw error
      this.#isLost = true
      throw new CommitUnconfirmed(error)
    }
    // A transaction that had failed is rolled back by COMMIT, and that is no error to the server.
    if (answer.command !== 'COMMIT') throw new Error('The transaction had failed before it was committed')
  }

  /** Ends the transaction whatever state it is in. */
  async rollback(): Promise<void> {
    if (this.#isLost) return
    try {
      await this.#ask({ text: 'rollback' })
    } catch {
      this.#isLost = true
    }
  }

  /** Gives the connection back. */
  end(): void {
    this.#client.removeListener('error', unheard)
    // A connection that is thrown away may still fail, and nobody is left to be told.
    if (this.#isLost) this.#client.on('error', unheard)
    this.#client.release(this.#isLost)
  }

  async #ask(request: Pick<PostgresRequest, 'text' | 'values'>): Promise<PostgresAnswer> {
    try {
      return await this.#client.query({ ...request, types: postgresTypes, query_timeout: ANSWER_LIMIT_MS })
    } catch (error) {
      const failure = new DatabaseFailure(error)
      if (isDisconnecting(failure.sqlState)) this.#isLost = true
      this.#failure ??= failure
      throw failure
    }
  }
}

async function taken(pool: PostgresPool): Promise<PostgresPoolClient> {
  try {
    const client = await pool.connect()
    client.on('error', unheard)
    return client
  } catch (error) {
    throw new DatabaseFailure(error, { isConnecting: true })
  }
}
