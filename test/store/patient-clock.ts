// A virtual clock that stands still while a store is at work: a database takes real time to answer.
import { setImmediate } from 'node:timers/promises'
import type { Store } from '../../src/runtime/ports.ts'
import { InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'

export class PatientClock extends VirtualClock {
  #underWay = 0
  readonly #waiting: (() => void)[] = []

  /** A store whose calls the clock waits for. */
  over(store: Store): Store {
    return new InterceptedStore(store, async (_name, call) => this.#counted(call))
  }

  override async advance(ms: number): Promise<void> {
    await super.advance(ms, () => this.idle())
  }

  /** Until nothing more can happen without time: whatever is pending then waits for the clock. */
  async idle(): Promise<void> {
    await setImmediate()
    while (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve)
      })
      // Whoever was answered goes on, and may ask for more.
      await setImmediate()
    }
  }

  async #counted<T>(call: () => Promise<T>): Promise<T> {
    this.#underWay += 1
    try {
      return await call()
    } finally {
      this.#underWay -= 1
      if (this.#underWay === 0) for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }
}
