// The settling boundary: from when on an absence may be final, as the runtime knows it and no host may say.
import { contains, includes } from './coverage.ts'
import type { Attempt, Effect, Evidence, Observation } from './effect.ts'

/** The answer under which a claim of final absence is stored, whether it was accepted or not. */
const FINAL_ABSENCE = 'authoritative_final_absence'

/**
 * The instant up to which a request of these attempts may still land, on the store's clock: the later of lease end and
 * recorded return, over all of them, plus `inFlightMs`; 0 without attempts. An early return does not shorten it. A late
 * one, which is recorded as the executor's observation of a lapsed attempt, lengthens it; that a lapse was noticed is no
 * return. Spec: rules R6.
 */
export function settlingBoundary(
  attempts: readonly Attempt[],
  observations: readonly Observation[],
  inFlightMs: number,
): number {
  const returns = attempts.flatMap((attempt) => [attempt.leaseUntil, ...recordedReturns(attempt, observations)])
  return returns.reduce((boundary, at) => Math.max(boundary, at + inFlightMs), 0)
}

/**
 * The verdict of an observation when it is stored. A failure that was read before the boundary, as that is known by now,
 * is none: a late return may have been recorded since it was judged. Spec: rules R6.
 */
export function verdictWhenStored(
  { attempts, observations }: Pick<Effect, 'attempts' | 'observations'>,
  { verdict, covers, target, beganAt }: Pick<Observation, 'verdict' | 'covers' | 'target' | 'beganAt'>,
  inFlightMs: number,
): Evidence {
  if (verdict !== 'FAILED') return verdict
  const covered = attempts.filter((one) => one.target === target && includes(covers, one.number))
  return beganAt < settlingBoundary(covered, observations, inFlightMs) ? 'UNKNOWN' : 'FAILED'
}

/**
 * Whether a claim of final absence holds against the clock: its read began at or after the boundary of every attempt
 * that it covers and, for the proof `settled`, an earlier such read of at least the same attempts did so too, at least
 * `inFlightMs` before. Whether the definition accepts the kind of proof is not asked here. Spec: rules R6.
 */
export function isFinalAbsence(
  claim: Pick<Observation, 'proof' | 'beganAt' | 'covers' | 'target'>,
  observations: readonly Observation[],
  attempts: readonly Attempt[],
  inFlightMs: number,
): boolean {
  const covered = attempts.filter(({ number, target }) => target === claim.target && includes(claim.covers, number))
  const boundary = settlingBoundary(covered, observations, inFlightMs)
  if (claim.proof === null || claim.beganAt < boundary) return false
  if (claim.proof !== 'settled') return true
  return observations.some(
    (earlier) =>
      earlier.answer === FINAL_ABSENCE &&
      earlier.proof === 'settled' &&
      earlier.target === claim.target &&
      contains(earlier.covers, claim.covers) &&
      earlier.beganAt >= boundary &&
      earlier.beganAt + inFlightMs <= claim.beganAt,
  )
}

function recordedReturns(attempt: Attempt, observations: readonly Observation[]): readonly number[] {
  const late = observations.filter(({ source, covers }) => source === 'executor' && includes(covers, attempt.number))
  const ended = attempt.ending === null || attempt.ending.kind === 'lease_lapsed' ? [] : [attempt.ending.at]
  return [...ended, ...late.map((observation) => observation.endedAt)]
}
