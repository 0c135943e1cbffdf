// A clock of a process that can stand still: when it goes on, time has passed and none of its timers has fired.
import { VirtualClock } from '../../src/testing/virtual-clock.ts'

export class FreezingClock extends VirtualClock {
  #frozenMs = 0

  freezeFor(ms: number): void {
    this.#frozenMs += ms
  }

  override now(): number {
    return super.now() + this.#frozenMs
  }

  override monotonic(): number {
    return super.monotonic() + this.#frozenMs
  }
}
