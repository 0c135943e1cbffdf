// The policy of an action in short: what somebody who is about to propose may know of who will have to approve.
import { parseDuration } from '../definition/duration.ts'
import type { AmountCondition, PolicyInput, RequirementInput } from './policy.ts'

/** Whose approvals meet a requirement; of named principals only how many there are. */
export type SourceSummary = { readonly role: string } | { readonly named: number }

/** One requirement in short. */
export interface RequirementSummary {
  readonly name: string
  readonly count: number
  readonly from: SourceSummary
  /** From which amount on it applies; null if always. */
  readonly when: AmountCondition | null
}

/** `chosen` says that the action decides it for each proposal. */
export type PolicySummary =
  | { readonly kind: 'none'; readonly reason: string }
  | { readonly kind: 'chosen' }
  | {
      readonly kind: 'rules'
      readonly require: readonly RequirementSummary[]
      readonly assurance: readonly string[]
      /** How long one approval counts; null for as long as the proposal. */
      readonly approvalTtlMs: number | null
      readonly whileRelatedInDoubt: 'block' | 'warn'
    }

/**
 * Sums up a policy that was checked at registration. Nobody is named: the action serves every tenant, and who approves in
 * one is no business of another. Spec: http "GET /v1/actions".
 */
export function summarizePolicy(policy: PolicyInput | ((...args: never[]) => unknown)): PolicySummary {
  if (typeof policy === 'function') return { kind: 'chosen' }
  if ('noApproval' in policy) return { kind: 'none', reason: policy.noApproval }
  const { require, assurance = ['authenticated_session'], approvalTtl, whileRelatedInDoubt = 'warn' } = policy
  return {
    kind: 'rules',
    require: require.map(summarizeRequirement),
    assurance: [...assurance],
    approvalTtlMs: approvalTtl === undefined ? null : parseDuration(approvalTtl),
    whileRelatedInDoubt,
  }
}

function summarizeRequirement({ name, count, from, when }: RequirementInput): RequirementSummary {
  const source = 'role' in from ? { role: from.role } : { named: from.principals.length }
  return { name, count, from: source, when: when ?? null }
}
