// Withdrawal: the requester, or an operator, takes an open proposal back, or amends it by another one.
import type { ReasonCode } from '../../effect/reference.ts'
import type { Proposal } from '../proposal.ts'
import { isOpen } from '../status.ts'
import { expire } from './time.ts'
import { next, outcomeOf, reason, stay, type Verdict } from './verdict.ts'

/** Closes an open proposal. Who may is asked before; an attempt behind it stays with its effect. Spec: lifecycle 5. */
export function withdraw(proposal: Proposal, command: { readonly reason: ReasonCode }, now: number): Verdict {
  if (!isOpen(proposal.status)) return stay(outcomeOf(proposal.status))
  if (now >= proposal.expiresAt) return expire(proposal, now)
  return {
    kind: 'move',
    proposal: next(proposal, 'withdrawn', { reason: command.reason, closedAt: now }, now),
    receipt: { type: 'proposal.withdrawn', reason: command.reason },
    outcome: 'withdrawn',
    reason: null,
  }
}

/** Closes an open proposal because another one amends it, so that never both can run. Spec: lifecycle 5. */
export function replace(proposal: Proposal, now: number): Verdict {
  if (!isOpen(proposal.status)) return stay(outcomeOf(proposal.status))
  if (now >= proposal.expiresAt) return expire(proposal, now)
  return {
    kind: 'move',
    proposal: next(proposal, 'withdrawn', { reason: reason('replaced'), closedAt: now }, now),
    receipt: { type: 'proposal.replaced', reason: reason('replaced') },
    outcome: 'withdrawn',
    reason: reason('replaced'),
  }
}
