// The status follows the evidence: receipts, releases for a resend, and what former owners have to do with it.
import { describe, expect, it } from 'vitest'
import type { Effect } from '../../../src/effect/effect.ts'
import type { Evidenced } from '../../../src/proposal/lifecycle/follow-evidence.ts'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import { STATUSES, type Status } from '../../../src/proposal/status.ts'
import { attempt, ending, observation, ref, settlement } from '../../effect/builders.ts'
import { absence, claimed, confirmation, expiresAt, now, P1, P2, sample } from './sample.ts'
import { tell } from './tell.ts'

const inDoubt = attempt({ ending: ending('failed_unknown') })
const refused = attempt({ ending: ending('failed_known') })

describe('a resend is released', () => {
  it.each<[Status, boolean, number, string]>([
    ['verification_pending', true, expiresAt - 1, '→ approved'],
    ['failed_unknown', true, expiresAt - 1, '→ approved'],
    ['verification_pending', false, expiresAt - 1, '→ failed_known'],
    ['verification_pending', true, expiresAt, '→ failed_known'],
    ['executing', true, expiresAt - 1, '→ failed_known'],
    ['verification_unresolved', true, expiresAt - 1, '→ failed_known'],
  ])('design D10 %s, allowed: %s, at %i', (status, resendAllowed, at, expected) => {
    const effect = claimed([inDoubt], [absence()])

    expect(said(status, effect, { resendAllowed }, at)).toBe(expected)
  })

  it('design D10 and says so', () => {
    expect(follow('failed_unknown', claimed([inDoubt], [absence()]), { resendAllowed: true })).toMatchObject({
      outcome: 'resend_allowed',
      receipt: { type: 'verification.authoritative_final_absence', attempt: 1 },
      reason: null,
    })
  })

  it('design D10 where it is not, the failure is proven', () => {
    expect(follow('failed_unknown', claimed([inDoubt], [absence()]), {})).toMatchObject({
      proposal: { status: 'failed_known', reason: 'proven_absent', settledAt: now },
    })
  })

  it('design D10 what is approved already is not released once more', () => {
    expect(follow('approved', claimed([inDoubt], [absence()]), { resendAllowed: true })).toMatchObject({
      outcome: 'approved',
    })
  })
})

describe('the receipt', () => {
  it('is that of the answer, with its attempt and reference', () => {
    const effect = claimed([inDoubt], [confirmation()])
    const verdict = follow('verification_pending', effect, { externalReference: ref('re_1') })

    expect(verdict).toMatchObject({
      receipt: { type: 'verification.verified_completion', attempt: 1, externalReference: 're_1' },
      proposal: { status: 'verified', settledAt: now },
    })
    expect(verdict).not.toHaveProperty('receipt.reason')
    expect(verdict).not.toHaveProperty('receipt.detail')
  })

  it.each<[string, Effect, Partial<Evidenced>, object]>([
    [
      'conflict',
      claimed([inDoubt], [absence(), confirmation()]),
      {},
      { type: 'verification.unresolved', reason: 'conflicting_evidence' },
    ],
    ['mismatch', flagged('effect_mismatch'), {}, { type: 'verification.mismatch', reason: 'effect_mismatch' }],
    ['duplicate', flagged('duplicate'), {}, { type: 'verification.mismatch', reason: 'duplicate_effect' }],
    [
      'budget',
      claimed([inDoubt], [observation()]),
      { givenUp: 'unavailables_spent' },
      { type: 'verification.unresolved', reason: 'unavailables_spent' },
    ],
  ])('of what asks for a person says why, and after which answer: %s', (_, effect, changes, receipt) => {
    const answer = effect.observations.at(-1)?.answer

    expect(follow('verification_pending', effect, changes)).toMatchObject({
      receipt: { ...receipt, detail: [answer], attempt: 1 },
      proposal: { status: 'verification_unresolved' },
    })
  })

  it('where a person is asked already, is that of the answer again', () => {
    expect(follow('verification_unresolved', flagged('duplicate'), {})).toMatchObject({
      receipt: { type: 'verification.verified_completion' },
      outcome: 'verification_unresolved',
      reason: null,
    })
  })

  it('a proposal without an attempt of its own names none', () => {
    expect(follow('verified', claimed([inDoubt], [confirmation()]), {})).not.toHaveProperty('receipt.attempt')
  })
})

describe('former owners', () => {
  const handedOver = (...observations: Effect['observations']): Effect => {
    return claimed([refused, attempt({ proposal: P2, ending: ending('failed_unknown') })], observations, null, {
      owner: P2,
    })
  }
  const ofBoth = { covers: { from: 1, to: 2 } }

  it.each(STATUSES)('rule R3 what the next owner’s attempt did is not theirs: %s', (status) => {
    expect(said(status, handedOver(confirmation(ofBoth)))).toMatch(/^\+/)
    expect(said(status, handedOver(observation(ofBoth)))).toMatch(/^\+/)
  })

  it.each(STATUSES)('trace S49 what contradicts the end of their own attempt is: %s', (status) => {
    const late = handedOver(confirmation())
    const reopened = status === 'verified' || status === 'failed_known' || status === 'closed_unknown'

    expect(said(status, late)).toMatch(reopened ? /^→ verification_unresolved/ : /^\+/)
    expect(follow(status, late, {})).toMatchObject({ proposal: { attention: ['conflicting_evidence'] } })
  })

  it('trace S49 the owner is moved by it too', () => {
    const owner = sample('executing', { ref: P2 })
    const effect = handedOver(confirmation())

    expect(tell(owner, lifecycle.followEvidence(owner, { ...quiet, effect }, now))).toBe('→ verification_unresolved')
  })
})

describe('traces whose end is a status', () => {
  it.each<[string, Status, Effect, string]>([
    [
      'trace S1 released for a resend, then found',
      'approved',
      claimed([inDoubt], [absence(), confirmation()]),
      '→ verification_unresolved',
    ],
    [
      'trace S1 likewise while waiting again',
      'awaiting_approval',
      claimed([inDoubt], [absence(), confirmation()]),
      '→ verification_unresolved',
    ],
    ['trace S32 closed by time, then found', 'expired', claimed([inDoubt], [absence(), confirmation()]), '+ expired'],
    ['trace S34 found while the call is under way', 'executing', claimed([attempt()], [confirmation()]), '→ verified'],
    ['trace S33 done and undone, never seen done', 'failed_unknown', claimed([inDoubt], [reversed()]), '→ verified'],
    [
      'trace S33 done and undone, seen done before',
      'verified',
      claimed([inDoubt], [confirmation(), reversed()]),
      '+ verified',
    ],
    [
      'trace S33 done and undone, after proof of absence',
      'failed_known',
      claimed([inDoubt], [absence(), reversed()]),
      '→ verification_unresolved',
    ],
    ['trace S36 a person closed it, nothing new', 'closed_unknown', closed(), '+ closed_unknown'],
    [
      'trace S36 a person closed it, an outage',
      'closed_unknown',
      closed(observation({ answer: 'target_unavailable' })),
      '+ closed_unknown',
    ],
    [
      'trace S36 a person closed it, then it was found',
      'closed_unknown',
      closed(confirmation()),
      '→ verification_unresolved',
    ],
    [
      'rule R8 settled as occurred, then proven absent',
      'verified',
      claimed([inDoubt], [absence()], settlement('occurred')),
      '→ verification_unresolved',
    ],
    [
      'rule R8 settled as not occurred, then found',
      'failed_known',
      claimed([inDoubt], [confirmation()], settlement('did_not_occur')),
      '→ verification_unresolved',
    ],
    [
      'rule R8 settled as occurred, and found',
      'verified',
      claimed([inDoubt], [confirmation()], settlement('occurred')),
      '+ verified',
    ],
  ])('%s', (_, status, effect, expected) => {
    expect(said(status, effect)).toBe(expected)
  })

  it('trace S33 a reversal is shown, whatever the status', () => {
    expect(follow('failed_unknown', claimed([inDoubt], [reversed()]), {})).toMatchObject({
      proposal: { status: 'verified', attention: ['reversed'] },
    })
  })

  it('trace S1 what is verified in the end is not a surprise any more', () => {
    expect(follow('approved', claimed([inDoubt], [confirmation()]), {})).toMatchObject({
      proposal: { status: 'verified', attention: [] },
    })
  })

  function reversed(): Effect['observations'][number] {
    return confirmation({ answer: 'reversed_after_completion', flags: ['reversed'] })
  }

  function closed(...later: Effect['observations']): Effect {
    return claimed([inDoubt], later, settlement('closed_unknown'))
  }
})

const quiet: Omit<Evidenced, 'effect'> = {
  receipt: 'verification.verified_completion',
  answer: 'verified_completion',
  externalReference: null,
  givenUp: null,
  resendAllowed: false,
}

function follow(status: Status, effect: Effect, changes: Partial<Evidenced>, at = now) {
  const answer = effect.observations.at(-1)?.answer ?? quiet.answer
  const receipt = `verification.${answer}` as Evidenced['receipt']
  const seen = { ...quiet, effect, answer, receipt, ...changes }
  return lifecycle.followEvidence(sample(status, { ref: P1 }), seen, at)
}

function said(status: Status, effect: Effect, changes: Partial<Evidenced> = {}, at = now): string {
  return tell(sample(status), follow(status, effect, changes, at))
}

function flagged(flag: 'effect_mismatch' | 'duplicate'): Effect {
  return claimed([inDoubt], [confirmation({ verdict: 'UNKNOWN', flags: [flag] })])
}
