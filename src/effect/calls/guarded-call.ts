// A guarded call: an effect that needs no approval and must not be repeated, and what is kept of it beside the effect.
import type { Effect, Evidence } from '../effect.ts'
import type { Reference } from '../reference.ts'

/**
 * The life of a guarded call. What happened is an effect with its attempts and observations, as for proposals; this says
 * who may go on with it.
 *
 * - *no claim*: nothing is stored under the name and the key. Leaves: a claim, which is one insert that one caller wins.
 * - `PENDING`, no attempt: claimed, nothing was sent. The claim has a holder and a lease, which is never renewed. Leaves:
 *   the holder starts the first attempt; somebody else takes the claim over once the lease has ended, which raises the
 *   fence, so that the start of the former holder fails; or the claim is released, the only deletion of a claim that
 *   there is (rules R16). Each is conditional on the version, so that one of them wins.
 * - `PENDING`, attempts: a call may be under way, or is between two attempts. Only the worker that started it starts
 *   another attempt, and only after the one before was ended and its retry decided and stored. A lease that has ended
 *   permits no call to anybody (harness 4 a 4). Leaves: the worker completes it; or a recovery raises the fence, ends an
 *   open attempt without evidence, asks a verifier and completes it. The worker's word then comes late: that something
 *   happened still counts, that nothing did does not (rules R4).
 * - `COMPLETED`: no attempt is ever started again. Evidence is still added, by reconciliation and late words; the final
 *   status is always the fold of all of it, so it may change, and in a conflict it is UNKNOWN.
 *
 * Spec: harness 1 and 4 a, evidence.
 */
export type CallState = 'PENDING' | 'COMPLETED'

/** What is kept of a call itself. Everything but state, holder and lease is fixed when it is claimed. */
export interface CallClaim {
  /** Names this claim; a key that was released and claimed again has another one. */
  readonly actionId: Reference
  /** Digest of the canonical request; the request itself is not kept. */
  readonly requestHash: string
  /** By which the caller and a verifier find the effect at the provider; never inferred from the idempotency key. */
  readonly providerReference: Reference | null
  readonly risk: string | null
  /** The caller's metadata, canonical JSON of an object. In the clear. */
  readonly metadata: string
  readonly state: CallState
  /** Random; drawn by whoever claimed or took over, and by which they know their own claim. */
  readonly holder: string
  /** Until when nobody else may start the call. */
  readonly leaseUntil: number
  readonly createdAt: number
  readonly completedAt: number | null
}

/** What follows from an attempt that has ended. */
export type RetryDecision = 'stop' | 'retry'

/** What is kept of an ended attempt beside its row. */
export interface CallAttempt {
  readonly number: number
  /** What the operation threw, bounded. In the clear. */
  readonly error: string | null
  /** The operation said that it may be tried again: `DefinitiveFailure` with `retryable`. */
  readonly isRetryable: boolean
  /** Null until it is decided, which is after verification. */
  readonly decision: RetryDecision | null
  /** When the next attempt is due; null unless there is to be one. */
  readonly nextAttemptAt: number | null
}

/** What became of an ended attempt. */
export interface CallDecision {
  readonly number: number
  readonly decision: RetryDecision
  readonly nextAttemptAt: number | null
}

/** How a call goes on, beside what is added to its effect. */
export interface CallProgress {
  /** What is kept of an attempt that has ended, its decision apart. */
  readonly ended: Pick<CallAttempt, 'number' | 'error' | 'isRetryable'> | null
  readonly decided: readonly CallDecision[]
  /** Completes the call. */
  readonly completedAt: number | null
}

/** A guarded call as it is read. */
export interface GuardedCall {
  readonly claim: CallClaim
  readonly effect: Effect
  /** Of the attempts that have ended, by number. */
  readonly attempts: readonly CallAttempt[]
}

/** The public statement about a call. Spec: evidence, "State semantics" of the seed. */
export type ActionStatus = Evidence
