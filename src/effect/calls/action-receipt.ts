// The receipt of a guarded call: an immutable snapshot of everything that is on record about it.
import { deepFreeze, type JsonValue, parseCanonicalJson } from '../canonical-json.ts'
import type { Coverage } from '../effect.ts'
import { CALL_DOMAIN_PREFIX } from '../effect-key.ts'
import type { Reference } from '../reference.ts'
import { callStatuses, isVerification, verificationAfter } from './call-evidence.ts'
import type { ActionStatus, CallState, GuardedCall, RetryDecision } from './guarded-call.ts'
import { requestIdsOf } from './request-ids.ts'

/** One attempt of a call, as its receipt tells it. */
export interface ActionAttempt {
  readonly number: number
  /** What the call itself established; null while it is under way. */
  readonly executionStatus: ActionStatus | null
  /** What verifiers answered after it and before the next one; null if none was asked. */
  readonly verificationStatus: ActionStatus | null
  /** Why the call ended so, as a code. */
  readonly reason: string | null
  /** What the operation threw, at most 500 characters. In the clear. */
  readonly error: string | null
  readonly providerRequestId: Reference | null
  /** Null as long as it is not decided. */
  readonly retryDecision: RetryDecision | null
  readonly startedAt: number
  readonly endedAt: number | null
}

/** One answer of a verifier, or a word of the operation that came after the fence was raised. */
export interface ActionObservation {
  readonly source: 'verifier' | 'operation'
  readonly status: ActionStatus
  readonly covers: Coverage
  readonly reason: string | null
  readonly providerRequestId: Reference | null
  readonly beganAt: number
  readonly endedAt: number
}

/** An immutable snapshot of a guarded call. It holds no request and no value. Spec: harness 1. */
export interface ActionReceipt {
  readonly actionId: Reference
  readonly tenant: Reference
  readonly name: string
  readonly idempotencyKey: Reference
  readonly requestHash: string
  readonly providerReference: Reference | null
  /** The id with which values are correlated. */
  readonly providerRequestId: Reference | null
  /** All ids that were seen, in the order of first sight. */
  readonly providerRequestIds: readonly Reference[]
  /** Confirmations named different requests: there may be two effects. */
  readonly providerRequestIdConflict: boolean
  readonly risk: string | null
  /** The state of the claim, which is no status. */
  readonly state: CallState
  /** What direct execution established; null before the first attempt. */
  readonly executionStatus: ActionStatus | null
  /** What independent read-back established; null if there was none. */
  readonly verificationStatus: ActionStatus | null
  /** The current public statement; null while the claim is PENDING. */
  readonly finalStatus: ActionStatus | null
  readonly verificationConflict: boolean
  readonly duplicatePossible: boolean
  readonly attempts: readonly ActionAttempt[]
  readonly observations: readonly ActionObservation[]
  /** Grows with every stored change. */
  readonly version: number
  readonly metadata: Readonly<Record<string, JsonValue>>
  /** Instants, in milliseconds UTC. */
  readonly createdAt: number
  readonly completedAt: number | null
  /** When the next attempt is due, while its worker waits. */
  readonly nextAttemptAt: number | null
}

/** The receipt of a call as it was read. */
export function actionReceipt({ claim, effect, attempts: notes }: GuardedCall): ActionReceipt {
  const statuses = callStatuses(effect)
  const ids = requestIdsOf(effect)
  const isCompleted = claim.state === 'COMPLETED'
  return deepFreeze({
    actionId: claim.actionId,
    tenant: effect.key.tenant,
    name: effect.key.domain.slice(CALL_DOMAIN_PREFIX.length),
    idempotencyKey: effect.key.reference,
    requestHash: claim.requestHash,
    providerReference: claim.providerReference,
    providerRequestId: ids.retained,
    providerRequestIds: ids.all,
    providerRequestIdConflict: ids.conflict,
    risk: claim.risk,
    state: claim.state,
    executionStatus: statuses.execution,
    verificationStatus: statuses.verification,
    finalStatus: isCompleted ? statuses.final : null,
    verificationConflict: statuses.conflict,
    duplicatePossible: statuses.duplicatePossible,
    attempts: effect.attempts.map((attempt) => {
      const note = notes.find(({ number }) => number === attempt.number)
      return {
        number: attempt.number,
        executionStatus: attempt.ending && attempt.ending.evidence,
        verificationStatus: verificationAfter(effect, attempt.number),
        reason: attempt.ending && attempt.ending.reason,
        error: note?.error ?? null,
        providerRequestId: attempt.ending && attempt.ending.externalReference,
        retryDecision: note?.decision ?? null,
        startedAt: attempt.startedAt,
        endedAt: attempt.ending && attempt.ending.at,
      }
    }),
    observations: effect.observations.map((observation) => ({
      source: isVerification(observation) ? 'verifier' : 'operation',
      status: observation.verdict,
      covers: { ...observation.covers },
      reason: observation.reason,
      providerRequestId: observation.externalReference,
      beganAt: observation.beganAt,
      endedAt: observation.endedAt,
    })),
    version: effect.version,
    metadata: parseCanonicalJson(claim.metadata) as Readonly<Record<string, JsonValue>>,
    createdAt: claim.createdAt,
    completedAt: claim.completedAt,
    nextAttemptAt: isCompleted || notes.length < effect.attempts.length ? null : (notes.at(-1)?.nextAttemptAt ?? null),
  })
}
