// Attention: what of the evidence a person must see, for the owner and for those who owned the effect before.
import { describe, expect, it } from 'vitest'
import type { Effect, ObservationFlag } from '../../../src/effect/effect.ts'
import { attentionOf, personReason } from '../../../src/proposal/lifecycle/attention.ts'
import { STATUSES, type Status } from '../../../src/proposal/status.ts'
import { attempt, ending, observation, settlement } from '../../effect/builders.ts'
import { absence, claimed, confirmation, P1, P2, sample } from './sample.ts'

const inDoubt = attempt({ ending: ending('failed_unknown') })
const refused = attempt({ ending: ending('failed_known') })

describe('what asks for a person before anything else happens', () => {
  it.each<[string, Effect, string | null]>([
    ['nothing', claimed([inDoubt]), null],
    ['evidence that agrees', claimed([inDoubt], [confirmation(), confirmation()]), null],
    ['evidence that contradicts itself', claimed([inDoubt], [confirmation(), absence()]), 'conflicting_evidence'],
    ['another effect than was approved', flagged('effect_mismatch'), 'effect_mismatch'],
    ['an older effect', flagged('predates_attempt'), 'effect_mismatch'],
    ['two effects', flagged('duplicate'), 'duplicate_effect'],
    ['two effects, and not what was approved', flagged('duplicate', 'effect_mismatch'), 'effect_mismatch'],
    ['a contradiction, and two effects', withConflict('duplicate'), 'conflicting_evidence'],
    ['a reversal', flagged('reversed'), null],
    ['another reference', flagged('reference_differs'), null],
    ['a late word', flagged('late'), null],
    ['a missing fact', flagged('fact_missing'), null],
  ])('%s', (_, effect, reason) => {
    expect(personReason(effect)).toBe(reason)
  })

  it('trace S36 a settlement answers what its person could have seen, and nothing later', () => {
    const odd = observation({ flags: ['duplicate'] })
    const settled = settlement('occurred', { upToSequence: 1 })

    expect(personReason(claimed([inDoubt], [odd], settled))).toBe(null)
    expect(personReason(claimed([inDoubt], [odd, odd], settled))).toBe('duplicate_effect')
    expect(
      personReason(claimed([inDoubt], [confirmation(), absence()], settlement('closed_unknown', { upToSequence: 2 }))),
    ).toBe(null)
  })
})

describe('what a proposal shows', () => {
  it.each<[string, Status, Effect, readonly string[]]>([
    ['nothing', 'verified', claimed([inDoubt], [confirmation()]), []],
    [
      'a contradiction',
      'verification_unresolved',
      claimed([inDoubt], [confirmation(), absence()]),
      ['conflicting_evidence'],
    ],
    ['a mismatch', 'verification_unresolved', flagged('effect_mismatch'), ['effect_mismatch']],
    ['an older effect', 'verification_unresolved', flagged('predates_attempt'), ['effect_mismatch']],
    ['two effects', 'verification_unresolved', flagged('duplicate'), ['duplicate_possible']],
    ['another reference', 'verified', flagged('reference_differs'), ['duplicate_possible']],
    ['a reversal', 'verified', flagged('reversed'), ['reversed']],
    [
      'all at once',
      'verified',
      flagged('reversed', 'duplicate', 'effect_mismatch'),
      ['effect_mismatch', 'duplicate_possible', 'reversed'],
    ],
    [
      'two attempts of which one was confirmed',
      'verified',
      claimed([inDoubt, inDoubt], [confirmation()]),
      ['duplicate_possible'],
    ],
    ['two attempts of which none was', 'verification_pending', claimed([inDoubt, inDoubt]), []],
    [
      'one refused and one confirmed',
      'verified',
      claimed([refused, inDoubt], [confirmation({ covers: { from: 1, to: 2 } })]),
      [],
    ],
    ['a late word alone', 'verified', flagged('late'), []],
  ])('%s', (_, status, effect, expected) => {
    expect(attentionOf(sample(status), effect)).toEqual(expected)
  })
})

describe('trace S32: an attempt behind a proposal that says nothing was done', () => {
  const saying = new Set<Status>([
    'awaiting_approval',
    'approved',
    'failed_known',
    'rejected',
    'withdrawn',
    'expired',
    'stale',
    'superseded',
  ])

  it.each(STATUSES)('trace S32 %s', (status) => {
    const says = saying.has(status)
    const confirmed = attentionOf(sample(status), claimed([inDoubt], [confirmation()]))
    const open = attentionOf(sample(status), claimed([inDoubt]))
    const denied = attentionOf(sample(status), claimed([refused]))

    expect(confirmed).toEqual(says ? ['late_evidence'] : [])
    expect(open).toEqual(says ? ['effect_in_doubt'] : [])
    expect(denied).toEqual([])
  })

  it.each([
    ['occurred', 'by a person', null],
    ['closed_unknown', 'by a person', null],
    ['did_not_occur', 'by two people', 'user:olivia'],
  ] as const)('trace S32 once it is settled as %s %s, it is off the desk', (verdict, _, secondOperator) => {
    const settled = claimed([inDoubt, inDoubt], [], settlement(verdict, { upToAttempt: 2, secondOperator }))

    expect(attentionOf(sample('expired'), settled)).toEqual([])
    expect(attentionOf(sample('verified'), settled)).toEqual([])
  })

  it('rule R8 while one person alone says that it did not occur, whoever attempted it waits for a second one', () => {
    const settled = claimed([inDoubt], [], settlement('did_not_occur'))
    const overtaken = claimed([inDoubt], [confirmation()], settlement('did_not_occur'))

    expect(attentionOf(sample('failed_known'), settled)).toEqual(['settlement_unconfirmed'])
    expect(attentionOf(sample('expired'), settled)).toEqual(['settlement_unconfirmed'])
    expect(attentionOf(sample('approved', { ref: P2 }), settled)).toEqual([])
    expect(attentionOf(sample('failed_known'), overtaken)).not.toContain('settlement_unconfirmed')
  })

  it('another proposal’s attempts are no surprise to one whose own had no effect', () => {
    const other = attempt({ proposal: P2, ending: ending('failed_unknown') })
    const underWay = claimed([refused, other], [], null, { owner: P2 })
    const done = claimed([refused, other], [confirmation({ covers: { from: 1, to: 2 } })], null, { owner: P2 })

    expect(attentionOf(sample('stale'), underWay)).toEqual([])
    expect(attentionOf(sample('stale'), done)).toEqual([])
    expect(attentionOf(sample('stale', { ref: P2 }), done)).toEqual(['late_evidence'])
    expect(attentionOf(sample('superseded', { ref: P1 }), claimed([other], [confirmation()]))).toEqual([])
  })
})

function flagged(...flags: readonly ObservationFlag[]): Effect {
  return claimed([inDoubt], [observation({ flags })])
}

function withConflict(flag: ObservationFlag): Effect {
  return claimed([inDoubt], [observation({ flags: [flag] }), confirmation(), absence()])
}
