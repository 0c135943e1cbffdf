// Every command of the lifecycle in the situations that make a difference: the rows of the matrix.
import type { AttemptEnding, Effect, Settlement } from '../../../src/effect/effect.ts'
import type { Approval } from '../../../src/proposal/approval.ts'
import type { Evidenced } from '../../../src/proposal/lifecycle/follow-evidence.ts'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import type { Verdict } from '../../../src/proposal/lifecycle/verdict.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'
import { attempt, ending, observation, ref, settlement } from '../../effect/builders.ts'
import { principal } from '../policy-fixtures.ts'
import { absence, claimed, code, confirmation, expiresAt, given, now, OTHER_COMMITMENT, P2, sample } from './sample.ts'

/** One command in one situation. `null` is the answer of a command that lets the operation go on. */
export interface Situation {
  readonly command: keyof typeof lifecycle
  readonly when: string
  readonly run: (proposal: Proposal, at?: number) => Verdict | null
}

const first = given('user:anna')
const second = given('user:bert')
const drift = { reason: 'material_drift', paths: ['/amount'], replacedBy: null, replacementDropped: true } as const
const late = observation({ source: 'executor', answer: 'accepted', flags: ['late'] })
const endedBadly = [attempt({ ending: ending('failed_unknown') })]
const contradicted = claimed(endedBadly, [absence(), confirmation()])
const contradictedSince = formerly([absence(), confirmation()])
const settledOnce = { ...contradicted, settlement: settlement('did_not_occur', { upToSequence: 2 }) }

const decisions: readonly Situation[] = [
  situation('approve', 'and the policy is met', approving(first, [])),
  situation('approve', 'and it does not count', approving({ ...first, rolesAtDecision: [] }, [])),
  situation('approve', 'once more', approving(given('user:anna'), [first])),
  situation('approve', 'another commitment', approving({ ...first, commitment: OTHER_COMMITMENT }, [])),
  situation('approve', 'at expiry', (proposal) => approving(first, [])(proposal, expiresAt)),
  situation('reject', 'in time', rejecting),
  situation('reject', 'at expiry', (proposal) => rejecting(proposal, expiresAt)),
  situation('revokeApproval', 'and the policy is not met any more', revoking(first, [first])),
  situation('revokeApproval', 'and the policy is still met', revoking(first, [first, second])),
  situation('revokeApproval', 'once more', revoking({ ...first, revokedAt: now - 1 }, [])),
  situation('revokeApproval', 'of somebody else', revoking(second, [first, second])),
  situation('revokeApproval', 'at expiry', (proposal) => revoking(first, [first])(proposal, expiresAt)),
  situation('lapse', 'when approvals no longer suffice', lifecycle.lapse),
  situation('restore', 'when approvals suffice again', lifecycle.restore),
]

const closings: readonly Situation[] = [
  situation('withdraw', 'in time', withdrawing),
  situation('withdraw', 'at expiry', (proposal) => withdrawing(proposal, expiresAt)),
  situation('replace', 'in time', lifecycle.replace),
  situation('replace', 'at expiry', (proposal) => lifecycle.replace(proposal, expiresAt)),
  situation('expire', 'before expiry', lifecycle.expire),
  situation('expire', 'at expiry', (proposal) => lifecycle.expire(proposal, expiresAt)),
]

const executions: readonly Situation[] = [
  situation('beginExecution', 'with the policy met', beginning(true)),
  situation('beginExecution', 'with the policy not met', beginning(false)),
  situation('beginExecution', 'at expiry', (proposal) => beginning(true)(proposal, expiresAt)),
  situation('block', 'for a new reason', (proposal, at) => lifecycle.block(proposal, 'resolve_failed', at)),
  situation('block', 'for the same reason', (proposal, at) => {
    return lifecycle.block({ ...proposal, blockedBy: code('resolve_failed') }, 'resolve_failed', at)
  }),
  situation('block', 'at expiry', (proposal) => lifecycle.block(proposal, 'resolve_failed', expiresAt)),
  situation('refuseDrift', 'without a replacement', (proposal, at) => lifecycle.refuseDrift(proposal, drift, at)),
  situation('refuseDrift', 'with a replacement', (proposal, at) => {
    return lifecycle.refuseDrift(proposal, { ...drift, replacedBy: P2, replacementDropped: false }, at)
  }),
  situation('refuseDrift', 'at expiry', (proposal) => lifecycle.refuseDrift(proposal, drift, expiresAt)),
  situation('supersede', 'by another proposal', (proposal, at) => lifecycle.supersede(proposal, P2, at)),
  situation('admit', 'in time', (proposal, at) => lifecycle.admit(proposal, attempt(), at)),
  situation('admit', 'at expiry', (proposal) => lifecycle.admit(proposal, attempt(), expiresAt)),
]

const callEnds: readonly Situation[] = [
  ...(['accepted', 'failed_unknown', 'lease_lapsed', 'stale_no_effect', 'failed_known'] as const).map((kind) => {
    return situation('settleCall', kind, settling(ending(kind)))
  }),
  situation('settleCall', 'not_sent', settling(ending('not_sent'))),
  situation('settleCall', 'not_sent, approvals lapsed', settling(ending('not_sent'), { policyMet: false })),
  situation('settleCall', 'not_sent, at expiry', (proposal) => settling(ending('not_sent'))(proposal, expiresAt)),
  situation('settleCall', 'accepted, found already', settling(ending('accepted'), { seen: [confirmation()] })),
  situation('settleCall', 'accepted, absent already', settling(ending('accepted'), { seen: [absence()] })),
  situation('settleCall', 'failed_known, found already', settling(ending('failed_known'), { seen: [confirmation()] })),
  situation('settleCall', 'of an attempt that is not its own', settling(ending('accepted'), { number: 2 })),
]

const evidence: readonly Situation[] = [
  following('CONFIRMED', claimed(endedBadly, [confirmation()])),
  following('FAILED', claimed(endedBadly, [absence()])),
  following('FAILED, may be sent again', claimed(endedBadly, [absence()]), { resendAllowed: true }),
  situation('followEvidence', 'FAILED, may be sent again, at expiry', (proposal) => {
    const seen = { ...looked(claimed(endedBadly, [absence()])), resendAllowed: true }
    return lifecycle.followEvidence(proposal, seen, expiresAt)
  }),
  following('UNKNOWN', claimed(endedBadly, [observation()])),
  following('UNKNOWN, the call under way', claimed([attempt()], [observation()])),
  following('UNKNOWN, budget spent', claimed(endedBadly, [observation()]), { givenUp: 'absences_spent' }),
  following('UNKNOWN, after a late word', claimed(endedBadly, [late]), { receipt: 'execution.late' }),
  following('conflict, after a late word', claimed(endedBadly, [absence(), confirmation(), late]), {
    receipt: 'execution.late',
  }),
  following('conflict', claimed(endedBadly, [absence(), confirmation()])),
  following('mismatch', claimed(endedBadly, [found('effect_mismatch')])),
  following('older than the attempt', claimed(endedBadly, [found('predates_attempt')])),
  following('found twice', claimed(endedBadly, [found('duplicate')])),
  following('as a former owner: UNKNOWN', formerly([observation()])),
  following('as a former owner: conflict', formerly([absence(), confirmation()])),
]

const operations: readonly Situation[] = [
  situation('resume', 'as the owner', resuming(claimed(endedBadly))),
  situation('resume', 'as a former owner', resuming(formerly([]))),
  situation('resume', 'while a call is under way', resuming(claimed([attempt()]))),
  situation('giveUp', 'without a definition', (proposal, at) => {
    return lifecycle.giveUp(proposal, 'definition_missing', at)
  }),
  ...(['occurred', 'did_not_occur', 'closed_unknown'] as const).map((verdict) => {
    return situation('settle', verdict, settlingAs('user:operator', verdict))
  }),
  situation('settle', 'occurred, as a former owner', settlingAs('user:operator', 'occurred', contradictedSince)),
  situation('settle', 'occurred, says the requester', settlingAs('user:rita', 'occurred')),
  situation('settle', 'did_not_occur, says a second operator', settlingAs('user:other', 'did_not_occur', settledOnce)),
  situation(
    'settle',
    'did_not_occur, says the first once more',
    settlingAs('user:operator', 'did_not_occur', settledOnce),
  ),
  situation(
    'settle',
    'occurred, while a call is under way',
    settlingAs('user:operator', 'occurred', claimed([attempt()])),
  ),
  situation('observe', 'an event of the provider', lifecycle.observe),
  situation('erase', 'with nothing open', erasing(null)),
  situation('erase', 'while the effect is UNKNOWN', erasing(claimed(endedBadly))),
  situation('erase', 'once more while the effect is UNKNOWN', (proposal, at) => {
    return erasing(claimed(endedBadly))({ ...proposal, erasure: 'requested' }, at)
  }),
  situation('erase', 'what is hidden', (proposal, at) => erasing(null)({ ...proposal, erasure: 'pending' }, at)),
]

/** All of them, in the order of the lifecycle. */
export const situations: readonly Situation[] = [
  ...decisions,
  ...closings,
  ...executions,
  ...callEnds,
  ...evidence,
  ...operations,
]

type Run = (proposal: Proposal, at: number) => Verdict | null

function situation(command: Situation['command'], when: string, run: Run): Situation {
  return { command, when, run: (proposal, at = now) => run(proposal, at) }
}

function approving(approval: Approval, approvals: readonly Approval[]): Run {
  return (proposal, at) => lifecycle.approve(proposal, { approval, approvals, countsFrom: null }, at)
}

function rejecting(proposal: Proposal, at: number): Verdict {
  const approval = given('user:anna', { decision: 'reject' })
  return lifecycle.reject(proposal, { approval, approvals: [], countsFrom: null }, at)
}

function revoking(approval: Approval, others: readonly Approval[]): Run {
  const approvals = others.includes(approval) ? others : [approval, ...others]
  const command = { approvalId: approval.approvalId, principal: principal('user:anna'), approvals }
  return (proposal, at) => lifecycle.revokeApproval(proposal, command, at)
}

function withdrawing(proposal: Proposal, at: number): Verdict {
  return lifecycle.withdraw(proposal, { reason: code('not_needed') }, at)
}

function beginning(met: boolean): Run {
  const evaluation = { met, needed: [], byRequirement: [], validUntil: null }
  return (proposal, at) => lifecycle.beginExecution(proposal, evaluation, at)
}

function settling(
  word: AttemptEnding,
  { policyMet = true, seen = [] as Effect['observations'], number = 1 } = {},
): Run {
  const effect = claimed([attempt({ ending: word })], seen)
  return (proposal, at) => lifecycle.settleCall(proposal, { attempt: number, ending: word, effect, policyMet }, at)
}

function looked(effect: Effect): Evidenced {
  const answer = effect.observations.at(-1)?.answer ?? 'target_unavailable'
  const receipt = `verification.${answer}` as Evidenced['receipt']
  return { effect, receipt, answer, externalReference: null, givenUp: null, resendAllowed: false }
}

function following(when: string, effect: Effect, changes: Partial<Evidenced> = {}): Situation {
  return situation('followEvidence', when, (proposal, at) => {
    return lifecycle.followEvidence(proposal, { ...looked(effect), ...changes }, at)
  })
}

function found(flag: 'effect_mismatch' | 'predates_attempt' | 'duplicate'): Effect['observations'][number] {
  return confirmation({ verdict: 'UNKNOWN', flags: [flag] })
}

// The first proposal's attempt, and another proposal's after it.
function formerly(seen: Effect['observations']): Effect {
  const denied = attempt({ ending: ending('failed_known') })
  return claimed([denied, attempt({ proposal: P2, ending: ending('failed_unknown') })], seen, null, { owner: P2 })
}

function resuming(effect: Effect): Run {
  return (proposal, at) => lifecycle.resume(proposal, { reason: code('outage_over'), effect }, at)
}

function settlingAs(operator: string, verdict: Settlement['verdict'], effect: Effect = contradicted): Run {
  const said = { verdict, reason: code('statement_checked'), evidenceReference: ref('case-1') }
  const approvers = [principal('user:anna')]
  return (proposal, at) => {
    const command = { said, operator: principal(operator), approvers, owner: ownerOf(effect, proposal), effect }
    return lifecycle.settle(proposal, command, at)
  }
}

// The second proposal waits for a person wherever it is the owner.
function ownerOf(effect: Effect, proposal: Proposal): Proposal {
  return effect.owner === P2 ? sample('verification_unresolved', { ref: P2 }) : proposal
}

function erasing(effect: Effect | null): Run {
  return (proposal, at) => lifecycle.erase(proposal, { reason: code('asked_by_subject'), effect }, at)
}
