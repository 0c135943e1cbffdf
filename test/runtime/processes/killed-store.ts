// A store that kills its process at one of its calls, as a power cut would: before the call, or once it has been done.
import process from 'node:process'
import type { Store } from '../../../src/runtime/ports.ts'
import { type Around, InterceptedStore } from '../../../src/testing/intercepted-store.ts'

/** The n-th call from `arm` on, counted from 1, is the last one. */
export interface KilledStore {
  readonly store: Store
  arm(nth: number, when: 'before' | 'after'): void
}

/** Stands before a store; until it is armed, nothing happens. */
export function killedStore(store: Store): KilledStore {
  let left = Number.POSITIVE_INFINITY
  let isBefore = false
  const around: Around = async (_name, call) => {
    left -= 1
    const isLast = left === 0
    if (isLast && isBefore) await die()
    const answer = await call()
    if (isLast) await die()
    return answer
  }
  return {
    store: new InterceptedStore(store, around),
    arm(nth, when) {
      left = nth
      isBefore = when === 'before'
    },
  }
}

async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}
