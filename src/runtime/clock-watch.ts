// The watch over the clocks: a wall clock that has jumped is not believed in what only passing time may prove.
import type { Attempt } from '../effect/effect.ts'
import { limits } from '../effect/limits.ts'
import type { Definition } from '../proposal/definition/definition.ts'
import type { Clock } from './ports.ts'

/**
 * The clock of a runtime, which notices at every look whether wall time has moved against monotonic time: an NTP step, a
 * machine that slept, a clock set by hand. Then leases, boundaries and lifetimes may all have passed within one second, and
 * for one settling boundary of monotonic time nothing may rest on that. A jump before the runtime was opened is not seen.
 * Spec: trace S6, reliability T10.
 */
export class ClockWatch implements Clock {
  readonly #clock: Clock
  readonly #onJump: (byMs: number) => void
  /** Wall minus monotonic time, as it was when the clock was last believed. */
  #offsetMs: number
  #jumpedAtMs: number | null = null

  /** `onJump` is told how far the wall clock went, in milliseconds; less than zero where it was set back. */
  constructor(clock: Clock, onJump: (byMs: number) => void) {
    this.#clock = clock
    this.#onJump = onJump
    this.#offsetMs = clock.now() - clock.monotonic()
  }

  now(): number {
    const now = this.#clock.now()
    const monotonic = this.#clock.monotonic()
    // Many small steps add up to a jump: what is believed is not moved along with them.
    const byMs = now - monotonic - this.#offsetMs
    if (Math.abs(byMs) > limits.clockJumpMs) {
      this.#offsetMs += byMs
      this.#jumpedAtMs = monotonic
      this.#onJump(Math.round(byMs))
    }
    return now
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  timer(ms: number, fire: () => void): () => void {
    return this.#clock.timer(ms, fire)
  }

  /** Whether the wall clock was seen to jump less than `boundaryMs` of monotonic time ago. */
  isUnsettled(boundaryMs: number): boolean {
    this.now()
    return this.#jumpedAtMs !== null && this.#clock.monotonic() - this.#jumpedAtMs < boundaryMs
  }
}

/**
 * How long after its admission a request may still land, in milliseconds: a lease, the longest of those given, and the time
 * in flight. What was admitted before a jump is settled so long after it. Spec: rules R6.
 */
export function settlingMs(
  { leaseMs, inFlightMs }: Pick<Definition, 'leaseMs' | 'inFlightMs'>,
  attempts: readonly Attempt[] = [],
): number {
  return inFlightMs + Math.max(leaseMs, ...attempts.map(({ startedAt, leaseUntil }) => leaseUntil - startedAt))
}
