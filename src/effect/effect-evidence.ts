// What is known about an effect: its settlement while that stands, else the fold of its evidence.
import assert from 'node:assert/strict'
import type { Attempt, Effect, Evidence, Settlement } from './effect.ts'
import { type AttemptEvidence, type EvidenceFold, foldEvidence, type ObservationEvidence } from './evidence.ts'

/** The parts of an effect that say what happened. */
export interface EvidenceSource extends Pick<Effect, 'observations' | 'settlement'> {
  readonly attempts: readonly Pick<Attempt, 'number' | 'target' | 'ending'>[]
}

/** What is known about an effect. Derived at any time, so that whatever is stored of it can be checked. */
export interface EffectEvidence {
  /** Settlement, else fold (rules R8); null while no attempt was ever started. */
  readonly status: Evidence | null
  /** The evidence contradicts itself, or a settlement that it came after. The status is UNKNOWN then. */
  readonly conflict: boolean
  readonly duplicatePossible: boolean
  /** The person's verdict, while it stands and the status says the same. */
  readonly settled: Settlement['verdict'] | null
  /** Later evidence overtook a settlement, which counts no more: a person is asked again. */
  readonly reopened: boolean
}

/** The attempts as the fold takes them; one without an ending establishes nothing. */
export function attemptEvidence(effect: Pick<EvidenceSource, 'attempts'>): readonly AttemptEvidence[] {
  return effect.attempts.map(({ number, target, ending }) => ({
    number,
    target,
    evidence: ending?.evidence ?? 'UNKNOWN',
  }))
}

/** The fold of all evidence of an effect, whatever a person said. */
export function foldOf(effect: Pick<EvidenceSource, 'attempts' | 'observations'>): EvidenceFold {
  return foldEvidence(attemptEvidence(effect), effect.observations)
}

/**
 * What is known about an effect. A settlement speaks of the attempts that had started before it; what came later is
 * judged against it in the model of the fold:
 *
 * - `occurred` is CONFIRMED until absences deny every one of its attempts;
 * - `did_not_occur` closes its attempts and leaves later ones to the fold, until a confirmation contradicts it;
 * - `closed_unknown` is UNKNOWN until later evidence decides anything, or another attempt is made.
 *
 * The first two, when contradicted, reopen as a conflict: an absence after "it occurred" must not free the effect, no
 * more than an absence after a confirmation does. Spec: rules R2, R8, evidence "The model".
 */
export function evidenceOf(effect: EvidenceSource): EffectEvidence {
  const { settlement } = effect
  if (settlement === null) {
    const fold = foldOf(effect)
    const neverStarted = effect.attempts.length === 0 && !fold.verificationConflict
    return { ...byFold(fold), status: neverStarted ? null : fold.status }
  }
  if (settlement.verdict === 'closed_unknown') return closedUnknown(effect, settlement)
  const counted = countedEvidence(effect)
  if (!isPossible(counted)) return CONTRADICTED
  const fold = foldEvidence(counted.attempts, counted.observations)
  const status = settlement.verdict === 'occurred' ? 'CONFIRMED' : fold.status
  const settled = settlement.verdict === 'occurred' || status === 'FAILED' ? settlement.verdict : null
  return { ...byFold(fold), status, settled }
}

/** The attempt whose call may still be under way, or null. A store admits one at a time. */
export function openAttempt<A extends Pick<Attempt, 'ending'>>(effect: { readonly attempts: readonly A[] }): A | null {
  return effect.attempts.find((attempt) => attempt.ending === null) ?? null
}

/**
 * Whether evidence or a settlement says if this attempt took effect: one of the two answers would contradict it. An
 * attempt that is only *ended* is not closed, and in a conflict none is. Spec: lifecycle 1.
 */
export function isClosed(effect: EvidenceSource, attemptNumber: number): boolean {
  const attempt = effect.attempts[attemptNumber - 1]
  assert(attempt !== undefined, 'Only an attempt of the effect can be closed')
  const counted = countedEvidence(effect)
  return isPossible(withAnswer(counted, attempt, 'CONFIRMED')) !== isPossible(withAnswer(counted, attempt, 'FAILED'))
}

/** Whether what is known leaves it possible that this attempt took effect. In a conflict nothing is left. */
export function mayHaveOccurred(effect: EvidenceSource, attempt: Pick<Attempt, 'number' | 'target'>): boolean {
  return isPossible(withAnswer(countedEvidence(effect), attempt, 'CONFIRMED'))
}

/** The evidence that counts, and up to which attempt a person says that one of them took effect (0: nobody says so). */
interface CountedEvidence {
  readonly attempts: readonly AttemptEvidence[]
  readonly observations: readonly ObservationEvidence[]
  readonly occurredUpTo: number
}

/** A decisive settlement replaces the evidence that the person had before them, unless "it occurred" agrees with it. */
function countedEvidence(effect: EvidenceSource): CountedEvidence {
  const { observations, settlement } = effect
  const attempts = attemptEvidence(effect)
  if (settlement === null || settlement.verdict === 'closed_unknown') return { attempts, observations, occurredUpTo: 0 }

  const { upToAttempt, upToSequence, verdict } = settlement
  const occurredUpTo = verdict === 'occurred' ? upToAttempt : 0
  const seen = observations.filter(({ sequence }) => sequence <= upToSequence)
  if (verdict === 'occurred' && isPossible({ attempts, observations: seen, occurredUpTo })) {
    return { attempts, observations, occurredUpTo }
  }
  const evidence = verdict === 'occurred' ? 'UNKNOWN' : 'FAILED'
  return {
    attempts: attempts.map((attempt) => (attempt.number <= upToAttempt ? { ...attempt, evidence } : attempt)),
    observations: observations.filter(({ sequence }) => sequence > upToSequence),
    occurredUpTo,
  }
}

/** Whether a world is left, and where a person says that one of their attempts took effect, one in which it did. */
function isPossible(counted: CountedEvidence): boolean {
  if (foldEvidence(counted.attempts, counted.observations).verificationConflict) return false
  if (counted.occurredUpTo === 0) return true
  return counted.attempts
    .slice(0, counted.occurredUpTo)
    .some((attempt) => isPossible({ ...withAnswer(counted, attempt, 'CONFIRMED'), occurredUpTo: 0 }))
}

function withAnswer(
  counted: CountedEvidence,
  { number, target }: Pick<Attempt, 'number' | 'target'>,
  verdict: 'CONFIRMED' | 'FAILED',
): CountedEvidence {
  const answer = { verdict, target, covers: { from: number, to: number } }
  return { ...counted, observations: [...counted.observations, answer] }
}

function closedUnknown(effect: EvidenceSource, { upToAttempt, upToSequence }: Settlement): EffectEvidence {
  const fold = foldOf(effect)
  const decided = effect.observations.some(({ sequence, verdict }) => sequence > upToSequence && verdict !== 'UNKNOWN')
  if (decided || effect.attempts.length > upToAttempt) return { ...byFold(fold), reopened: true }
  return { ...byFold(fold), status: 'UNKNOWN', conflict: false, settled: 'closed_unknown' }
}

const CONTRADICTED = {
  status: 'UNKNOWN',
  conflict: true,
  duplicatePossible: false,
  settled: null,
  reopened: true,
} as const

function byFold({ status, verificationConflict, duplicatePossible }: EvidenceFold): EffectEvidence {
  return { status, conflict: verificationConflict, duplicatePossible, settled: null, reopened: false }
}
