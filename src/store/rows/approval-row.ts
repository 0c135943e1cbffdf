// The rows of decisions and revocations, and the approvals that they add up to.
import type { Reference } from '../../effect/reference.ts'
import type { Approval } from '../../proposal/approval.ts'
import { principalName } from '../../proposal/principal.ts'
import type { ApprovalWrite, Sealed } from '../../runtime/ports.ts'
import { canonicalText } from '../canonical-text.ts'
import type { ApprovalsTable } from '../tables.ts'
import { RowReader } from './row-reader.ts'

/** A row before its number within the proposal is known. */
export type UnnumberedApproval = Omit<ApprovalsTable, 'number'>

/** The row of a decision or of taking one back. */
export function approvalRow(tenant: Reference, write: ApprovalWrite): UnnumberedApproval {
  if (write.kind === 'revoked') {
    return {
      tenant,
      proposal: write.proposal,
      approval_id: write.approvalId,
      decision: 'revoke',
      commitment: null,
      approver: null,
      roles: null,
      assurance: null,
      decided_at: write.revokedAt,
      expires_at: null,
      comment: null,
    }
  }
  const { approval, comment } = write
  return {
    tenant,
    proposal: write.proposal,
    approval_id: approval.approvalId,
    decision: approval.decision,
    commitment: approval.commitment,
    approver: principalName(approval.approver),
    roles: canonicalText(approval.rolesAtDecision),
    assurance: canonicalText(approval.assurance),
    decided_at: approval.decidedAt,
    expires_at: approval.expiresAt,
    comment,
  }
}

/** The approvals of a proposal in their order, each with its revocation, and their comments. */
export interface Approvals {
  readonly approvals: readonly Approval[]
  readonly comments: ReadonlyMap<Reference, Sealed>
}

/** @throws StoredDataCorrupt */
export function parseApprovals(stored: readonly ApprovalsTable[]): Approvals {
  const approvals = new Map<Reference, Approval>()
  const comments = new Map<Reference, Sealed>()
  for (const one of stored) {
    const row = new RowReader(one, 'approvals', [one.tenant, one.proposal, one.number])
    const approvalId = row.reference('approval_id')
    const decision = row.oneOf('decision', ['approve', 'reject', 'revoke'])
    if (decision === 'revoke') {
      const approval = approvals.get(approvalId) ?? row.corrupt('approval_id', 'names no approval')
      approvals.set(approvalId, { ...approval, revokedAt: row.integer('decided_at') })
      continue
    }
    approvals.set(approvalId, {
      approvalId,
      decision,
      commitment: row.text('commitment'),
      approver: row.principal('approver'),
      rolesAtDecision: row.texts('roles'),
      assurance: row.texts('assurance'),
      decidedAt: row.integer('decided_at'),
      expiresAt: row.integer('expires_at'),
      revokedAt: null,
    })
    const comment = row.maybe('comment', (column) => row.bytes(column))
    if (comment !== null) comments.set(approvalId, comment)
  }
  return { approvals: [...approvals.values()], comments }
}
