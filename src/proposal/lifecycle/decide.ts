// Decisions: approve, reject and take back, each in the order of checks that tells the least to those who may the least.
import type { Reference } from '../../effect/reference.ts'
import { limits } from '../../effect/limits.ts'
import type { Approval } from '../approval.ts'
import { sameCommitment } from '../content/commitment.ts'
import { canStillCount, evaluatePolicy, stillCounts } from '../policy/evaluate-policy.ts'
import { type Principal, principalName, samePrincipal } from '../principal.ts'
import type { Proposal } from '../proposal.ts'
import { isOpen } from '../status.ts'
import { expire } from './time.ts'
import { next, outcomeOf, type Refused, reason, refuse, stay, type Verdict } from './verdict.ts'

/** A decision as it will stand on record if it is taken; built by the runtime from the session. */
export interface Decision {
  readonly approval: Approval
  readonly approvals: readonly Approval[]
  /** Approvals given before this do not count for taking the effect over (rules R1); null where that is no question. */
  readonly countsFrom: number | null
}

/** Whether the principal is barred from deciding before any right is asked for. Spec: lifecycle 5. */
export function decisionBar(proposal: Proposal, principal: Principal): Refused | null {
  if (principal.kind === 'agent') return refuse('agent_cannot_decide')
  const name = principalName(principal)
  return proposal.policy.excluded.some((excluded) => excluded.principal === name)
    ? refuse('separation_of_duties')
    : null
}

/** Records an approval, also beyond the quorum; the policy then says whether the proposal is approved. */
export function approve(proposal: Proposal, decision: Decision, now: number): Verdict {
  const { approval, approvals } = decision
  const refused = decisionRefused(proposal, approval, now)
  if (refused !== null) return refused
  if (approvals.some((earlier) => isEqual(proposal, earlier, decision, now))) return stay('replayed')
  if (approvals.length >= limits.approvalsPerProposal) return refuse('limit_exceeded')
  const met = policyMet(proposal, [...approvals, approval], now)
  return {
    kind: 'move',
    proposal: next(proposal, met ? 'approved' : 'awaiting_approval', {}, now),
    receipt: { type: 'approval.approved' },
    outcome: met ? 'approved' : 'approval_pending',
    reason: null,
  }
}

/** Closes the proposal; by anyone who may decide, until admission. */
export function reject(proposal: Proposal, { approval }: Decision, now: number): Verdict {
  const refused = decisionRefused(proposal, approval, now)
  if (refused !== null) return refused
  return {
    kind: 'move',
    proposal: next(proposal, 'rejected', { closedAt: now }, now),
    receipt: { type: 'approval.rejected' },
    outcome: 'rejected',
    reason: null,
  }
}

/** Takes back an approval of one's own that still counts. No right is asked for: who gave may take. */
export function revokeApproval(
  proposal: Proposal,
  command: { readonly approvalId: Reference; readonly principal: Principal; readonly approvals: readonly Approval[] },
  now: number,
): Verdict {
  const approval = command.approvals.find(({ approvalId }) => approvalId === command.approvalId)
  if (approval === undefined || approval.decision !== 'approve') return refuse('not_found')
  if (!samePrincipal(approval.approver, command.principal)) return refuse('not_found')
  if (!isOpen(proposal.status)) return stay(outcomeOf(proposal.status))
  if (now >= proposal.expiresAt) return expire(proposal, now)
  if (approval.revokedAt !== null) return stay('replayed')
  if (now >= approval.expiresAt) return stay('conflict', 'approval_lapsed')
  const rest = command.approvals.map((other) => (other === approval ? { ...other, revokedAt: now } : other))
  // What waits goes on waiting: nothing is approved by taking something back.
  const stays = proposal.status === 'approved' && policyMet(proposal, rest, now)
  return {
    kind: 'move',
    proposal: next(proposal, stays ? 'approved' : 'awaiting_approval', {}, now),
    receipt: { type: 'approval.revoked' },
    outcome: 'revoked',
    reason: null,
  }
}

/** The approvals that the policy rests on no longer suffice. */
export function lapse(proposal: Proposal, now: number): Verdict {
  if (proposal.status !== 'approved') return stay(outcomeOf(proposal.status))
  return {
    kind: 'move',
    proposal: next(proposal, 'awaiting_approval', {}, now),
    receipt: { type: 'approval.lapsed' },
    outcome: 'approval_pending',
    reason: reason('approval_lapsed'),
  }
}

/** The approvals on record suffice again. */
export function restore(proposal: Proposal, now: number): Verdict {
  if (proposal.status !== 'awaiting_approval') return stay(outcomeOf(proposal.status))
  return {
    kind: 'move',
    proposal: next(proposal, 'approved', {}, now),
    receipt: { type: 'approval.restored' },
    outcome: 'approved',
    reason: null,
  }
}

function decisionRefused(proposal: Proposal, approval: Approval, now: number): Verdict | null {
  if (!isOpen(proposal.status)) return stay(outcomeOf(proposal.status))
  if (now >= proposal.expiresAt) return expire(proposal, now)
  const assured = proposal.policy.assurance.every((level) => approval.assurance.includes(level))
  if (!assured || !sameCommitment(approval.commitment, proposal.commitment)) return refuse('binding_mismatch')
  return null
}

function policyMet(proposal: Proposal, approvals: readonly Approval[], now: number): boolean {
  return evaluatePolicy(proposal.policy, approvals, { now, commitment: proposal.commitment }).met
}

// One that still counts need not be given again, unless its giver's roles of today would meet what is missing (rules R12).
// One that never counted is not recorded again either, as long as its giver has gained no role: otherwise somebody whose
// approvals are worth nothing could fill the record.
function isEqual(proposal: Proposal, earlier: Approval, decision: Decision, now: number): boolean {
  const { approval, approvals, countsFrom } = decision
  if (earlier.decision !== 'approve' || !samePrincipal(earlier.approver, approval.approver)) return false
  if (earlier.revokedAt !== null || now >= earlier.expiresAt) return false
  if (countsFrom !== null && earlier.decidedAt < countsFrom) return false
  const at = { now, commitment: proposal.commitment }
  const approver = { principal: approval.approver, roles: approval.rolesAtDecision, assurance: approval.assurance }
  if (canStillCount(proposal.policy, approver, approvals, at)) return false
  return (
    stillCounts(proposal.policy, earlier, approvals, at) ||
    approval.rolesAtDecision.every((role) => earlier.rolesAtDecision.includes(role))
  )
}
