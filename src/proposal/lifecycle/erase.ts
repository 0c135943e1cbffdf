// Erasure: whether the content of a proposal may be removed now, and the mark that hides it from then on.
import type { Effect } from '../../effect/effect.ts'
import { evidenceOf, openAttempt } from '../../effect/effect-evidence.ts'
import type { ReasonCode } from '../../effect/reference.ts'
import type { Proposal } from '../proposal.ts'
import { isOpen } from '../status.ts'
import { next, same, stay, type Verdict } from './verdict.ts'

/**
 * An effect with a call under way, or one that is UNKNOWN or in conflict, defers erasure: its content may still be needed
 * to find out what happened. An open proposal is withdrawn in the same step. Spec: rules R19, policy-and-protection 5.
 */
export function erase(
  proposal: Proposal,
  command: { readonly reason: ReasonCode; readonly effect: Effect | null },
  now: number,
): Verdict {
  if (proposal.erasure === 'pending' || proposal.erasure === 'erased') return stay('erased')
  if (isUnsettled(proposal, command.effect)) {
    if (proposal.erasure === 'requested') return stay('erasure_deferred')
    return {
      kind: 'move',
      proposal: marked(proposal, 'requested', command.reason, now),
      receipt: { type: 'proposal.erased', reason: command.reason, detail: ['deferred'] },
      outcome: 'erasure_deferred',
      reason: null,
    }
  }
  return {
    kind: 'move',
    proposal: marked(proposal, 'pending', command.reason, now),
    receipt: { type: 'proposal.erased', reason: command.reason },
    outcome: 'erased',
    reason: null,
  }
}

function marked(proposal: Proposal, erasure: 'requested' | 'pending', why: ReasonCode, now: number): Proposal {
  return isOpen(proposal.status)
    ? next(proposal, 'withdrawn', { reason: why, closedAt: now }, now, { erasure })
    : same(proposal, now, { erasure })
}

// One that is executing is looked into first, also where its evidence is there and only the status has not followed yet.
// Only an effect that this proposal had an attempt on holds its content back; another proposal's is not its business.
function isUnsettled(proposal: Proposal, effect: Effect | null): boolean {
  if (proposal.status === 'executing') return true
  if (effect === null || !effect.attempts.some((attempt) => attempt.proposal === proposal.ref)) return false
  const { status, settled, conflict } = evidenceOf(effect)
  return openAttempt(effect) !== null || conflict || (status === 'UNKNOWN' && settled === null)
}
