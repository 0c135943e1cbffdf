// A clock that stands still until it is moved: wall time, monotonic time and timers, all in one process's memory.
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../runtime/ports.ts'

/** Where a virtual clock stands; plain data, so that a restarted process can go on from it. Milliseconds. */
export interface VirtualClockState {
  /** The wall clock, an instant. */
  readonly now: number
  /** The monotonic clock, from an arbitrary start. */
  readonly monotonic: number
}

interface Timer {
  readonly dueAt: number
  readonly fire: () => void
}

/**
 * Time as a value of the test. Nothing moves by itself: `advance` moves both clocks and fires what falls due,
 * `setWall` lets the wall clock alone jump, as an NTP step does. Spec: harness 2, design D11.
 *
 * ```ts
 * const clock = new VirtualClock(Date.UTC(2030, 0, 1))
 * await clock.advance(10 * 60_000)
 * const sameMomentElsewhere = new VirtualClock(clock.state())
 * ```
 */
export class VirtualClock implements Clock {
  #now: number
  #monotonic: number
  #isAdvancing = false
  // In the order in which they were set; timers due together fire in this order.
  readonly #timers = new Set<Timer>()

  /** Starts at an instant (with monotonic time 0), or where another clock stood. */
  constructor(start: number | VirtualClockState) {
    const { now, monotonic } = typeof start === 'number' ? { now: start, monotonic: 0 } : start
    this.#now = wholeMs('now', now)
    this.#monotonic = wholeMs('monotonic', monotonic)
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#monotonic
  }

  /**
   * Fires once when `advance` reaches it, never inside this call, even if `ms` is zero or less. Parts of a millisecond
   * are rounded up, since a real timer is late but never early.
   */
  timer(ms: number, fire: () => void): () => void {
    const timer: Timer = { dueAt: this.#monotonic + Math.max(0, wholeMs('ms', Math.ceil(ms))), fire }
    this.#timers.add(timer)
    return () => {
      this.#timers.delete(timer)
    }
  }

  /**
   * Moves both clocks forward by `ms`, stopping at every timer that falls due, also at those that are set on the way.
   * Pending promise callbacks run before the first step, between timers and after the last. Work that waits for a disk
   * or a socket is not waited for, unless `settle` does: it is called in their stead, and time stands still until what it
   * answers is resolved.
   *
   * @throws TypeError if `ms` is negative or not whole, or while another `advance` is under way; what a timer throws
   * ends the advance at that timer's time.
   */
  async advance(ms: number, settle: () => Promise<unknown> = setImmediate): Promise<void> {
    if (wholeMs('ms', ms) < 0)
      throw new TypeError('a clock advances by zero or more milliseconds; setWall() sets it back')
    if (this.#isAdvancing) throw new TypeError('the clock is being advanced already: await the other advance() first')
    this.#isAdvancing = true
    const end = this.#monotonic + ms
    try {
      await settle()
      for (let timer = this.#nextDue(end); timer !== null; timer = this.#nextDue(end)) {
        this.#timers.delete(timer)
        this.#moveTo(timer.dueAt)
        timer.fire()
        await settle()
      }
      this.#moveTo(end)
    } finally {
      this.#isAdvancing = false
    }
  }

  /** Sets the wall clock alone, forward or back; monotonic time and timers do not notice. */
  setWall(at: number): void {
    this.#now = wholeMs('at', at)
  }

  /** Where the clock stands. Timers are not part of it: they end with their process. */
  state(): VirtualClockState {
    return { now: this.#now, monotonic: this.#monotonic }
  }

  #nextDue(end: number): Timer | null {
    let next: Timer | null = null
    for (const timer of this.#timers) {
      if (timer.dueAt <= end && (next === null || timer.dueAt < next.dueAt)) next = timer
    }
    return next
  }

  #moveTo(monotonic: number): void {
    this.#now += monotonic - this.#monotonic
    this.#monotonic = monotonic
  }
}

function wholeMs(name: string, value: number): number {
  if (!Number.isSafeInteger(value)) throw new TypeError(`${name} must be a whole number of milliseconds`)
  return value
}
