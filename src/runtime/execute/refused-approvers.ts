// The right to decide, asked again: at execution, for every approval that the policy would rest on.
import type { Reference } from '../../effect/reference.ts'
import type { Approval } from '../../proposal/approval.ts'
import { evaluatePolicy } from '../../proposal/policy/evaluate-policy.ts'
import { approverOf, may } from '../authority.ts'
import type { Execution } from './execution.ts'

/**
 * The approvals whose givers have no right to decide any more. Where one is refused, others on record may take its place,
 * and are asked in turn. Spec: lifecycle 6.8, pitfall W15.
 * @throws AuthorizationUnavailable
 */
export async function refusedApprovers(
  { core, stored, registered }: Execution,
  approvals: readonly Approval[],
): Promise<ReadonlySet<Reference>> {
  const { proposal } = stored
  const refused = new Set<Reference>()
  const permitted = new Set<Reference>()
  for (;;) {
    const at = { now: core.clock.now(), commitment: proposal.commitment, without: refused }
    const { needed } = evaluatePolicy(proposal.policy, approvals, at)
    const open = needed.filter(({ approvalId }) => !permitted.has(approvalId))
    if (open.length === 0) return refused
    for (const approval of open) {
      const caller = approverOf(proposal.tenant, approval)
      const still = await may(core, registered.definition, 'decide', caller, { proposal })
      ;(still ? permitted : refused).add(approval.approvalId)
    }
  }
}
