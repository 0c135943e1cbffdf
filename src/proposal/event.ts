// Events: which change of status the world may hear of, as references and statuses only.
import type { Reference } from '../effect/reference.ts'
import type { Proposal } from './proposal.ts'
import type { Status } from './status.ts'

/** Spec: http "Webhooks out". */
export type EventType =
  | 'proposal.prepared'
  | 'proposal.approval_needed'
  | 'proposal.approved'
  | 'proposal.closed'
  | 'proposal.executing'
  | 'proposal.in_doubt'
  | 'proposal.needs_person'
  | 'proposal.settled'
  | 'proposal.erased'

/** One event of a change. It exists exactly when its transition committed. */
export interface EventDraft {
  readonly type: EventType
  readonly proposal: Reference
  readonly status: Status
  readonly revision: number
  readonly at: number
}

/** The events of a proposal's next revision; none where the status stayed. `before` is null for a new proposal. */
export function eventsOf(before: Proposal | null, after: Proposal): readonly EventDraft[] {
  const draft = (type: EventType): EventDraft => {
    return { type, proposal: after.ref, status: after.status, revision: after.revision, at: after.updatedAt }
  }
  if (before === null) return [draft('proposal.prepared'), draft(enteredEvent(after.status))]
  return before.status === after.status ? [] : [draft(enteredEvent(after.status))]
}

function enteredEvent(status: Status): EventType {
  switch (status) {
    case 'awaiting_approval':
      return 'proposal.approval_needed'
    case 'approved':
      return 'proposal.approved'
    case 'executing':
      return 'proposal.executing'
    case 'verification_pending':
    case 'failed_unknown':
      return 'proposal.in_doubt'
    case 'verification_unresolved':
      return 'proposal.needs_person'
    case 'verified':
    case 'failed_known':
    case 'closed_unknown':
      return 'proposal.settled'
    case 'rejected':
    case 'withdrawn':
    case 'expired':
    case 'stale':
    case 'superseded':
      return 'proposal.closed'
  }
}
