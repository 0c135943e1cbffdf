// What a runtime of a model run sees of its store: every commit goes into the book, and some of them go wrong.
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../../src/proposal/errors.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { type Around, InterceptedStore } from '../../src/testing/intercepted-store.ts'
import type { Surroundings } from './action.ts'
import { after, never } from './waiting.ts'

/**
 * What may happen to a commit: `refused` stores nothing and says so; `lost` stores it and loses the answer; `lost_before`
 * stores nothing and does not say so; `slow` stores it and answers half a minute later.
 */
export type CommitFault = 'refused' | 'lost' | 'lost_before' | 'slow'

const SLOW_MS = 31_000

/** The faults of commits to come, counted over all runtimes of a run. */
export class CommitFaults {
  #seen = 0
  readonly #faults = new Map<number, CommitFault>()
  /** How many have happened. */
  met = 0

  /** The n-th commit from now meets the fault; 1 is the next one. */
  at(nth: number, fault: CommitFault): void {
    this.#faults.set(this.#seen + nth, fault)
  }

  /** Whether one of them is still to come. */
  get isAhead(): boolean {
    return [...this.#faults.keys()].some((nth) => nth > this.#seen)
  }

  next(): CommitFault | null {
    this.#seen += 1
    const fault = this.#faults.get(this.#seen) ?? null
    if (fault !== null) this.met += 1
    return fault
  }
}

/** The line between one runtime and the store; once it is cut, nothing that is asked is ever answered. */
export interface Line {
  isCut: boolean
}

/** Watches the store on behalf of one runtime. */
export function watchedStore(store: Store, line: Line, faults: CommitFaults, around: Surroundings): Store {
  const { book, clock, directory } = around
  const watch: Around = async (_name, call, change) => {
    if (line.isCut) return never()
    const fault = change === null ? null : faults.next()
    if (fault === 'refused') throw new StoreUnavailable('The store is out of reach.')
    if (fault === 'lost_before') throw new PersistenceOutcomeUnknown(null)
    const began = { beganMs: clock.monotonic(), barred: new Set(directory.barred) }
    const answer = await call()
    const landed = change !== null && isCommitted(answer) ? book.commit(change, { ...began, at: answer.at }) : null
    if (fault === 'slow') await after(clock, SLOW_MS)
    if (line.isCut) return never()
    if (fault === 'lost') throw new PersistenceOutcomeUnknown(null)
    if (landed !== null) landed.acknowledged ??= book.next()
    return answer
  }
  return new InterceptedStore(store, watch)
}

function isCommitted(answer: unknown): answer is { readonly kind: 'committed'; readonly at: number } {
  return typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'committed'
}
