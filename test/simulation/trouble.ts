// The trouble of a run: whether a fault happens now, how often each one has, and that all of them stop at once.
import type { Tally } from '../model/run.ts'
import type { Fault, Plan } from './plan.ts'
import type { Random } from './random.ts'

/** Faults after which something that was learned may not be on record. */
const FORGETTING: ReadonlySet<Fault> = new Set<Fault>([
  'commit refused',
  'commit lost',
  'commit lost_before',
  'commit lands_late',
  'read failed',
  'crash before_commit',
  'crash after_commit',
  'crash at_any_await',
  'keys unavailable',
])

export class Trouble {
  readonly #random: Random
  readonly #rates: Plan['rates']
  readonly #tally: Tally
  #isOver = false
  /** Whether something has failed so that what was learned may not have been recorded. */
  mayHaveForgotten = false

  constructor(random: Random, rates: Plan['rates'], tally: Tally) {
    this.#random = random
    this.#rates = rates
    this.#tally = tally
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Nothing goes wrong any more. */
  stop(): void {
    this.#isOver = true
  }

  /** Whether the fault happens now. */
  strikes(fault: Fault): boolean {
    if (this.#isOver || !this.#random.chance(this.#rates[fault])) return false
    this.#tally.add(`fault ${fault}`)
    if (FORGETTING.has(fault)) this.mayHaveForgotten = true
    return true
  }
}
