// The clock of this machine.
import type { Clock } from './ports.ts'

/** Wall time, monotonic time and timers of the process. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(ms, fire) {
    const handle = setTimeout(fire, ms)
    return () => clearTimeout(handle)
  },
}
