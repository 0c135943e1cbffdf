// The evidence fold: what attempts and observations, taken together, say about an effect.
import assert from 'node:assert/strict'
import type { Attempt, Evidence, Observation } from './effect.ts'

/** An attempt, reduced to what the fold needs. Attempts are numbered 1 to n, in order. */
export interface AttemptEvidence {
  readonly number: number
  readonly target: Attempt['target']
  /** What the attempt's own ending establishes. */
  readonly evidence: Evidence
}

/** An observation, reduced to what the fold needs. */
export type ObservationEvidence = Pick<Observation, 'verdict' | 'covers' | 'target'>

/** What the evidence says about the whole effect. */
export interface EvidenceFold {
  readonly status: Evidence
  /** The evidence contradicts itself: no world is left. The status is UNKNOWN then, and stays so. */
  readonly verificationConflict: boolean
  /** The evidence allows two or more commits. */
  readonly duplicatePossible: boolean
}

/**
 * Folds the evidence of an effect. A world is a set of attempts that committed; each piece of evidence removes worlds
 * and the status says what those left have in common. An observation speaks only of the attempts that it covers and
 * that went to its own target, so the targets are folded one by one; none of it depends on order or repetition.
 *
 * Worlds are never enumerated: as each piece forbids attempts, requires one, or requires one of an interval, the
 * largest world left holds every attempt that is not denied, and it alone decides. Linear in attempts and observations
 * for each target.
 *
 * Without attempts only the empty world is left, so the status is FAILED; ask for "no attempt" first.
 * Spec: evidence "The model", rules R11.
 */
export function foldEvidence(
  attempts: readonly AttemptEvidence[],
  observations: readonly ObservationEvidence[],
): EvidenceFold {
  assertIntervals(attempts, observations)
  const byTarget = Map.groupBy(observations, (observation) => observation.target)
  for (const { target } of attempts) if (!byTarget.has(target)) byTarget.set(target, [])
  const folds = [...byTarget].map(([target, about]) => foldTarget(target, attempts, about))

  if (folds.some((fold) => fold.conflict))
    return { status: 'UNKNOWN', verificationConflict: true, duplicatePossible: false }
  const occurred = folds.some((fold) => fold.occurred)
  const undenied = folds.reduce((sum, fold) => sum + fold.undenied, 0)
  const status = occurred ? 'CONFIRMED' : undenied === 0 ? 'FAILED' : 'UNKNOWN'
  return { status, verificationConflict: false, duplicatePossible: undenied > 1 }
}

interface TargetFold {
  /** Something was required that was denied as well. */
  readonly conflict: boolean
  /** Something was required. */
  readonly occurred: boolean
  /** How many attempts of the target may have committed. */
  readonly undenied: number
}

function foldTarget(
  target: string,
  attempts: readonly AttemptEvidence[],
  observations: readonly ObservationEvidence[],
): TargetFold {
  const absences = observations.filter((observation) => observation.verdict === 'FAILED')
  const confirmations = observations.filter((observation) => observation.verdict === 'CONFIRMED')
  const begins = countBy(absences, (absence) => absence.covers.from)
  const ends = countBy(absences, (absence) => absence.covers.to + 1)

  const undeniedUpTo = [0]
  let undenied = 0
  let denials = 0
  let conflict = false
  let occurred = confirmations.length > 0
  for (const attempt of attempts) {
    denials += (begins.get(attempt.number) ?? 0) - (ends.get(attempt.number) ?? 0)
    if (attempt.target === target) {
      const denied = denials > 0 || attempt.evidence === 'FAILED'
      if (!denied) undenied += 1
      if (attempt.evidence === 'CONFIRMED') {
        occurred = true
        conflict ||= denied
      }
    }
    undeniedUpTo.push(undenied)
  }
  conflict ||= confirmations.some(({ covers }) => undeniedUpTo[covers.to] === undeniedUpTo[covers.from - 1])
  return { conflict, occurred, undenied }
}

function countBy<T>(items: readonly T[], place: (item: T) => number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const item of items) counts.set(place(item), (counts.get(place(item)) ?? 0) + 1)
  return counts
}

/** What is stored is numbered without gaps; anything else is not evidence but damage. An interval may be empty. */
function assertIntervals(attempts: readonly AttemptEvidence[], observations: readonly ObservationEvidence[]): void {
  for (const [index, attempt] of attempts.entries()) {
    assert.equal(attempt.number, index + 1, 'Attempts are numbered from 1 without gaps')
  }
  for (const { covers } of observations) {
    assert(Number.isInteger(covers.from) && Number.isInteger(covers.to), 'An observation covers whole attempts')
    assert(1 <= covers.from && covers.from <= covers.to + 1, 'An observation covers an interval')
    assert(covers.to <= attempts.length, 'An observation covers attempts that had started')
  }
}
