// An operation on a database: a sequence of statements that says which one comes next and does not care who runs them.
import type { Bound } from './statement.ts'

/** What a statement brought back: its rows, and how many rows it changed. */
export interface Ran {
  readonly rows: readonly unknown[]
  readonly changed: number
}

/**
 * A sequence of statements with a result. An engine runs one after the other inside one transaction: SQLite without ever
 * yielding to other work, so that no reader of this process sees half a change and no lock is held across an await; a
 * client of a server would await each. After an error the operation is abandoned, never resumed: nothing that follows an
 * error runs (reliability F4).
 */
export type Operation<Result> = Generator<Bound<unknown>, Result, Ran>

/** Runs a statement and answers its rows, which are as yet unparsed. */
export function* rowsOf<Row>(statement: Bound<Row>): Operation<readonly Row[]> {
  const ran = yield statement
  return ran.rows as readonly Row[]
}

/** The first row of a statement, or null. */
export function* firstOf<Row>(statement: Bound<Row>): Operation<Row | null> {
  const rows = yield* rowsOf(statement)
  return rows[0] ?? null
}

/** Runs a statement and answers how many rows it changed. */
export function* changedBy(statement: Bound<unknown>): Operation<number> {
  const ran = yield statement
  return ran.changed
}
