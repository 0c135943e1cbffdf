// What became of an execution whose answer was lost, as far as the proposal says it.
import type { OutcomeCode } from '../../proposal/codes.ts'
import type { Status } from '../../proposal/status.ts'
import type { ProposalView } from '../../runtime/read.ts'
import type { OperationResult } from '../../runtime/result.ts'

/**
 * What a second execution would be answered by a proposal of this status, which none of it changes; null for one that is
 * still open: nobody can say then whether the request is lost, still on its way, or was answered without a call.
 * Spec: lifecycle 6.2.
 */
export function resultOfExecution(view: ProposalView): OperationResult | null {
  const outcome = outcomeOfExecution(view.status)
  if (outcome === null) return null
  return {
    outcome,
    reason: null,
    proposal: view.proposal,
    status: view.status,
    revision: view.revision,
    commitment: view.commitment,
    nextStep: view.nextStep,
    waitUntil: view.waitUntil,
    evidence: view.evidence,
    attention: view.attention,
    replacedBy: view.replacedBy,
    supersededBy: view.supersededBy,
    result: view.result,
  }
}

function outcomeOfExecution(status: Status): OutcomeCode | null {
  switch (status) {
    case 'awaiting_approval':
    case 'approved':
      return null
    case 'executing':
      return 'in_progress'
    case 'superseded':
      return 'replayed'
    case 'verification_pending':
    case 'failed_unknown':
    case 'verification_unresolved':
    case 'verified':
    case 'failed_known':
    case 'closed_unknown':
    case 'rejected':
    case 'withdrawn':
    case 'expired':
    case 'stale':
      return status
  }
}
