// A found effect: is it what was approved, for whom, how often, since when, and under which reference.
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../../src/effect/canonical-json.ts'
import type { Effect } from '../../src/effect/effect.ts'
import type { Reference } from '../../src/effect/reference.ts'
import { attempt, ending, observation, ref, startedAt } from '../effect/builders.ts'
import { claimed, confirmation, P1, P2 } from './lifecycle/sample.ts'
import { facts, found, inDoubt, judge, K2, type Look, otherFacts, rules, snapshot } from './verification-fixtures.ts'

const otherSnapshot: JsonValue = { amount: { amount: '40.00', currency: 'EUR' } }

describe('rule R11: all declared facts, equal to what was approved', () => {
  const definition = { ...rules, facts: ['/amount', '/payee/iban', '/note'] }
  const approved = { amount: '10.00', payee: { iban: 'x1' }, order: 7 }
  const contents = new Map<Reference, JsonValue>([[P1, approved]])
  const all = { '/amount': '10.00', '/payee/iban': 'x1', '/note': null }

  it.each<[string, unknown, string]>([
    ['all of them, in any order', { '/note': null, '/payee/iban': 'x1', '/amount': '10.00' }, 'CONFIRMED'],
    ['one differs', { ...all, '/payee/iban': 'x2' }, 'UNKNOWN effect_mismatch'],
    ['one differs in its type only', { ...all, '/amount': 10 }, 'UNKNOWN effect_mismatch'],
    ['what was approved without is there', { ...all, '/note': 'late' }, 'UNKNOWN effect_mismatch'],
    ['what was approved is null', { ...all, '/amount': null }, 'UNKNOWN effect_mismatch'],
    ['one is missing', { '/amount': '10.00', '/note': null }, 'UNKNOWN fact_missing'],
    ['one is missing and another differs', { '/amount': '40.00', '/note': null }, 'UNKNOWN fact_missing'],
  ])('rule R11 %s', (_, found_, expected) => {
    expect(said(found({ facts: found_ }), inDoubt, { definition, contents })).toBe(expected)
  })

  it('rule R11 money is equal when amount and currency are, however the object is written', () => {
    expect(said(found({ facts: { '/amount': { currency: 'EUR', amount: '10.00' } } }), inDoubt)).toBe('CONFIRMED')
    expect(said(found({ facts: { '/amount': { currency: 'USD', amount: '10.00' } } }), inDoubt)).toBe(
      'UNKNOWN effect_mismatch',
    )
  })

  it('rule R11 a definition without facts asks for none', () => {
    expect(said(found({ facts: {} }), inDoubt, { definition: { ...rules, facts: [] } })).toBe('CONFIRMED')
  })
})

describe('rule R11: the host may compare for itself', () => {
  it.each<[string, () => unknown, string]>([
    ['true', () => true, 'CONFIRMED'],
    ['false', () => false, 'UNKNOWN effect_mismatch'],
    ['a throw', throwing, 'UNKNOWN facts_not_comparable'],
    ['a promise, which is always truthy', () => Promise.resolve(false), 'UNKNOWN facts_not_comparable'],
    ['a number', () => 1, 'UNKNOWN facts_not_comparable'],
    ['null', () => null, 'UNKNOWN facts_not_comparable'],
  ])('rule R11 and answers %s', (_, answer, expected) => {
    const compareFacts = answer as () => boolean

    expect(said(found({ facts: otherFacts }), inDoubt, { compareFacts })).toBe(expected)
  })

  it('rule R11 it is handed the approved facts and the found ones', () => {
    const compared: unknown[] = []
    const compareFacts = (...both: readonly unknown[]): boolean => compared.push(...both) > 0
    judge(found({ facts: otherFacts }), inDoubt, { compareFacts })

    expect(compared.slice(0, 2)).toEqual([facts, otherFacts])
  })

  it('rule R11 what cannot be compared is kept, spends the budget of outages, and decides nothing', () => {
    const judged = judge(found({ externalReference: 're_1' }), inDoubt, { compareFacts: throwing })

    expect(judged).toMatchObject({
      observation: { answer: 'verified_completion', verdict: 'UNKNOWN', externalReference: 're_1', matches: 1 },
      spends: 'unavailable',
    })
  })
})

describe('whose content it is', () => {
  const handedOver = claimed(
    [attempt({ ending: ending('failed_unknown') }), attempt({ proposal: P2, ending: ending('failed_unknown') })],
    [],
    null,
    { owner: P2 },
  )
  const same: Look['contents'] = new Map([
    [P1, snapshot],
    [P2, snapshot],
  ])
  const different: Look['contents'] = new Map([
    [P1, snapshot],
    [P2, otherSnapshot],
  ])

  it.each<[string, Effect, Look['contents'], unknown, string]>([
    ['the only one', inDoubt, new Map([[P1, snapshot]]), facts, 'CONFIRMED'],
    ['both are the same', handedOver, same, facts, 'CONFIRMED'],
    ['trace S28 the former owner’s, not the owner’s', handedOver, different, facts, 'UNKNOWN effect_mismatch'],
    ['the owner’s, whose attempt carried the key too', handedOver, different, otherFacts, 'CONFIRMED'],
    ['nobody’s', handedOver, different, { '/amount': null }, 'UNKNOWN effect_mismatch'],
    ['the owner’s, and the former owner’s is erased', handedOver, new Map([[P2, snapshot]]), facts, 'CONFIRMED'],
    [
      'not the owner’s, and the former owner’s is erased',
      handedOver,
      new Map([[P2, otherSnapshot]]),
      facts,
      'UNKNOWN effect_mismatch',
    ],
    ['the owner’s cannot be opened', handedOver, new Map([[P1, snapshot]]), facts, 'UNKNOWN facts_not_comparable'],
    ['none can be opened', inDoubt, new Map(), facts, 'UNKNOWN facts_not_comparable'],
  ])('%s', (_, effect, contents, found_, expected) => {
    expect(said(found({ facts: found_ }), effect, { contents })).toBe(expected)
  })

  it('an attempt under another key is not what was found', () => {
    const newKey = claimed(
      [
        attempt({ ending: ending('failed_known') }),
        attempt({ proposal: P2, generation: 2, ending: ending('accepted') }),
      ],
      [],
      null,
      { owner: P2 },
    )

    expect(said(found({ identity: K2, facts: otherFacts }), newKey, { contents: different })).toBe('CONFIRMED')
    expect(said(found({ facts }), newKey, { contents: different })).toBe('UNKNOWN effect_mismatch')
    expect(said(found({ identity: K2, facts }), newKey, { contents: different })).toBe('UNKNOWN effect_mismatch')
  })

  it('the owner’s content is not enough if no attempt of such content carried the key', () => {
    const newKey = claimed(
      [
        attempt({ ending: ending('failed_known') }),
        attempt({ proposal: P2, generation: 2, ending: ending('accepted') }),
      ],
      [],
      null,
      { owner: P2 },
    )

    expect(said(found({ facts: otherFacts }), newKey, { contents: different })).toBe('UNKNOWN effect_mismatch')
    expect(said(found({ facts }), newKey, { contents: new Map([[P2, snapshot]]) })).toBe('UNKNOWN facts_not_comparable')
  })

  it('a guarded call has no content to compare with', () => {
    const call = claimed([attempt({ proposal: null })], [], null, { owner: null })

    expect(said(found(), call)).toBe('UNKNOWN facts_not_comparable')
  })
})

describe('what a person must see', () => {
  const twice = claimed([
    attempt({ ending: ending('failed_unknown') }),
    attempt({ startedAt: startedAt + 500, ending: ending('failed_unknown') }),
  ])

  it('an effect from before the first attempt that carried the key is not ours', () => {
    expect(said(found({ occurredAt: startedAt - 5_001 }), twice)).toBe('UNKNOWN predates_attempt')
    expect(said(found({ occurredAt: startedAt }), twice)).toBe('CONFIRMED')
    expect(said(found({ occurredAt: startedAt + 10 }), twice)).toBe('CONFIRMED')
  })

  it('the clock of a target may be a little behind ours, or tell whole seconds only', () => {
    expect(said(found({ occurredAt: startedAt - 5_000 }), twice)).toBe('CONFIRMED')
  })

  it('trace S28 what is seen beside a missing fact is seen all the same', () => {
    const judged = found({ facts: {}, matches: 2, occurredAt: 0, status: 'reversed_after_completion' })

    expect(said(judged, inDoubt)).toBe('UNKNOWN fact_missing duplicate predates_attempt reversed')
  })

  it('case C009 two effects under one key are told as two, whatever their facts', () => {
    expect(said(found({ matches: 2 }), inDoubt)).toBe('UNKNOWN duplicate')
    expect(said(found({ matches: 2, facts: otherFacts }), inDoubt)).toBe('UNKNOWN duplicate effect_mismatch')
    expect(said(found({ matches: undefined, facts: otherFacts }), inDoubt)).toBe('UNKNOWN fact_missing')
  })

  it.each<[string, Effect, string | undefined, string]>([
    ['the one that the call returned', answered('re_1'), 're_1', 'CONFIRMED'],
    ['another than the call returned', answered('re_2'), 're_1', 'CONFIRMED reference_differs'],
    ['one where the call returned none', answered(null), 're_1', 'CONFIRMED'],
    ['none where the call returned one', answered('re_1'), undefined, 'CONFIRMED'],
    ['another than was confirmed before', confirmed('re_2'), 're_1', 'CONFIRMED reference_differs'],
    ['the one that was confirmed before', confirmed('re_1'), 're_1', 'CONFIRMED'],
    ['another than a call said late', saidLate('re_2', 1), 're_1', 'CONFIRMED reference_differs'],
    ['another than a call of another key said late', saidLate('re_2', 2), 're_1', 'CONFIRMED'],
    ['another than was seen and did not count', mentioned('re_2'), 're_1', 'CONFIRMED'],
    ['one while the call is under way', inDoubt, 're_1', 'CONFIRMED'],
  ])('rule R11 the reference is %s', (_, effect, externalReference, expected) => {
    expect(said(found({ externalReference }), effect)).toBe(expected)
  })

  it('rule R11 a late word of any attempt that carried the key counts', () => {
    const ended = attempt({ ending: ending('lease_lapsed') })
    const late = observation({ source: 'executor', externalReference: ref('re_2'), covers: { from: 2, to: 2 } })

    expect(said(found({ externalReference: 're_1' }), claimed([ended, ended], [late]))).toBe(
      'CONFIRMED reference_differs',
    )
  })

  function answered(reference: string | null): Effect {
    const externalReference = reference === null ? null : ref(reference)
    return claimed([attempt({ ending: ending('accepted', { externalReference }) })])
  }

  function confirmed(reference: string): Effect {
    return claimed([attempt({ ending: ending('accepted') })], [confirmation({ externalReference: ref(reference) })])
  }

  function saidLate(reference: string, number: number): Effect {
    const covers = { from: number, to: number }
    const late = observation({ source: 'executor', answer: 'accepted', externalReference: ref(reference), covers })
    const ended = ending('lease_lapsed')
    return claimed([attempt({ ending: ended }), attempt({ generation: 2, ending: ended })], [late])
  }

  function mentioned(reference: string): Effect {
    return claimed([attempt({ ending: ending('accepted') })], [observation({ externalReference: ref(reference) })])
  }
})

function said(answer: unknown, effect: Effect, look: Partial<Look> = {}): string {
  const { verdict, flags, reason } = judge(answer, effect, look).observation
  const reasons = reason === null || flags.some((flag) => flag === reason) ? [] : [reason]
  return [verdict, ...flags, ...reasons].join(' ')
}

function throwing(): never {
  throw new Error('cannot tell')
}
