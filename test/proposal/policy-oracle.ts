// The rules of counting by brute force: every way to seat approvals on the places that requirements have, and the best.
import type { Approval } from '../../src/proposal/approval.ts'
import type { EvaluationPoint } from '../../src/proposal/policy/evaluate-policy.ts'
import type { FrozenPolicy, FrozenRequirement } from '../../src/proposal/policy/freeze-policy.ts'

/** The best seating: most places filled and, among those, the one whose first approval to expire does so last. */
export interface Best {
  readonly places: number
  readonly filled: number
  readonly until: number
}

export function bestSeating(policy: FrozenPolicy, approvals: readonly Approval[], at: EvaluationPoint): Best {
  const places = policy.require.flatMap((requirement) => {
    return requirement.applies ? Array.from({ length: requirement.count }, () => requirement) : []
  })
  const seat = (index: number, seated: readonly Approval[]): { filled: number; until: number } => {
    const place = places[index]
    if (place === undefined) return { filled: seated.length, until: Math.min(...seated.map((each) => each.expiresAt)) }
    const ways = [seat(index + 1, seated)]
    for (const candidate of approvals) {
      if (seated.some((other) => sameApprover(other, candidate)) || !fits(policy, place, candidate, approvals, at))
        continue
      ways.push(seat(index + 1, [...seated, candidate]))
    }
    return ways.reduce((a, b) => (b.filled > a.filled || (b.filled === a.filled && b.until > a.until) ? b : a))
  }
  return { places: places.length, ...seat(0, []) }
}

/** Whether one approval may fill one place of a requirement, condition by condition as the specification names them. */
export function fits(
  policy: FrozenPolicy,
  place: FrozenRequirement,
  approval: Approval,
  approvals: readonly Approval[],
  at: EvaluationPoint,
): boolean {
  const { approver } = approval
  const name = `${approver.kind}:${approver.id}`
  if (approval.decision !== 'approve' || approval.revokedAt !== null) return false
  if (at.now >= approval.expiresAt || approval.commitment !== at.commitment) return false
  if (at.without !== undefined && at.without.has(approval.approvalId)) return false
  if (approver.kind === 'agent') return false
  for (const excluded of policy.excluded) if (excluded.principal === name) return false
  for (const level of policy.assurance) if (!approval.assurance.includes(level)) return false
  for (const other of approvals) {
    if (other.decision === 'reject' && sameApprover(other, approval) && other.decidedAt >= approval.decidedAt)
      return false
  }
  if ('principals' in place.from) return place.from.principals.includes(name)
  return approver.kind === 'user' && approval.rolesAtDecision.includes(place.from.role)
}

function sameApprover(a: Approval, b: Approval): boolean {
  return `${a.approver.kind}:${a.approver.id}` === `${b.approver.kind}:${b.approver.id}`
}
