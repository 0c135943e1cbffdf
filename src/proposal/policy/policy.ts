// The approval policy as its author writes it: who must approve, who may not, and how long an approval counts.
import type { JsonValue } from '../../effect/canonical-json.ts'
import { limits } from '../../effect/limits.ts'
import type { Reference } from '../../effect/reference.ts'
import type { Duration } from '../definition/duration.ts'
import type { Money } from '../money.ts'
import type { Status } from '../status.ts'

/** Whose approvals meet a requirement: everybody with a role, or the principals named, spelled `user:…` or `service:…`. */
export type ApproverSource = { readonly role: string } | { readonly principals: readonly string[] }

/**
 * When a requirement applies: the money at `path` (a JSON Pointer into the snapshot) is at least this. What cannot be
 * judged counts as true. Spec: rules R12.
 */
export type AmountCondition = { readonly path: string; readonly atLeast: Money }

/** So many approvals from there, if the condition holds; without one, always. Names are public: they outlive erasure. */
export interface RequirementInput {
  readonly name: string
  readonly count: number
  readonly from: ApproverSource
  readonly when?: AmountCondition
}

/** An exclusion is on, or is switched off with the reason for it. There is no `false`: nobody drops it in silence. */
export type ExclusionInput = true | { readonly allowed: string }

/** Approvals that are asked for. All requirements must be met; one principal meets at most one and counts once. */
export interface ApprovalRules {
  readonly require: readonly RequirementInput[]
  /** Separation of duties; both are on unless switched off. The requesters of a replaced chain are always excluded. */
  readonly exclude?: { readonly requester?: ExclusionInput; readonly agentOwner?: ExclusionInput }
  /** How long one approval counts, at most the proposal's lifetime, which is the default. */
  readonly approvalTtl?: Duration
  /** What the approver's session must have established; default `['authenticated_session']`. */
  readonly assurance?: readonly string[]
  /** What a related proposal in doubt does to execution; default `warn`. Decisions are taken either way. */
  readonly whileRelatedInDoubt?: 'block' | 'warn'
}

/** No approval is asked for, and why; made by `noApproval` and by nothing else. */
export interface NoApproval {
  readonly noApproval: string
}

/** A policy as data. Spec: policy-and-protection 1. */
export type PolicyInput = ApprovalRules | NoApproval

/** A proposal for the same effect or subject, as far as a policy function may look at it. */
export interface RelatedProposal {
  readonly ref: Reference
  readonly action: string
  readonly status: Status
}

/** A pure function that chooses the policy at prepare; what it returns is checked like any other policy, then frozen. */
export type PolicyFunction<Snapshot = JsonValue> = (args: {
  readonly snapshot: Snapshot
  readonly related: readonly RelatedProposal[]
}) => PolicyInput

// What was made here, so that data that merely looks alike (a snapshot, a settings file) cannot switch approval off.
const declared = new WeakSet<object>()

/**
 * The only way to go without approval: by saying so, with a reason that every reader is shown.
 *
 * @throws TypeError if the reason is empty or over the limit `reasonTextCharacters`.
 */
export function noApproval(reason: string): NoApproval {
  if (!isReasonText(reason)) throw new TypeError('noApproval() needs a reason in words')
  const policy: NoApproval = Object.freeze({ noApproval: reason })
  declared.add(policy)
  return policy
}

/** Whether a value was made by `noApproval`; a copy of one was not. */
export function isNoApproval(value: unknown): value is NoApproval {
  return typeof value === 'object' && value !== null && declared.has(value)
}

/** Whether a value is a reason that a person can read: not blank, well-formed, within its limit. */
export function isReasonText(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.isWellFormed() &&
    [...value].length <= limits.reasonTextCharacters
  )
}
