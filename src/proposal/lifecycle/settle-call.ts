// The end of a call: what the executor's word does to the proposal whose attempt it was.
import type { AttemptEnding, Effect } from '../../effect/effect.ts'
import { evidenceOf } from '../../effect/effect-evidence.ts'
import type { Proposal } from '../proposal.ts'
import type { ReceiptType } from '../receipts/receipt.ts'
import { attentionOf, personReason } from './attention.ts'
import { type CoreChanges, next, outcomeOf, reason, stay, type Verdict } from './verdict.ts'

/** How the call of the open attempt ended, and the effect with that ending in it. */
export interface CallEnd {
  readonly attempt: number
  readonly ending: AttemptEnding
  readonly effect: Effect
  /** Whether the policy is still met, for an attempt that was proven not sent. */
  readonly policyMet: boolean
}

/**
 * Only a typed word of failure, given in time, is FAILED; a return is `accepted` and never completion; everything else
 * is UNKNOWN. Evidence that already says more than the call does wins. Spec: lifecycle 6.12, design D6 and D7.
 */
export function settleCall(proposal: Proposal, end: CallEnd, now: number): Verdict {
  if (proposal.status !== 'executing' || proposal.attempt !== end.attempt) return stay(outcomeOf(proposal.status))
  const { attempt, ending, effect } = end
  const type = receiptType(ending)
  const receipt = {
    type,
    attempt,
    externalReference: ending.externalReference,
    ...(ending.reason === null ? {} : { reason: ending.reason }),
  }
  const changes = { attention: attentionOf(proposal, effect) }
  const why = ending.reason ?? reason(ending.kind)
  const move = (to: Proposal, said = ending.reason): Verdict => {
    return { kind: 'move', proposal: to, receipt, outcome: outcomeOf(to.status), reason: said }
  }

  const person = personReason(effect)
  if (person !== null) return move(next(proposal, 'verification_unresolved', { reason: reason(person) }, now, changes))
  const { status } = evidenceOf(effect)
  if (status === 'CONFIRMED') return move(next(proposal, 'verified', { settledAt: now }, now, changes))
  if (status === 'UNKNOWN') {
    // An attempt that nobody reported on is looked into like one that the target accepted.
    return ending.kind === 'accepted' || ending.kind === 'lease_lapsed'
      ? move(next(proposal, 'verification_pending', { attempt }, now, changes))
      : move(next(proposal, 'failed_unknown', { attempt, reason: why }, now, changes))
  }
  // What is to be erased is not opened again.
  if (ending.kind === 'not_sent' && proposal.erasure === 'none') {
    return move(backToOpen(proposal, end.policyMet, now, changes))
  }
  if (ending.kind === 'stale_no_effect') {
    // The answer tells this from drift; the executor's own reason is kept in the receipt.
    const stale = reason('stale_no_effect')
    const fields = { reason: stale, driftPaths: [], replacedBy: null, closedAt: now }
    return move(next(proposal, 'stale', fields, now, changes), stale)
  }
  // What the evidence proves, a word that proved nothing does not give the reason for.
  const proven = ending.evidence === 'FAILED' ? why : reason('proven_absent')
  return move(next(proposal, 'failed_known', { reason: proven, settledAt: now }, now, changes))
}

function backToOpen(proposal: Proposal, policyMet: boolean, now: number, changes: CoreChanges): Proposal {
  if (now >= proposal.expiresAt) return next(proposal, 'expired', { closedAt: now }, now, changes)
  return next(proposal, policyMet ? 'approved' : 'awaiting_approval', {}, now, changes)
}

function receiptType(ending: AttemptEnding): ReceiptType {
  switch (ending.kind) {
    case 'accepted':
    case 'stale_no_effect':
    case 'failed_known':
    case 'failed_unknown':
    case 'not_sent':
      return `execution.${ending.kind}`
    case 'lease_lapsed':
      return 'operation.lease_lapsed'
    case 'returned':
      throw new TypeError('a guarded call has no proposal')
  }
}
