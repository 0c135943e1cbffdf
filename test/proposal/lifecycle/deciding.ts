// One decision with everything that it is judged by, and what comes out of it.
import type { Approval } from '../../../src/proposal/approval.ts'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'
import { principal } from '../policy-fixtures.ts'
import { given, now, sample } from './sample.ts'
import { tell } from './tell.ts'

export interface Deciding {
  readonly proposal: Proposal
  readonly approval: Approval
  readonly approvals: readonly Approval[]
  readonly countsFrom: number | null
  readonly at: number
}

/** Somebody from finance approves what waits for finance. */
export const ordinary: Deciding = {
  proposal: sample('awaiting_approval'),
  approval: given('user:anna'),
  approvals: [],
  countsFrom: null,
  at: now,
}

export function approve({ proposal, at, ...decision }: Deciding): string {
  return tell(proposal, lifecycle.approve(proposal, decision, at))
}

export function reject({ proposal, at, ...decision }: Deciding): string {
  return tell(proposal, lifecycle.reject(proposal, decision, at))
}

/** The first person takes `mine` back. */
export function revoke(proposal: Proposal, approvals: readonly Approval[], at: number, mine: Approval): string {
  const command = { approvalId: mine.approvalId, principal: principal('user:anna'), approvals }
  return tell(proposal, lifecycle.revokeApproval(proposal, command, at))
}

/** Approvals on record that count for nothing. */
export function others(count: number): readonly Approval[] {
  return Array.from({ length: count }, (_, index) => given(`user:${index}`, { rolesAtDecision: [] }))
}
