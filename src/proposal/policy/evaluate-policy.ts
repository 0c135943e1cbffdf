// What the approvals on record are worth now: which of them count, for which requirement, and until when.
import type { Reference } from '../../effect/reference.ts'
import type { Approval } from '../approval.ts'
import type { FrozenPolicy, FrozenRequirement } from './freeze-policy.ts'
import { Matching } from './matching.ts'
import { type Principal, principalName, samePrincipal } from '../principal.ts'

/** The moment and the document that approvals are judged against. */
export interface EvaluationPoint {
  /** Integer ms; an approval counts while `now < expiresAt`. */
  readonly now: number
  readonly commitment: string
  /** Approvals whose right to decide was refused just now. Spec: lifecycle 6, step 8. */
  readonly without?: ReadonlySet<Reference>
}

/** A person as a decision freezes them: who, and with which roles and assurance. */
export interface Approver {
  readonly principal: Principal
  readonly roles: readonly string[]
  readonly assurance: readonly string[]
}

/** One requirement that applies, and how far it is met. */
export interface RequirementResult {
  readonly name: string
  readonly count: number
  readonly approvedBy: readonly Approval[]
  readonly missing: number
}

export interface PolicyEvaluation {
  readonly met: boolean
  /** The approvals that the requirements rest on; the right to decide is asked again for each at execution. */
  readonly needed: readonly Approval[]
  readonly byRequirement: readonly RequirementResult[]
  /** Exclusive: the first instant at which one of the needed approvals no longer counts; null if none is needed. */
  readonly validUntil: number | null
}

/**
 * Whether the policy is met now. If the whole can be met, it is, and by the approvals that hold longest. Evidence on
 * record is never used up: what has expired is passed over, what remains is matched anew (pitfall W15).
 * Spec: policy-and-protection 1.
 */
export function evaluatePolicy(
  policy: FrozenPolicy,
  approvals: readonly Approval[],
  at: EvaluationPoint,
): PolicyEvaluation {
  const matching = matchApprovals(policy, approvals, at)
  const byRequirement = policy.require
    .filter(({ applies }) => applies)
    .map((requirement) => ({
      name: requirement.name,
      count: requirement.count,
      approvedBy: matching.metBy(requirement),
      missing: matching.missing(requirement),
    }))
  const needed = byRequirement.flatMap(({ approvedBy }) => approvedBy)
  return {
    // Nothing is met vacuously, whatever a stored policy may look like: neither no requirement nor a count of zero.
    met: policy.noApproval !== null || (byRequirement.length > 0 && byRequirement.every(isMet)),
    needed,
    byRequirement,
    validUntil: needed.length === 0 ? null : Math.min(...needed.map(({ expiresAt }) => expiresAt)),
  }
}

/** Whether a recorded approval still counts by itself, so that an equal decision is a replay. Spec: rules R12. */
export function stillCounts(
  policy: FrozenPolicy,
  approval: Approval,
  approvals: readonly Approval[],
  at: EvaluationPoint,
): boolean {
  return isStanding(approval, approvals, at) && requirementsFor(policy, asApprover(approval)).length > 0
}

/** Whether this person's approval would now give something that is missing, here or by freeing somebody else for it. */
export function canStillCount(
  policy: FrozenPolicy,
  approver: Approver,
  approvals: readonly Approval[],
  at: EvaluationPoint,
): boolean {
  const trial: Matching<FrozenRequirement, Approval | null> = matchApprovals(policy, approvals, at)
  return trial.offer(principalName(approver.principal), requirementsFor(policy, approver), null)
}

/** The applying requirements that this person could meet; none for agents and for whoever is excluded. */
function requirementsFor(policy: FrozenPolicy, approver: Approver): readonly FrozenRequirement[] {
  const { principal, roles, assurance } = approver
  const name = principalName(principal)
  if (principal.kind === 'agent' || policy.excluded.some((exclusion) => exclusion.principal === name)) return []
  if (!policy.assurance.every((level) => assurance.includes(level))) return []
  return policy.require.filter(({ applies, from }) => {
    if (!applies) return false
    // A service approves only where it is named; a role never makes it an approver. Spec: lifecycle 1.
    return 'role' in from ? principal.kind === 'user' && roles.includes(from.role) : from.principals.includes(name)
  })
}

/** The matching behind an evaluation, over the approvals that count, latest to expire first. */
export function matchApprovals(
  policy: FrozenPolicy,
  approvals: readonly Approval[],
  at: EvaluationPoint,
): Matching<FrozenRequirement, Approval> {
  const matching = new Matching<FrozenRequirement, Approval>(policy.require.filter(({ applies }) => applies))
  const standing = approvals.filter((approval) => isStanding(approval, approvals, at)).sort(latestFirst)
  for (const approval of standing) {
    matching.offer(principalName(approval.approver), requirementsFor(policy, asApprover(approval)), approval)
  }
  return matching
}

function isMet(result: RequirementResult): boolean {
  return result.missing === 0 && result.approvedBy.length > 0
}

function isStanding(approval: Approval, approvals: readonly Approval[], at: EvaluationPoint): boolean {
  return (
    approval.decision === 'approve' &&
    approval.revokedAt === null &&
    at.now < approval.expiresAt &&
    approval.commitment === at.commitment &&
    !at.without?.has(approval.approvalId) &&
    // At one and the same instant nobody can say which came first: then the rejection wins.
    !approvals.some(
      (other) =>
        other.decision === 'reject' &&
        samePrincipal(other.approver, approval.approver) &&
        other.decidedAt >= approval.decidedAt,
    )
  )
}

function asApprover(approval: Approval): Approver {
  return { principal: approval.approver, roles: approval.rolesAtDecision, assurance: approval.assurance }
}

// Total, so that the order in which a store returns rows changes nothing.
function latestFirst(a: Approval, b: Approval): number {
  return b.expiresAt - a.expiresAt || a.decidedAt - b.decidedAt || (a.approvalId < b.approvalId ? -1 : 1)
}
