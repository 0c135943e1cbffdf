// What PostgreSQL's errors mean to whoever asked: a sentence each, and nothing of the values that they are about.
import { StoreUnavailable } from '../proposal/errors.ts'
import { BrokenInvariant } from './broken-invariant.ts'

/**
 * The driver or the server failed. The driver's own error stays behind: its detail may hold the values of a row.
 * `sqlState` is null where the server has said nothing, as when the connection was lost.
 */
export class DatabaseFailure extends Error {
  override readonly name: string = 'DatabaseFailure'
  readonly sqlState: string | null
  /** Whether no connection was made, so that nothing was asked of the server. */
  readonly isConnecting: boolean

  constructor(error: unknown, { isConnecting = false }: { readonly isConnecting?: boolean } = {}) {
    const sqlState = sqlStateOf(error)
    super(told(error, sqlState))
    this.sqlState = sqlState
    this.isConnecting = isConnecting
  }
}

/** COMMIT was sent and not answered, or not so that it could be relied on: the change may have landed. Spec: reliability F6. */
export class CommitUnconfirmed extends DatabaseFailure {
  override readonly name = 'CommitUnconfirmed'
}

/** The sentences, by the start of the state; the first that fits is taken. */
const SENTENCES: readonly (readonly [start: string, sentence: string])[] = [
  ['08', 'The connection to the database was lost.'],
  ['25006', 'The database takes no writes.'],
  ['28', 'The database refused the credentials.'],
  ['3D', 'The database does not exist.'],
  ['40', 'The database could not bring changes that were made at once into an order.'],
  ['42501', 'The database role may not do this.'],
  ['42P01', 'The schema of the database is incomplete.'],
  ['53100', 'The disk that holds the database is full.'],
  ['53300', 'The database takes no more connections.'],
  ['53', 'The database has no room.'],
  ['55P03', 'Another transaction holds a lock of the database longer than the limit.'],
  ['57014', 'The database took longer than the limit.'],
  ['57P', 'The database is stopping or starting.'],
]

/** How often a transaction is run at most, of which nothing was stored when it failed. */
const RUNS = { disordered: 6, disconnected: 3, refused: 3, otherwise: 1 } as const

/**
 * How often it is run that fails like this. What the server could not bring into an order is worth another try, and so is
 * a connection that had ended before it was used. A name that is taken, or a guard that was broken, may mean that somebody
 * had not committed when we looked: whoever it was is found by the next look, or it is a broken invariant after all.
 */
export function runsOf({ sqlState, isConnecting }: DatabaseFailure): number {
  if (isConnecting) return RUNS.otherwise
  if (sqlState === '40001' || sqlState === '40P01') return RUNS.disordered
  if (sqlState === '23505' || sqlState === '23000') return RUNS.refused
  return isDisconnecting(sqlState) ? RUNS.disconnected : RUNS.otherwise
}

/** Whether the connection is of no more use. */
export function isDisconnecting(sqlState: string | null): boolean {
  return sqlState === null || sqlState.startsWith('08') || sqlState.startsWith('57P') || sqlState === '25P03'
}

/** Whether an error in answer to COMMIT says for certain that nothing was stored. 40003 says that nobody knows. */
export function isRefusedCommit(sqlState: string | null): boolean {
  return sqlState !== null && (sqlState.startsWith('23') || sqlState === '40001' || sqlState === '40P01')
}

/**
 * The error to be thrown when nothing was stored. A constraint or trigger that refuses is a broken invariant: every
 * conflict that a race can bring about was looked for before. What is no failure of the database stays what it is.
 */
export function definiteFailure(error: unknown): unknown {
  if (!(error instanceof DatabaseFailure)) return error
  const { sqlState, message, isConnecting } = error
  if (sqlState?.startsWith('23') === true) return new BrokenInvariant(message, { cause: error })
  const known = SENTENCES.find(([start]) => sqlState?.startsWith(start))?.[1]
  const unknown = isConnecting ? 'The database cannot be reached.' : 'The connection to the database was lost.'
  const sentence = known ?? (sqlState === null ? unknown : `The database failed with ${sqlState}.`)
  return new StoreUnavailable(sentence, { cause: error })
}

// Errors of the system have codes, too; only the server's have a severity.
function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

// The texts of violated constraints name tables and constraints; others may quote what they could not read.
function told(error: unknown, sqlState: string | null): string {
  if (sqlState?.startsWith('23') === true && error instanceof Error) return error.message
  if (sqlState !== null) return `SQLSTATE ${sqlState}`
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer'
}
