// Operators and providers: resume, settle and observe. None of them calls the executor, none of them is evidence by itself.
import { evidenceOf, openAttempt } from '../../effect/effect-evidence.ts'
import type { Effect } from '../../effect/effect.ts'
import type { ReasonCode } from '../../effect/reference.ts'
import {
  isConfirmation,
  isRepetition,
  type OperatorVerdict,
  settlementOf,
  standingSettlement,
  withSettled,
} from '../../effect/settlement.ts'
import { type Principal, principalName, samePrincipal } from '../principal.ts'
import type { Proposal } from '../proposal.ts'
import { isClosed, isInDoubt, isSettled } from '../status.ts'
import { attentionOf, personReason } from './attention.ts'
import { next, outcomeOf, reason, type Refused, refuse, same, stay, type Verdict } from './verdict.ts'

/**
 * Whether a person is asked about an effect: its owner waits for one, or it was closed otherwise and what became of the
 * effect is unknown, contradictory or not what was approved. A status that says what became of it is reopened by the
 * evidence before anybody is asked. Spec: rules R8.
 */
export function isPersonAsked(owner: Proposal, effect: Effect): boolean {
  if (owner.status === 'verification_unresolved') return true
  if (!isClosed(owner.status) || isSettled(owner.status)) return false
  const evidence = evidenceOf(effect)
  return (evidence.status === 'UNKNOWN' && evidence.settled === null) || personReason(effect) !== null
}

/** What an operator asks for, and the effect it is about. */
export interface Resumption {
  readonly reason: ReasonCode
  readonly effect: Effect
}

/**
 * A person wants the target to be asked again: both budgets start anew. What asked for a person sticks until it is settled,
 * so the next answer may ask again. Only the owner has anything to be looked into; one that was closed otherwise keeps its
 * status. Spec: lifecycle 7, rules R3.
 */
export function resume(proposal: Proposal, { reason: why, effect }: Resumption, now: number): Verdict {
  if (openAttempt(effect) !== null) return stay('in_progress')
  const last = effect.attempts.at(-1)
  if (proposal.ref !== effect.owner || last === undefined || !isPersonAsked(proposal, effect)) {
    return stay(outcomeOf(proposal.status))
  }
  const attempt = last.number
  return {
    kind: 'move',
    proposal:
      proposal.status === 'verification_unresolved'
        ? next(proposal, 'verification_pending', { attempt }, now)
        : same(proposal, now, {}),
    receipt: { type: 'operation.resumed', attempt, reason: why },
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

/** A person's verdict, whose it is, and the effect as it was read. */
export interface SettlementCommand {
  readonly said: Omit<OperatorVerdict, 'by' | 'at'>
  readonly operator: Principal
  /** Whoever approved and counted, of all proposals behind the effect: they never settle what they released. */
  readonly approvers: readonly Principal[]
  /** The owner of the effect, for which a person is asked; where it is erased, the proposal that was named. */
  readonly owner: Proposal
  readonly effect: Effect
}

/** What a verdict makes of the effect: settled, or its settlement confirmed; else why nothing comes of it. */
export type Settling =
  | { readonly kind: 'settles' | 'confirms'; readonly effect: Effect }
  | { readonly kind: 'stays'; readonly because: 'in_progress' | 'replayed' | 'not_asked' }

/**
 * Takes a person's verdict on an effect. While a person is asked, it settles everything that is on record; afterwards only
 * a second operator is heard, who says as well that nothing was done. Spec: rules R8.
 */
export function judgeSettlement({ said, operator, owner, effect }: SettlementCommand, now: number): Settling {
  // What may be on the wire is settled by nobody.
  if (openAttempt(effect) !== null) return { kind: 'stays', because: 'in_progress' }
  const verdict = { ...said, by: principalName(operator), at: now }
  if (isPersonAsked(owner, effect)) {
    return { kind: 'settles', effect: withSettled(effect, settlementOf(effect, verdict)) }
  }
  const standing = standingSettlement(effect)
  if (standing === null) return { kind: 'stays', because: 'not_asked' }
  if (isConfirmation(standing, verdict)) {
    return { kind: 'confirms', effect: withSettled(effect, { ...standing, secondOperator: verdict.by }) }
  }
  return { kind: 'stays', because: isRepetition(standing, verdict) ? 'replayed' : 'not_asked' }
}

/**
 * Whether the operator has a part in the proposal: its requester, the agent's owner and whoever approved and counted settle
 * nothing, and an agent never does. Spec: rules R8.
 */
export function settlementBar(
  { requester, agentOwner }: Proposal,
  { operator, approvers }: Pick<SettlementCommand, 'operator' | 'approvers'>,
): Refused | null {
  const involved = [requester, ...(agentOwner === null ? [] : [agentOwner]), ...approvers]
  const isBarred = operator.kind === 'agent' || involved.some((one) => samePrincipal(one, operator))
  return isBarred ? refuse('not_permitted') : null
}

/**
 * What a person's verdict does to a proposal behind the effect, its owner or a former one. Spec: lifecycle 7, rules R3 and
 * R8.
 */
export function settle(proposal: Proposal, command: SettlementCommand, now: number): Verdict {
  const barred = settlementBar(proposal, command)
  if (barred !== null) return barred
  const { said, owner } = command
  const { status } = proposal
  const settling = judgeSettlement(command, now)
  if (settling.kind === 'stays') {
    return stay(settling.because === 'not_asked' ? outcomeOf(status) : settling.because)
  }

  // One that was closed otherwise keeps its status (rules R3).
  const to = status === 'verification_unresolved' ? settled(proposal, said, now) : same(proposal, now, {})
  const attention = attentionOf(to, settling.effect)
  const isTouched = to.status !== status || attention.join() !== proposal.attention.join()
  // A former owner is written only if the verdict changes something about it.
  if (proposal.ref !== owner.ref && !isTouched) return stay(outcomeOf(status))
  const detail = settling.kind === 'confirms' ? [said.verdict, 'second_operator'] : [said.verdict]
  return {
    kind: 'move',
    proposal: { ...to, attention },
    receipt: { type: 'operation.settled', reason: said.reason, externalReference: said.evidenceReference, detail },
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

function settled(proposal: Proposal, { verdict, reason: why }: SettlementCommand['said'], now: number): Proposal {
  switch (verdict) {
    case 'occurred':
      return next(proposal, 'verified', { settledAt: now }, now)
    case 'did_not_occur':
      return next(proposal, 'failed_known', { reason: why, settledAt: now }, now)
    case 'closed_unknown':
      return next(proposal, 'closed_unknown', { reason: why, settledAt: now }, now)
  }
}
