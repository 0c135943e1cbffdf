// An effect: one intended change in the outside world, with the attempts and observations that only ever grow.
import type { EffectKey, IdempotencyKey } from './effect-key.ts'
import type { Reference, ReasonCode } from './reference.ts'

/** What the evidence says about an effect or an attempt. Spec: evidence, "State semantics" of the seed. */
export type Evidence = 'CONFIRMED' | 'FAILED' | 'UNKNOWN'

/** Why an absence may be final. Spec: harness 4 a 6, rules R11. */
export type ProofKind = 'terminal' | 'cancelled' | 'fenced' | 'key_consumed' | 'settled'

/**
 * How the call of an attempt went. `not_sent` is proof that nothing left the process; `lease_lapsed` says that nobody
 * reported before the lease was over, which is no evidence at all (design D9).
 */
export type AttemptEndingKind = (typeof ATTEMPT_ENDINGS)[number]

/** The kinds of {@link AttemptEndingKind}: what is stored, exported and answered over HTTP is read by this list. */
export const ATTEMPT_ENDINGS = [
  'accepted',
  'returned',
  'stale_no_effect',
  'failed_known',
  'failed_unknown',
  'not_sent',
  'lease_lapsed',
] as const

/** What the row of an ended attempt says. An attempt is *closed* only when evidence says whether it took effect. */
export interface AttemptEnding {
  readonly kind: AttemptEndingKind
  /** What this ending alone establishes about the attempt. */
  readonly evidence: Evidence
  /** When the return was recorded, on the store's clock. */
  readonly at: number
  readonly reason: ReasonCode | null
  readonly externalReference: Reference | null
}

/** One call of the executor, durable before the call is made. Numbered from 1 over all proposals of the effect (design D2). */
export interface Attempt {
  readonly number: number
  readonly proposal: Reference | null
  readonly action: string
  /** The target system of the definition that made the attempt; an answer covers only attempts of its own target (R11). */
  readonly target: string
  /** Part of the idempotency key. Spec: rules R5. */
  readonly generation: number
  readonly idempotencyKey: IdempotencyKey
  /** The fence under which the attempt was admitted. */
  readonly epoch: number
  /** Random; whoever ends the attempt must name it. */
  readonly token: string
  readonly startedAt: number
  /** When the lease ends; `startedAt + executeTimeout + 30 s`. */
  readonly leaseUntil: number
  readonly precondition: Reference | null
  readonly ending: AttemptEnding | null
}

/** The attempts, by number and both ends included, that had started when a read began. */
export interface Coverage {
  readonly from: number
  readonly to: number
}

/** Something beside the verdict that a person must look at. Spec: lifecycle 7, evidence "Beside the fold". */
export type ObservationFlag =
  | 'effect_mismatch'
  | 'predates_attempt'
  | 'duplicate'
  | 'reference_differs'
  | 'reversed'
  | 'late'
  | 'fact_missing'

/** One recorded look at the outside world. Append-only; sequence numbers have no gaps within an effect. */
export interface Observation {
  readonly sequence: number
  readonly source: 'verifier' | 'executor' | 'fence' | 'cancel' | 'event'
  /** The answer in its own words (for `fence` and `cancel` the target's acknowledgement, for `event` that something was announced), such as `verified_completion` or `provisional_absence`. */
  readonly answer: string
  /** What it removes from the worlds that are left; UNKNOWN removes nothing. */
  readonly verdict: Evidence
  readonly covers: Coverage
  readonly target: string
  readonly proof: ProofKind | null
  readonly flags: readonly ObservationFlag[]
  readonly reason: ReasonCode | null
  readonly externalReference: Reference | null
  readonly matches: number | null
  /** On the store's clock: when the read began and when its answer was there. */
  readonly beganAt: number
  readonly endedAt: number
}

/** A person's record beside the fold. Spec: rules R8. */
export interface Settlement {
  readonly verdict: 'occurred' | 'did_not_occur' | 'closed_unknown'
  /** The last observation that the person could have seen, 0 for none; later contradicting evidence reopens. */
  readonly upToSequence: number
  /** The last attempt that had started; the verdict speaks of these alone. A number, since clocks do not give order (D11). */
  readonly upToAttempt: number
  /**
   * `kind:id` of the operator, and of the second one who confirmed a `did_not_occur`; only then may the claim pass on.
   * `erased` once every proposal behind the effect is.
   */
  readonly by: string
  readonly secondOperator: string | null
  readonly reason: ReasonCode
  readonly evidenceReference: Reference
  readonly at: number
}

/** A lease on verification. `holder` is the instance of the runtime that has it. */
export interface VerifyLease {
  readonly holder: string
  readonly until: number
}

/** An effect as the store keeps it. The rows of `attempts` and `observations` are ordered by number and sequence. */
export interface Effect {
  readonly key: EffectKey
  readonly kind: 'proposal' | 'call'
  /** Raised by claim, attempt, observation and settlement; every admission is conditional on it (rules R2). */
  readonly version: number
  /** The proposal that owns the claim. */
  readonly owner: Reference | null
  /** The fence; raised at every admission and before a lapsed attempt is looked into. */
  readonly epoch: number
  readonly attempts: readonly Attempt[]
  readonly observations: readonly Observation[]
  readonly settlement: Settlement | null
  /** When verification is due; null when nothing is to be verified. */
  readonly verifyDueAt: number | null
  /** Who verifies, and until when nobody else does, for economy only: a second read would do no harm. */
  readonly verifyLease: VerifyLease | null
  /** Answers spent from the two budgets since the last resume. */
  readonly absencesSpent: number
  readonly unavailablesSpent: number
}
