// Asking a verifier: read-only, within a time, and judged strictly; whatever it does is an answer.
import { isVerificationResult, judgeAnswer, type VerificationResult } from '../../effect/answer.ts'
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import type { GuardedCall } from '../../effect/calls/guarded-call.ts'
import type { CallValue } from '../../effect/calls/readable-value.ts'
import type { Evidence, Observation } from '../../effect/effect.ts'
import { isReference, parseReasonCode, type ReasonCode, type Reference } from '../../effect/reference.ts'
import type { HostCall } from '../../proposal/answers/executor-word.ts'
import { callHost } from '../host-call.ts'
import type { CallCore } from './call-core.ts'
import type { VerifyAction } from './operation.ts'

/** What a verifier's answer adds to the record, and the value that it recovered. */
export interface Verified {
  readonly observation: Omit<Observation, 'sequence'>
  readonly value: CallValue
}

/** Asks once about the attempts that have started by now. Nothing is thrown. Spec: evidence 3.1, table A. */
export async function askVerifier(core: CallCore, call: GuardedCall, verify: VerifyAction): Promise<Verified> {
  const { effect, claim } = call
  const beganAt = core.clock.now()
  const answered = await callHost(core.clock, core.times.verifyTimeoutMs, (signal) => {
    return verify(actionReceipt(call), { signal })
  })
  const answer = answered.kind === 'returned' && isVerificationResult(answered.value) ? answered.value : null
  const verdict = judgeAnswer(answer, claim.providerReference)
  const requestId = answer !== null && isReference(answer.providerRequestId) ? answer.providerRequestId : null
  const observation: Verified['observation'] = {
    source: 'verifier',
    answer: answer?.kind ?? 'none',
    verdict,
    covers: { from: coversFrom(answer, effect.attempts.length), to: effect.attempts.length },
    target: effect.attempts.at(-1)?.target ?? '',
    proof: null,
    flags: [],
    reason: verdict === 'UNKNOWN' ? whyUnknown(answered, answer, claim.providerReference) : null,
    externalReference: requestId,
    matches: null,
    beganAt,
    endedAt: core.clock.now(),
  }
  return { observation, value: valueOf(answer, verdict, requestId) }
}

// A confirmation says that one of all attempts did it; an absence speaks of the latest, unless it says more.
function coversFrom(answer: VerificationResult | null, attempts: number): number {
  return answer?.kind === 'absent' && answer.coversAttempts === 'latest' ? attempts : 1
}

function whyUnknown(
  answered: HostCall,
  answer: VerificationResult | null,
  providerReference: Reference | null,
): ReasonCode {
  return parseReasonCode(whyUndecided(answered, answer, providerReference), '')
}

function whyUndecided(
  answered: HostCall,
  answer: VerificationResult | null,
  providerReference: Reference | null,
): string {
  if (answered.kind === 'threw') return 'verifier_threw'
  if (answered.kind === 'timed_out') return 'verifier_timed_out'
  if (answer === null) return 'no_verification_result'
  if (answer.kind === 'unknown') return 'verifier_unknown'
  if (answer.health !== 'HEALTHY') return 'read_unhealthy'
  if (providerReference === null || answer.verifiedProviderReference !== providerReference) return 'reference_unbound'
  return 'absence_not_final'
}

function valueOf(answer: VerificationResult | null, verdict: Evidence, requestId: Reference | null): CallValue {
  if (verdict !== 'CONFIRMED' || answer?.kind !== 'confirmed' || !Object.hasOwn(answer, 'value'))
    return { source: 'none' }
  return { source: 'verifier', value: answer.value, requestId }
}
