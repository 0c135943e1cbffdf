// Writes that arrive while a commit is under way share the next one. Spec: store 3, rules R13.
import { setImmediate as turn } from 'node:timers/promises'
import type { Write } from './engine.ts'

/** What became of a write. */
export type Outcome = PromiseSettledResult<unknown>

/** Commits writes together and answers what became of each, in their order; nothing of it is told before it is durable. */
export type CommitTogether = (writes: readonly Write<unknown>[]) => Promise<readonly Outcome[]>

const CHANGES_PER_COMMIT = 64

/** How many writes share a commit at most. @throws TypeError unless it is a whole number from 1 */
export function changesPerCommit(asked: number = CHANGES_PER_COMMIT): number {
  if (Number.isSafeInteger(asked) && asked >= 1) return asked
  throw new TypeError('changesPerCommit must be a whole number, 1 or more')
}

interface Waiting {
  readonly write: Write<unknown>
  readonly rows: readonly string[]
  readonly settle: (outcome: Outcome) => void
}

/**
 * One group is under way at a time. Nobody waits for others to come: a group is whoever asked within one turn of the event
 * loop, or while the group before it was under way. Of writes that rest on the same row, the second waits for the group
 * after that of the first, so that their order is kept and neither is judged by what may yet be rolled back.
 */
export class GroupCommit {
  readonly #max: number
  readonly #commitTogether: CommitTogether
  readonly #onIdle: () => void
  #waiting: Waiting[] = []
  #running: Promise<void> | null = null

  /** `max`: how many writes share a commit at most. `onIdle` is told when nobody is waiting any more. */
  constructor(max: number, commitTogether: CommitTogether, onIdle: () => void = () => {}) {
    this.#max = max
    this.#commitTogether = commitTogether
    this.#onIdle = onIdle
  }

  /** Resolves with the result of the write when its group is durable, and rejects with the error that it alone met. */
  async commit<Result>(write: Write<Result>, rows: readonly string[]): Promise<Result> {
    const outcome = await new Promise<Outcome>((settle) => {
      this.#waiting.push({ write, rows, settle })
      this.#running ??= this.#run()
    })
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value as Result
  }

  /** Resolves when every write that was asked for so far is answered. */
  async answered(): Promise<void> {
    await turn()
    await this.#running
  }

  async #run(): Promise<void> {
    await turn()
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup()
      const outcomes = await this.#outcomesOf(group)
      for (const [index, { settle }] of group.entries()) {
        settle(outcomes[index] ?? { status: 'rejected', reason: new Error('a write of the group was not answered') })
      }
      // Whoever was answered just now may have the next write ready.
      await turn()
    }
    this.#running = null
    this.#onIdle()
  }

  async #outcomesOf(group: readonly Waiting[]): Promise<readonly Outcome[]> {
    try {
      return await this.#commitTogether(group.map(({ write }) => write))
    } catch (reason) {
      return group.map(() => ({ status: 'rejected', reason }))
    }
  }

  #nextGroup(): readonly Waiting[] {
    const group: Waiting[] = []
    const later: Waiting[] = []
    const named = new Set<string>()
    for (const one of this.#waiting) {
      const isFree = group.length < this.#max && one.rows.every((row) => !named.has(row))
      ;(isFree ? group : later).push(one)
      for (const row of one.rows) named.add(row)
    }
    this.#waiting = later
    return group
  }
}
