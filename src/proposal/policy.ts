// The approval policy as its author writes it: who must approve, who may not, and how long an approval counts.
import type { JsonValue } from '../effect/canonical-json.ts'
import { jsonPointer } from '../effect/json-pointer.ts'
import { limits } from '../effect/limits.ts'
import { isReference, type Reference } from '../effect/reference.ts'
import { type Duration, durationMs } from './duration.ts'
import type { Problem } from './errors.ts'
import { isMoneyValue, type Money } from './money.ts'
import type { Status } from './status.ts'

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

/** What the snapshot's schema says about a JSON Pointer. */
export type PathKind = 'money' | 'other' | 'missing'

const sentences = {
  not_an_object: 'must be an object',
  not_a_list: 'must be a list',
  unknown_field: 'is no field of a policy',
  no_approval_undeclared: 'going without approval is declared by noApproval(reason) only',
  require_empty: 'must name at least one requirement; going without is declared by noApproval(reason)',
  require_conditional: 'must hold a requirement without "when", so that nothing is met by default',
  counts_over_limit: 'asks for more approvals together than a proposal can carry',
  name_invalid: 'must be a name: not empty, at most 255 characters, trimmed',
  name_duplicate: 'is the name of an earlier requirement',
  count_invalid: 'must be a whole number of at least 1',
  count_over_limit: 'is more than the approvals that a proposal can carry',
  count_over_principals: 'is more than the principals named',
  from_invalid: 'must be { role } or { principals }',
  role_invalid: 'must be the name of a role: not empty, at most 255 characters, trimmed',
  principals_empty: 'must name at least one principal',
  principal_invalid: 'must be "user:…" or "service:…"',
  principal_agent: 'an agent never approves',
  principal_duplicate: 'is named twice',
  when_path_missing: 'is no path of the snapshot',
  when_path_not_money: 'is not money',
  when_threshold_invalid: 'must be money of zero or more, with exactly the decimals of its currency',
  exclusion_invalid: 'must be true, or { allowed: reason } to switch the exclusion off',
  approval_ttl_invalid: 'must be a duration, such as "24h"',
  assurance_empty: 'must demand at least one level; leave it out for the default',
  assurance_invalid: 'must be the name of an assurance level',
  assurance_duplicate: 'is named twice',
  related_invalid: 'must be "block" or "warn"',
} as const

/** The rule that a policy breaks. */
export type PolicyRule = keyof typeof sentences

/** One thing that is wrong with a policy: where (`/policy/require/0/count`), which rule, in words. Never the value. */
export interface PolicyProblem extends Problem {
  readonly rule: PolicyRule
}

/**
 * Everything that is wrong with a policy, at registration or as a policy function has returned it. None: it may be
 * frozen. Spec: policy-and-protection 1, lifecycle 3.
 */
export function checkPolicy(input: unknown, pathKind: (pointer: string) => PathKind): readonly PolicyProblem[] {
  const problems: PolicyProblem[] = []
  const report: Report = (path, rule) => {
    problems.push({ path: jsonPointer(['policy', ...path]), rule, message: sentences[rule] })
  }
  if (isRecord(input) && declared.has(input)) return problems
  const policy = fieldsOf(input, [], ['require', 'exclude', 'approvalTtl', 'assurance', 'whileRelatedInDoubt'], report)
  return problems
}
