// Holds: for how long a worker leaves alone what it has just looked at, and longer each time that nothing comes of it.
import type { Clock, Ids } from '../ports.ts'

/** The first wait, in milliseconds; it doubles with every visit of which nothing came. */
const HOLD_MIN_MS = 1_000
/** The longest wait: what could not be done is looked at again so often, also after its cause is gone. */
const HOLD_MAX_MS: number = 5 * 60_000
/** Waits are drawn from this share of their length up to the whole of it, so that many workers spread out. */
const LEAST_SHARE = 0.5
/** More than are ever held at once; where they are, the oldest hold is forgotten, which costs a visit. */
const HOLDS_MAX = 50_000

/** What came of a visit. */
export type Visit =
  /** It is done: if it is due again, that is new work. */
  | { readonly kind: 'done' }
  /** There is more of it at once. */
  | { readonly kind: 'more' }
  /** It has come as far as this revision, and says itself when it is due again. */
  | { readonly kind: 'at'; readonly revision: number }
  /** It stands where it stood. */
  | { readonly kind: 'waiting' }

interface Hold {
  /** Visits in a row of which nothing came. */
  readonly failures: number
  readonly revision: number
  /** On the monotonic clock. */
  readonly until: number
}

/**
 * Holds by the name of what is held. They are this worker's own: another one finds out by itself, so that what cannot be
 * done is visited as often as there are workers, and no more. Spec: rules R18, invariant I36.
 */
export class Holds {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #ids: Pick<Ids, 'fraction'>
  readonly #holds = new Map<string, Hold>()

  constructor(clock: Pick<Clock, 'monotonic'>, ids: Pick<Ids, 'fraction'>) {
    this.#clock = clock
    this.#ids = ids
  }

  isHeld(name: string): boolean {
    const hold = this.#holds.get(name)
    return hold !== undefined && this.#clock.monotonic() < hold.until
  }

  /** How many visits in a row came to nothing; these are made where they delay nobody. */
  failures(name: string): number {
    return this.#holds.get(name)?.failures ?? 0
  }

  /** Takes down a visit, and answers how many in a row have come to nothing. */
  visited(name: string, visit: Visit): number {
    const before = this.#holds.get(name)
    this.#holds.delete(name)
    if (visit.kind === 'more') return 0
    const revision = visit.kind === 'at' ? visit.revision : (before?.revision ?? -1)
    const isFurther = visit.kind === 'done' || (visit.kind === 'at' && revision > (before?.revision ?? -1))
    const failures = isFurther ? 0 : (before?.failures ?? 0) + 1
    const waitMs = Math.min(HOLD_MIN_MS * 2 ** failures, HOLD_MAX_MS)
    const share = LEAST_SHARE + (1 - LEAST_SHARE) * this.#ids.fraction()
    this.#holds.set(name, { failures, revision, until: this.#clock.monotonic() + waitMs * share })
    const oldest = this.#holds.keys().next()
    if (this.#holds.size > HOLDS_MAX && oldest.done !== true) this.#holds.delete(oldest.value)
    return failures
  }

  /** Forgets what has not been due for long after its hold was over. */
  forgetOld(): void {
    const now = this.#clock.monotonic()
    for (const [name, { until }] of this.#holds) if (until + HOLD_MAX_MS < now) this.#holds.delete(name)
  }
}
