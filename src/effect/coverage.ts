// Intervals of attempt numbers, both ends included.
import type { Attempt, Coverage, Observation } from './effect.ts'

/** Whether an attempt is among those covered. */
export function includes(coverage: Coverage, attemptNumber: number): boolean {
  return coverage.from <= attemptNumber && attemptNumber <= coverage.to
}

/** Whether every attempt of `inner` is among those that `outer` covers. */
export function contains(outer: Coverage, inner: Coverage): boolean {
  return outer.from <= inner.from && inner.to <= outer.to
}

/**
 * What an observation covers when it is stored. An absence speaks of the attempts that had started when its read began;
 * a confirmation may also have found one that started meanwhile under the same key, and must not contradict what is known
 * of the earlier ones. Spec: evidence 3.5.
 */
export function coverageWhenStored(
  attempts: readonly Attempt[],
  { verdict, covers, target }: Pick<Observation, 'verdict' | 'covers' | 'target'>,
): Coverage {
  const asked = attempts[covers.to - 1]
  if (verdict !== 'CONFIRMED' || asked === undefined) return covers
  const found = attempts.filter((one) => one.target === target && one.idempotencyKey === asked.idempotencyKey)
  return { from: covers.from, to: Math.max(covers.to, ...found.map(({ number }) => number)) }
}
