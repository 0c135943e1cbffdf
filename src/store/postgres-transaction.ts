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
  /** Until it is sent: BEGIN, and settings that end with the transaction. */
  #opening: string | null
  #isLost = false
  /** The first error is what happened: whatever is asked afterwards fails with it. */
  #failure: DatabaseFailure | null = null

  private constructor(client: PostgresPoolClient, opening: string) {
    this.#client = client
    this.#opening = opening
  }

  /** Takes a connection, on which the opening is sent before or with the first statements. @throws DatabaseFailure */
  static async begin(pool: PostgresPool, opening: string): Promise<PostgresTransaction> {
    return new PostgresTransaction(await taken(pool), opening)
  }

  /** @throws DatabaseFailure */
  async run(statement: Bound<unknown>): Promise<Ran> {
    const [ran] = await this.runAll([statement])
    if (ran === undefined) throw new Error('A statement is answered')
    return ran
  }

  /**
   * Runs statements in their order, sent at once where the connection can do that: the server runs nothing in a transaction
   * after an error.
   * @throws DatabaseFailure that of the first one that failed
   */
  async runAll(statements: readonly Bound<unknown>[]): Promise<readonly Ran[]> {
    if (this.#failure !== null) throw this.#failure
    // What only reads may be sent along with BEGIN. Should that fail, a write would stand on its own.
    if (this.#client.pipeline !== true || !statements.every(isRead)) await this.#open()
    if (this.#client.pipeline !== true) return this.#oneByOne(statements)
    const asked = [this.#open(), ...statements.map((statement) => this.#runOne(statement))] as const
    await Promise.allSettled(asked)
    const [, ...ran] = await Promise.all(asked)
    return ran
  }

  /** @throws CommitUnconfirmed if the change may have landed, DatabaseFailure if it has not */
  async commit(): Promise<void> {
    await this.#open()
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
    if (this.#isLost || this.#opening !== null) return
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

  async #open(): Promise<void> {
    const opening = this.#opening
    if (opening === null) return
    this.#opening = null
    try {
      await this.#ask({ text: opening })
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  async #oneByOne(statements: readonly Bound<unknown>[]): Promise<readonly Ran[]> {
    const ran: Ran[] = []
    for (const statement of statements) ran.push(await this.#runOne(statement))
    return ran
  }

  async #runOne({ sql, parameters }: Bound<unknown>): Promise<Ran> {
    const { rows, rowCount, command } = await this.#ask({ text: sql, values: [...parameters] })
    return { rows, changed: command === 'SELECT' ? 0 : (rowCount ?? 0) }
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

function isRead({ sql }: Bound<unknown>): boolean {
  return sql.startsWith('select ')
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
