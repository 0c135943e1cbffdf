// Turns: which of all the work that was found is begun next, so that no tenant and no kind of work waits for another.
import type { Reference } from '../../effect/reference.ts'
import type { DueItem } from '../ports.ts'
import type { Duty } from './duties.ts'

/** One piece of work that was found. */
export interface Job {
  readonly lane: Lane
  readonly ref: Reference
  /** Whether nothing came of it the last time. */
  readonly isRetry: boolean
}

/** The work of one kind for one tenant. */
export interface Lane {
  readonly line: Line
  readonly duty: Duty
  readonly waiting: Job[]
  /** Where the next page begins; null at the start. */
  after: DueItem | null
  /** On the monotonic clock: when it is looked at again. */
  lookAtMs: number
}

/** All work of one tenant. */
export interface Line {
  readonly tenant: Reference
  readonly lanes: Lane[]
  /** How many of its jobs are under way. */
  underWay: number
}

/**
 * The lines of all tenants, served in turn, and within each line its lanes in turn. Where there are several tenants, none
 * has more than half of the places at once; and what came to nothing before gets a quarter of the places in all, so that
 * hanging and failing work cannot hold up the rest, whoever it belongs to.
 */
export class Turns {
  readonly #duties: readonly Duty[]
  readonly #places: number
  readonly #lines = new Map<Reference, Line>()
  /** Lines in the order in which they are served: the one that was served last stands last. */
  #order: Line[] = []
  #underWay = 0
  #retriesUnderWay = 0

  constructor(duties: readonly Duty[], places: number) {
    this.#duties = duties
    this.#places = places
  }

  /** The line of a tenant, made when it is first named. */
  line(tenant: Reference): Line {
    const known = this.#lines.get(tenant)
    if (known !== undefined) return known
    const line: Line = { tenant, lanes: [], underWay: 0 }
    for (const duty of this.#duties) line.lanes.push({ line, duty, waiting: [], after: null, lookAtMs: 0 })
    this.#lines.set(tenant, line)
    this.#order.push(line)
    return line
  }

  /** Whether something waits for its turn. */
  hasWaiting(): boolean {
    return this.#order.some(({ lanes }) => lanes.some(({ waiting }) => waiting.length > 0))
  }

  /** Whether a page was followed by another one that has not been read. */
  hasMore(): boolean {
    return this.#order.some(({ lanes }) => lanes.some(({ after }) => after !== null))
  }

  /** Takes the next job, which is under way from then on; null when there is none, or no place for it. */
  take(): Job | null {
    if (this.#underWay >= this.#places) return null
    const mayRetry = this.#retriesUnderWay < Math.max(1, Math.floor(this.#places / 4))
    const share = this.#order.length > 1 ? Math.max(1, Math.floor(this.#places / 2)) : this.#places
    for (const line of this.#order) {
      const job = line.underWay < share ? takeFrom(line, mayRetry) : null
      if (job === null) continue
      this.#order = [...this.#order.filter((other) => other !== line), line]
      this.#underWay += 1
      line.underWay += 1
      if (job.isRetry) this.#retriesUnderWay += 1
      return job
    }
    return null
  }

  /** Gives back the place of a job that has ended. */
  ended({ lane, isRetry }: Job): void {
    this.#underWay -= 1
    lane.line.underWay -= 1
    if (isRetry) this.#retriesUnderWay -= 1
  }

  /** Forgets everything that waits. */
  clear(): void {
    for (const { lanes } of this.#order) for (const { waiting } of lanes) waiting.length = 0
  }
}

function takeFrom(line: Line, mayRetry: boolean): Job | null {
  for (const lane of line.lanes) {
    const index = lane.waiting.findIndex(({ isRetry }) => mayRetry || !isRetry)
    const [job] = index < 0 ? [] : lane.waiting.splice(index, 1)
    if (job === undefined) continue
    // The lane that was served goes behind the others.
    line.lanes.splice(line.lanes.indexOf(lane), 1)
    line.lanes.push(lane)
    return job
  }
  return null
}
