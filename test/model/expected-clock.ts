// The clocks of the simple model: wall time, time that no jump moves, and until when a wall clock that jumped is not believed.
import { CLOCK_JUMP_MS, IN_FLIGHT_MS, LEASE_MS } from './payment.ts'

/** What the model knows of time, as long as whatever jumps is looked at once. */
export class ExpectedClock {
  /** Wall time. */
  now: number
  #monotonic = 0
  #offBy = 0
  #unsettledUntil = 0

  constructor(now: number) {
    this.now = now
  }

  /** Whether time may close or admit anything. */
  get isBelieved(): boolean {
    return this.#monotonic >= this.#unsettledUntil
  }

  advanced(ms: number): void {
    this.now += ms
    this.#monotonic += ms
  }

  jumped(ms: number): void {
    this.now += ms
    this.#offBy += ms
    if (Math.abs(this.#offBy) <= CLOCK_JUMP_MS) return
    this.#offBy = 0
    this.#unsettledUntil = this.#monotonic + LEASE_MS + IN_FLIGHT_MS
  }

  /** A runtime that was just opened knows of no jump. */
  restarted(): void {
    this.#offBy = 0
    this.#unsettledUntil = 0
  }
}
