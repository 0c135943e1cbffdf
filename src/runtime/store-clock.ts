// The store's clock, as far as this process has heard of it: leases and boundaries are instants of that clock.
import type { Clock } from './ports.ts'

/**
 * Two bounds of the store's time. A process whose wall clock is off by more than a call of the store takes would otherwise
 * read "too early" as "late enough", or hold a lease that others see as over. Where no difference can be told, it is the
 * time of this process. Spec: design D11, case C110.
 */
export class StoreClock {
  readonly #clock: Pick<Clock, 'now'>
  /** How far the store is ahead, at least and at most, in milliseconds. */
  #leastMs = 0
  #mostMs = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Takes in the store's time `at`, which it read after `askedAt` of this process and before now. */
  hear(at: number, askedAt: number): void {
    this.#leastMs = at - this.#clock.now()
    this.#mostMs = at - askedAt
  }

  /** The clock of this process has jumped by so much, and the store's has not. */
  jumped(byMs: number): void {
    this.#leastMs -= byMs
    this.#mostMs -= byMs
  }

  /** The store's time as closely as it is known, and no later than it is: what is told to others. */
  about(): number {
    return this.#clock.now() + (this.#leastMs > 0 || this.#mostMs < 0 ? this.#leastMs : 0)
  }

  /** No later than the store's time, for what counts only once something is over. */
  earliest(): number {
    return this.#clock.now() + (this.#mostMs < 0 ? this.#leastMs : 0)
  }

  /** No earlier than the store's time, for what counts only until something is over. */
  latest(): number {
    return this.#clock.now() + (this.#leastMs > 0 ? this.#mostMs : 0)
  }
}
