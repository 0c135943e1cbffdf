// Expiry: what time does to an open proposal. The instant of expiry is exclusive.
import type { Proposal } from '../proposal.ts'
import { isOpen } from '../status.ts'
import { next, outcomeOf, stay, type Verdict } from './verdict.ts'

/** Closes an open proposal whose lifetime is over; anything else stays as it is. */
export function expire(proposal: Proposal, now: number): Verdict {
  if (!isOpen(proposal.status) || now < proposal.expiresAt) return stay(outcomeOf(proposal.status))
  return {
    kind: 'move',
    proposal: next(proposal, 'expired', { closedAt: now }, now),
    receipt: { type: 'proposal.expired' },
    outcome: 'expired',
    reason: null,
  }
}
