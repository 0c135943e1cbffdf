// What the evidence of a guarded call says: of direct execution, of verification, and of both together.
import type { Effect, Evidence, Observation } from '../effect.ts'
import { attemptEvidence, evidenceOf } from '../effect-evidence.ts'
import { foldEvidence } from '../evidence.ts'

/** The three statements about a call. Each is null as long as there is nothing that it could rest on. */
export interface CallStatuses {
  /** What the calls themselves established; null before the first. */
  readonly execution: Evidence | null
  /** What verifiers established; null if none was asked. */
  readonly verification: Evidence | null
  /** The fold of all evidence; null before the first attempt. */
  readonly final: Evidence | null
  /** The evidence contradicts itself; the final status stays UNKNOWN. */
  readonly conflict: boolean
  /** More than one attempt may have taken effect. */
  readonly duplicatePossible: boolean
}

/** The statements, derived anew from what is on record. Spec: evidence 3. */
export function callStatuses(effect: Effect): CallStatuses {
  const { status, conflict, duplicatePossible } = evidenceOf(effect)
  return {
    execution: executionOf(effect),
    verification: verificationOf(effect),
    final: status,
    conflict,
    duplicatePossible,
  }
}

/** Whether the observation is a verifier's answer. */
export function isVerification({ source }: Observation): boolean {
  return source === 'verifier'
}

// A word that came after the fence is an observation and still what the call itself said.
function executionOf(effect: Effect): Evidence | null {
  if (effect.attempts.length === 0) return null
  const late = effect.observations.filter((observation) => !isVerification(observation))
  return foldEvidence(attemptEvidence(effect), late).status
}

function verificationOf({ attempts, observations }: Effect): Evidence | null {
  const answers = observations.filter(isVerification)
  if (answers.length === 0) return null
  const open = attempts.map(({ number, target }) => ({ number, target, evidence: 'UNKNOWN' as const }))
  return foldEvidence(open, answers).status
}

/** What the verifier's answers after this attempt, and before the next, say together; null if there are none. */
export function verificationAfter({ observations }: Effect, attemptNumber: number): Evidence | null {
  const answers = observations.filter((one) => isVerification(one) && one.covers.to === attemptNumber)
  if (answers.length === 0) return null
  const found = answers.some(({ verdict }) => verdict === 'CONFIRMED')
  const denied = answers.some(({ verdict }) => verdict === 'FAILED')
  if (found === denied) return 'UNKNOWN'
  return found ? 'CONFIRMED' : 'FAILED'
}
