// Erasure: what defers it, what it closes, and that it is asked for once.
import { describe, expect, it } from 'vitest'
import type { Effect } from '../../../src/effect/effect.ts'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'
import { isOpen, STATUSES } from '../../../src/proposal/status.ts'
import { attempt, ending, settlement } from '../../effect/builders.ts'
import { absence, claimed, code, confirmation, now, P2, sample } from './sample.ts'
import { moved } from './tell.ts'

const inDoubt = attempt({ ending: ending('failed_unknown') })
const refused = attempt({ ending: ending('failed_known') })

describe('rule R19: what defers it', () => {
  it.each<[string, Effect | null, string]>([
    ['nobody claimed the effect', null, 'pending'],
    ['nothing was started', claimed([]), 'pending'],
    ['a call is under way', claimed([attempt()]), 'requested'],
    ['a call is under way, and the effect is confirmed', claimed([attempt()], [confirmation()]), 'requested'],
    ['it is in doubt', claimed([inDoubt]), 'requested'],
    ['it is confirmed', claimed([inDoubt], [confirmation()]), 'pending'],
    ['it is proven absent', claimed([inDoubt], [absence()]), 'pending'],
    ['it was refused', claimed([refused]), 'pending'],
    ['its evidence contradicts itself', claimed([inDoubt], [absence(), confirmation()]), 'requested'],
    ['a person closed it without an answer', claimed([inDoubt], [], settlement('closed_unknown')), 'pending'],
    ['a person says that it occurred', claimed([inDoubt], [], settlement('occurred')), 'pending'],
    ['a person was contradicted', claimed([inDoubt], [absence()], settlement('occurred')), 'requested'],
    ['only another proposal has an attempt on it', claimed([attempt({ proposal: P2 })]), 'pending'],
    ['another proposal’s attempt came after its own', claimed([refused, attempt({ proposal: P2 })]), 'requested'],
  ])('rule R19 %s', (_, effect, erasure) => {
    expect(moved(erase(sample('expired'), effect)).erasure).toBe(erasure)
  })
})

describe('trace S48: what is open is withdrawn in the same step', () => {
  it.each(STATUSES)('trace S48 %s', (status) => {
    const hidden = erase(sample(status), null)
    const deferred = erase(sample(status), claimed([inDoubt]))

    // Nothing is hidden whose call may be under way.
    const erasure = status === 'executing' ? 'requested' : 'pending'
    expect(moved(hidden)).toMatchObject({ status: isOpen(status) ? 'withdrawn' : status, erasure })
    expect(moved(deferred)).toMatchObject({ status: isOpen(status) ? 'withdrawn' : status, erasure: 'requested' })
  })

  it('trace S48 one whose status has not followed its evidence yet waits for that', () => {
    const confirmed = claimed([inDoubt], [confirmation()])

    expect(moved(erase(sample('executing'), confirmed)).erasure).toBe('requested')
    expect(moved(erase(sample('verified'), confirmed)).erasure).toBe('pending')
  })

  it('trace S48 the withdrawal has the reason of the erasure', () => {
    expect(erase(sample('approved'), null)).toMatchObject({
      proposal: { reason: 'asked_by_subject', closedAt: now },
      receipt: { type: 'proposal.erased', reason: 'asked_by_subject' },
      outcome: 'erased',
    })
    expect(erase(sample('approved'), claimed([inDoubt]))).toMatchObject({
      receipt: { type: 'proposal.erased', reason: 'asked_by_subject', detail: ['deferred'] },
      outcome: 'erasure_deferred',
    })
  })
})

describe('rule R19: what is to be erased is not opened again', () => {
  const notSent = attempt({ ending: ending('not_sent') })

  it('rule R19 by proof that nothing was sent', () => {
    const settle = (erasure: Proposal['erasure']) => {
      const end = { attempt: 1, ending: ending('not_sent'), effect: claimed([notSent]), policyMet: true }
      return moved(lifecycle.settleCall(sample('executing', { erasure }), end, now))
    }

    expect(settle('none').status).toBe('approved')
    expect(settle('requested')).toMatchObject({ status: 'failed_known', reason: 'not_sent', settledAt: now })
  })

  it('rule R19 by an absence that would allow a resend', () => {
    const follow = (erasure: Proposal['erasure']) => {
      const seen = {
        effect: claimed([inDoubt], [absence()]),
        receipt: 'verification.authoritative_final_absence',
        answer: 'authoritative_final_absence',
        externalReference: null,
        givenUp: null,
        resendAllowed: true,
      } as const
      return moved(lifecycle.followEvidence(sample('failed_unknown', { erasure }), seen, now))
    }

    expect(follow('none').status).toBe('approved')
    expect(follow('requested')).toMatchObject({ status: 'failed_known', reason: 'proven_absent' })
  })
})

describe('asking again', () => {
  it.each<[Proposal['erasure'], Effect | null, string]>([
    ['requested', claimed([inDoubt]), '= erasure_deferred'],
    ['requested', claimed([refused]), '+ erased'],
    ['requested', null, '+ erased'],
    ['pending', claimed([inDoubt]), '= erased'],
    ['pending', null, '= erased'],
    ['erased', claimed([inDoubt]), '= erased'],
    ['erased', null, '= erased'],
  ])('%s', (erasure, effect, expected) => {
    const verdict = erase(sample('expired', { erasure }), effect)

    expect(`${verdict.kind === 'move' ? '+' : '='} ${verdict.kind === 'refused' ? '' : verdict.outcome}`).toBe(expected)
  })
})

function erase(proposal: Proposal, effect: Effect | null) {
  return lifecycle.erase(proposal, { reason: code('asked_by_subject'), effect }, now)
}
