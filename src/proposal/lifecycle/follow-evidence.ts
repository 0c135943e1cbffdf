// The status follows the evidence: what a recorded look at the outside world does to the proposals behind it.
import type { Effect } from '../../effect/effect.ts'
import { evidenceOf, openAttempt } from '../../effect/effect-evidence.ts'
import type { Reference } from '../../effect/reference.ts'
import type { Proposal } from '../proposal.ts'
import type { ReceiptType } from '../receipts/receipt.ts'
import { isSettled } from '../status.ts'
import { attentionOf, type PersonReason, personReason } from './attention.ts'
import { next, outcomeOf, reason, same, type Verdict } from './verdict.ts'

/** What was seen, and the effect with that observation in it. */
export interface Evidenced {
  readonly effect: Effect
  /** The receipt of the answer itself, when it changes nothing else. */
  readonly receipt: Extract<ReceiptType, `verification.${string}` | 'execution.late'>
  readonly answer: string
  readonly externalReference: Reference | null
  /** The budget that is spent, so that nothing more is to be expected by itself. */
  readonly givenUp: 'absences_spent' | 'unavailables_spent' | null
  /** Whether the effect may be sent again, should the fold say FAILED (design D10). */
  readonly resendAllowed: boolean
}

/**
 * Moves a proposal of the effect, owner or former owner, as far as the evidence asks for it. A closed proposal keeps its
 * status and is marked; a settled one is reopened by a contradiction only. Spec: lifecycle 2 and 7, rules R3.
 */
export function followEvidence(proposal: Proposal, seen: Evidenced, now: number): Verdict {
  const owner = seen.effect.owner === proposal.ref
  const { to, person } = owner ? ownerMove(proposal, seen, now) : formerOwnerMove(proposal, seen.effect, now)
  const released = to.status === 'approved' && proposal.status !== 'approved'
  return {
    kind: 'move',
    proposal: { ...to, attention: attentionOf(to, seen.effect) },
    receipt: {
      type: person === null ? seen.receipt : receiptForPerson(person),
      externalReference: seen.externalReference,
      ...('attempt' in proposal ? { attempt: proposal.attempt } : {}),
      ...(person === null ? {} : { reason: reason(person), detail: [seen.answer] }),
    },
    outcome: released ? 'resend_allowed' : outcomeOf(to.status),
    reason: person === null ? null : reason(person),
  }
}

type Given = NonNullable<Evidenced['givenUp']>

interface Followed {
  readonly to: Proposal
  /** Why a person is asked from now on; null if nobody newly is. */
  readonly person: PersonReason | Given | 'evidence_changed' | null
}

function ownerMove(proposal: Proposal, seen: Evidenced, now: number): Followed {
  const person = personReason(seen.effect)
  const { status: evidence, settled } = evidenceOf(seen.effect)
  const stays: Followed = { to: same(proposal, now, {}), person: null }
  const ask = (why: NonNullable<Followed['person']>): Followed => {
    return { to: next(proposal, 'verification_unresolved', { reason: reason(why) }, now), person: why }
  }

  switch (proposal.status) {
    case 'rejected':
    case 'withdrawn':
    case 'expired':
    case 'stale':
    case 'superseded':
      return stays
    case 'awaiting_approval':
    case 'approved':
      if (person !== null) return ask(person)
      return evidence === 'CONFIRMED' ? { to: verified(proposal, now), person: null } : stays
    case 'verified':
      if (person !== null) return ask(person)
      return evidence === 'CONFIRMED' ? stays : ask('evidence_changed')
    case 'failed_known':
      if (person !== null) return ask(person)
      return evidence === 'FAILED' ? stays : ask('evidence_changed')
    case 'closed_unknown':
      if (person !== null) return ask(person)
      return settled === 'closed_unknown' ? stays : ask('evidence_changed')
    case 'verification_unresolved':
      if (person !== null) return stays
      if (evidence === 'CONFIRMED') return { to: verified(proposal, now), person: null }
      return evidence === 'FAILED' ? { to: failed(proposal, now), person: null } : stays
    case 'executing':
    case 'verification_pending':
    case 'failed_unknown':
      if (person !== null) return ask(person)
      if (evidence === 'CONFIRMED') return { to: verified(proposal, now), person: null }
      if (evidence === 'FAILED') return { to: afterFailure(proposal, seen, now), person: null }
      // A late word is kept and moves nothing by itself (invariant I15).
      if (seen.receipt === 'execution.late') return stays
      if (seen.givenUp !== null) return ask(seen.givenUp)
      return { to: inDoubt(proposal, seen.effect, now), person: null }
  }
}

// What the new owner's attempts do is not the former owner's business; a contradiction about its own is.
function formerOwnerMove(proposal: Proposal, effect: Effect, now: number): Followed {
  const person = personReason(effect)
  if (person === null || !isSettled(proposal.status)) return { to: same(proposal, now, {}), person: null }
  return { to: next(proposal, 'verification_unresolved', { reason: reason(person) }, now), person }
}

function verified(proposal: Proposal, now: number): Proposal {
  return next(proposal, 'verified', { settledAt: now }, now)
}

function failed(proposal: Proposal, now: number): Proposal {
  return next(proposal, 'failed_known', { reason: reason('proven_absent'), settledAt: now }, now)
}

// A resend goes back through approvals, drift and rights; where the lifetime is over, or the content is to go, there is
// nothing to go back to.
function afterFailure(proposal: Proposal, seen: Evidenced, now: number): Proposal {
  const isLive = now < proposal.expiresAt && proposal.erasure === 'none'
  return seen.resendAllowed && isLive && proposal.status !== 'executing'
    ? next(proposal, 'approved', {}, now)
    : failed(proposal, now)
}

function inDoubt(
  proposal: Extract<Proposal, { status: 'executing' | 'verification_pending' | 'failed_unknown' }>,
  effect: Effect,
  now: number,
): Proposal {
  if (proposal.status === 'executing' && openAttempt(effect) !== null) return same(proposal, now, {})
  return next(proposal, 'verification_pending', { attempt: proposal.attempt }, now)
}

function receiptForPerson(person: NonNullable<Followed['person']>): ReceiptType {
  return person === 'effect_mismatch' || person === 'duplicate_effect'
    ? 'verification.mismatch'
    : 'verification.unresolved'
}
