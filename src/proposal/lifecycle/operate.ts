// Operators and providers: resume, settle and observe. None of them calls the executor, none of them is evidence by itself.
import type { Effect, Settlement } from '../../effect/effect.ts'
import { evidenceOf } from '../../effect/effect-evidence.ts'
import type { ReasonCode } from '../../effect/reference.ts'
import { type Principal, principalName, samePrincipal } from '../principal.ts'
import type { Proposal } from '../proposal.ts'
import { isClosed, isInDoubt, isSettled } from '../status.ts'
import { attentionOf } from './attention.ts'
import { next, outcomeOf, reason, refuse, same, stay, type Verdict } from './verdict.ts'

/**
 * A person wants the target to be asked again: both budgets start anew. What asked for a person sticks until it is settled,
 * so the next answer may ask again. Only the owner has anything to be looked into. Spec: lifecycle 7.
 */
export function resume(
  proposal: Proposal,
  command: { readonly reason: ReasonCode; readonly effect: Effect },
  now: number,
): Verdict {
  const { attempts, owner } = command.effect
  const last = owner === proposal.ref ? attempts.at(-1) : undefined
  if (proposal.status !== 'verification_unresolved' || last === undefined) return stay(outcomeOf(proposal.status))
  return {
    kind: 'move',
    proposal: next(proposal, 'verification_pending', { attempt: last.number }, now),
    receipt: { type: 'operation.resumed', attempt: last.number, reason: command.reason },
    outcome: 'resumed',
    reason: null,
  }
}

/**
 * Asks for a person because the verifier cannot be asked: no definition may verify this version, or the content that it
 * would be asked about cannot be opened. Spec: rules R9.
 */
export function giveUp(proposal: Proposal, why: 'definition_missing' | 'content_unavailable', now: number): Verdict {
  if (!isInDoubt(proposal.status)) return stay(outcomeOf(proposal.status))
  return {
    kind: 'move',
    proposal: next(proposal, 'verification_unresolved', { reason: reason(why) }, now),
    receipt: { type: 'verification.unresolved', reason: reason(why) },
    outcome: 'verification_unresolved',
    reason: reason(why),
  }
}

/** A person's verdict, by whom, and the effect with it. */
export interface SettlementCommand {
  readonly settlement: Settlement
  readonly by: Principal
  /** Whoever approved and counted: they never settle what they released. */
  readonly approvers: readonly Principal[]
  /** The effect as it is, and with the settlement in it. */
  readonly before: Effect
  readonly after: Effect
}

/**
 * Takes a person's verdict, only while a person is asked: the owner is unresolved, or it is closed and the effect is
 * UNKNOWN or in conflict. Never the requester's, never a counted approver's. Spec: rules R8.
 */
export function settle(proposal: Proposal, command: SettlementCommand, now: number): Verdict {
  const { settlement, by, approvers, before, after } = command
  const involved = [proposal.requester, ...approvers, ...(proposal.agentOwner === null ? [] : [proposal.agentOwner])]
  if (by.kind === 'agent' || involved.some((principal) => samePrincipal(principal, by))) return refuse('not_permitted')
  // The second operator is a second person, and no more involved than the first.
  const others = [by, ...involved].map((principal): string => principalName(principal))
  if (settlement.secondOperator !== null && others.includes(settlement.secondOperator)) return refuse('not_permitted')
  const evidence = evidenceOf(before)
  const open = evidence.settled === null && evidence.status === 'UNKNOWN' && before.owner === proposal.ref
  // A status that says what became of the effect is reopened by the evidence before a person is asked.
  const closed = isClosed(proposal.status) && !isSettled(proposal.status)
  const asked = proposal.status === 'verification_unresolved' || (closed && open)
  if (!asked) return stay(outcomeOf(proposal.status))
  return {
    kind: 'move',
    proposal: settled(proposal, settlement, after, now),
    receipt: { type: 'operation.settled', reason: settlement.reason, detail: [settlement.verdict, principalName(by)] },
    outcome: 'settled',
    reason: null,
  }
}

/** A provider's event makes a verification due now and is never evidence itself. Spec: rules R7. */
export function observe(proposal: Proposal, now: number): Verdict {
  return {
    kind: 'move',
    proposal: same(proposal, now, {}),
    receipt: { type: 'operation.observed' },
    outcome: 'observed',
    reason: null,
  }
}

function settled(proposal: Proposal, settlement: Settlement, after: Effect, now: number): Proposal {
  const changes = { attention: attentionOf(proposal, after) }
  // One that was closed otherwise keeps its status (rules R3).
  if (proposal.status !== 'verification_unresolved') return same(proposal, now, changes)
  switch (settlement.verdict) {
    case 'occurred':
      return next(proposal, 'verified', { settledAt: now }, now, changes)
    case 'did_not_occur':
      return next(proposal, 'failed_known', { reason: settlement.reason, settledAt: now }, now, changes)
    case 'closed_unknown':
      return next(proposal, 'closed_unknown', { reason: settlement.reason, settledAt: now }, now, changes)
  }
}
