// A proposal: authority over one effect, as a union with one member per status, so that a field that a status cannot have does not exist.
import type { EffectKey } from '../effect/effect-key.ts'
import type { ReasonCode, Reference } from '../effect/reference.ts'
import type { FrozenPolicy } from './policy/freeze-policy.ts'
import type { Principal } from './principal.ts'

/** How far erasure has gone. `requested` is deferred until the effect is settled; `pending` is hidden. Spec: lifecycle 2. */
export type Erasure = 'none' | 'requested' | 'pending' | 'erased'

/**
 * What a person must know beside the status. The owner of an effect and its former owners are both marked (rules R3).
 * Spec: lifecycle 2.
 */
export const ATTENTIONS = [
  'late_evidence',
  'conflicting_evidence',
  'duplicate_possible',
  'effect_mismatch',
  'reversed',
  'effect_in_doubt',
  'settlement_unconfirmed',
] as const

/** One flag that asks for a person. */
export type Attention = (typeof ATTENTIONS)[number]

/** What every proposal is from its creation on, whatever its status. Only the last five fields ever change. */
export interface ProposalCore {
  readonly tenant: Reference
  readonly ref: Reference
  /** `namespace/name@version`. */
  readonly action: string
  readonly definitionDigest: string
  readonly effect: EffectKey
  /** An opaque label of the thing acted on; related proposals are found by it. */
  readonly subject: Reference | null
  readonly requester: Principal
  /** The agent that proposed, and on whose behalf. */
  readonly agent: Principal | null
  readonly agentOwner: Principal | null
  readonly replaces: Reference | null
  readonly policy: FrozenPolicy
  /** Keyed digest over action name and command; null once erased. Spec: policy-and-protection 3. */
  readonly commandFingerprint: string | null
  /** What an approval is good for, in its shown form `c1_…`. Spec: policy-and-protection 3. */
  readonly commitment: string
  readonly createdAt: number
  /** Exclusive. */
  readonly expiresAt: number
  /** Grows by one with every stored change; the receipt of that change has the sequence `revision + 1`. */
  readonly revision: number
  /** Never decreases, whatever the clock says (invariant I12). */
  readonly updatedAt: number
  readonly erasure: Erasure
  /** Why execution was last refused without a change of status; one receipt per change of it (rules R18). */
  readonly blockedBy: ReasonCode | null
  readonly attention: readonly Attention[]
}

export interface AwaitingApproval extends ProposalCore {
  readonly status: 'awaiting_approval'
}

export interface Approved extends ProposalCore {
  readonly status: 'approved'
}

export interface Executing extends ProposalCore {
  readonly status: 'executing'
  readonly attempt: number
}

export interface VerificationPending extends ProposalCore {
  readonly status: 'verification_pending'
  readonly attempt: number
}

export interface FailedUnknown extends ProposalCore {
  readonly status: 'failed_unknown'
  readonly attempt: number
  readonly reason: ReasonCode
}

export interface VerificationUnresolved extends ProposalCore {
  readonly status: 'verification_unresolved'
  readonly reason: ReasonCode
}

export interface Verified extends ProposalCore {
  readonly status: 'verified'
  readonly settledAt: number
}

export interface FailedKnown extends ProposalCore {
  readonly status: 'failed_known'
  readonly reason: ReasonCode
  readonly settledAt: number
}

export interface ClosedUnknown extends ProposalCore {
  readonly status: 'closed_unknown'
  readonly reason: ReasonCode
  readonly settledAt: number
}

export interface Rejected extends ProposalCore {
  readonly status: 'rejected'
  readonly closedAt: number
}

export interface Withdrawn extends ProposalCore {
  readonly status: 'withdrawn'
  readonly reason: ReasonCode
  readonly closedAt: number
}

export interface Expired extends ProposalCore {
  readonly status: 'expired'
  readonly closedAt: number
}

export interface Stale extends ProposalCore {
  readonly status: 'stale'
  readonly reason: ReasonCode
  /** The material paths that moved; values are never stored, only computed for those who may read them (rules R19). */
  readonly driftPaths: readonly string[]
  readonly replacedBy: Reference | null
  readonly closedAt: number
}

export interface Superseded extends ProposalCore {
  readonly status: 'superseded'
  readonly supersededBy: Reference
  readonly closedAt: number
}

/** A proposal in one of its statuses. Spec: lifecycle 2. */
export type Proposal =
  | AwaitingApproval
  | Approved
  | Executing
  | VerificationPending
  | FailedUnknown
  | VerificationUnresolved
  | Verified
  | FailedKnown
  | ClosedUnknown
  | Rejected
  | Withdrawn
  | Expired
  | Stale
  | Superseded

/** The fields that only some statuses have; a store keeps each in a column of its own. */
export interface StatusFields {
  readonly attempt?: number
  readonly reason?: ReasonCode
  readonly driftPaths?: readonly string[]
  readonly replacedBy?: Reference | null
  readonly supersededBy?: Reference
  readonly settledAt?: number
  readonly closedAt?: number
}
