// Intervals of attempt numbers, both ends included.
import type { Coverage } from './effect.ts'

/** Whether an attempt is among those covered. */
export function includes(coverage: Coverage, attemptNumber: number): boolean {
  return coverage.from <= attemptNumber && attemptNumber <= coverage.to
}

/** Whether every attempt of `inner` is among those that `outer` covers. */
export function contains(outer: Coverage, inner: Coverage): boolean {
  return outer.from <= inner.from && inner.to <= outer.to
}
