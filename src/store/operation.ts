// An operation on a database: a sequence of statements that says which ones come next and does not care who runs them.
import type { Bound } from './statement.ts'

/** What a statement brought back: its rows, and how many rows it changed. */
export interface Ran {
  readonly rows: readonly unknown[]
  readonly changed: number
}

/**
 * A sequence of steps with a result. A step is one or more statements that are run in their order, and of which none needs
 * the answer of another. An engine runs one step after the other inside one transaction: SQLite without ever yielding to
 * other work, so that no reader of this process sees half a change and no lock is held across an await; a client of a server
 * sends the statements of a step at once. After an error the operation is abandoned, never resumed: nothing that follows an
 * error runs (reliability F4).
 */
export type Operation<Result> = Generator<readonly Bound<unknown>[], Result, readonly Ran[]>

/** Runs a statement and answers its rows, which are as yet unparsed. */
export function* rowsOf<Row>(statement: Bound<Row>): Operation<readonly Row[]> {
  const [ran] = yield [statement]
  return (ran?.rows ?? []) as readonly Row[]
}

/** The first row of a statement, or null. */
export function* firstOf<Row>(statement: Bound<Row>): Operation<Row | null> {
  const rows = yield* rowsOf(statement)
  return rows[0] ?? null
}

/** Runs a statement and answers how many rows it changed. */
export function* changedBy(statement: Bound<unknown>): Operation<number> {
  const [ran] = yield [statement]
  return ran?.changed ?? 0
}

type Results<Operations extends readonly Operation<unknown>[]> = {
  readonly [Place in keyof Operations]: Operations[Place] extends Operation<infer Result> ? Result : never
}

/**
 * Runs operations side by side: the first step of this one is the first steps of all of them, in their order, and so on. None
 * may rest on what another one writes, apart from what an earlier one writes in the same step.
 */
export function* together<const Operations extends readonly Operation<unknown>[]>(
  operations: Operations,
): Operation<Results<Operations>> {
  const running = operations.map((operation) => ({ operation, step: operation.next() }))
  for (;;) {
    const waiting = running.filter(({ step }) => step.done !== true)
    if (waiting.length === 0) break
    const ran = yield waiting.flatMap(({ step }) => (step.done === true ? [] : step.value))
    let from = 0
    for (const one of waiting) {
      const to = from + (one.step.done === true ? 0 : one.step.value.length)
      one.step = one.operation.next(ran.slice(from, to))
      from = to
    }
  }
  return running.map(({ step }) => (step.done === true ? step.value : undefined)) as Results<Operations>
}
