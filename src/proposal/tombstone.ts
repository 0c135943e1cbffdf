// What is left of an erased proposal: enough to bar a repeat and to count, nothing of its content.
import { evidenceOf } from '../effect/effect-evidence.ts'
import type { EffectKey } from '../effect/effect-key.ts'
import type { Effect, Evidence } from '../effect/effect.ts'
import type { ReasonCode, Reference } from '../effect/reference.ts'
import type { Approval } from './approval.ts'
import { evaluatePolicy } from './policy/evaluate-policy.ts'
import type { Proposal } from './proposal.ts'
import type { Status } from './status.ts'

/** What stays of a proposal as it was. */
export interface Kept {
  readonly tenant: Reference
  readonly ref: Reference
  readonly action: string
  readonly effect: EffectKey
  readonly status: Status
  readonly evidence: Evidence | null
  readonly attemptCount: number
  readonly createdAt: number
  readonly expiresAt: number
  readonly settledAt: number | null
  readonly metRequirements: readonly string[]
  readonly replacedBy: Reference | null
  readonly supersededBy: Reference | null
}

/** The whole list; a store keeps nothing else of an erased proposal. Spec: policy-and-protection 5. */
export interface Tombstone extends Kept {
  readonly revision: number
  readonly erasedAt: number
  readonly reason: ReasonCode
  readonly receiptCount: number
  readonly lastHash: string
}

/**
 * What is kept of a proposal. Its requirements are those that were met when its last attempt was admitted; without an
 * attempt, when it last changed. Evidence is told only of an effect that it had an attempt on.
 */
export function keptOf(proposal: Proposal, approvals: readonly Approval[], effect: Effect | null): Kept {
  const attempts = effect?.attempts.filter((attempt) => attempt.proposal === proposal.ref) ?? []
  const at = { now: attempts.at(-1)?.startedAt ?? proposal.updatedAt, commitment: proposal.commitment }
  const { byRequirement } = evaluatePolicy(proposal.policy, approvals, at)
  return {
    tenant: proposal.tenant,
    ref: proposal.ref,
    action: proposal.action,
    effect: proposal.effect,
    status: proposal.status,
    evidence: effect === null || attempts.length === 0 ? null : evidenceOf(effect).status,
    attemptCount: attempts.length,
    createdAt: proposal.createdAt,
    expiresAt: proposal.expiresAt,
    settledAt: 'settledAt' in proposal ? proposal.settledAt : null,
    metRequirements: byRequirement.filter(({ missing }) => missing === 0).map(({ name }) => name),
    replacedBy: 'replacedBy' in proposal ? proposal.replacedBy : null,
    supersededBy: 'supersededBy' in proposal ? proposal.supersededBy : null,
  }
}
