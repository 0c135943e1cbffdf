// The verifier's answer: the table of lifecycle 7, when an absence is final, and what each answer spends.
import { describe, expect, it } from 'vitest'
import type { Observation, ProofKind } from '../../src/effect/effect.ts'
import type { Judged } from '../../src/proposal/answers/judge-verification.ts'
import { attempt, ending, leaseUntil, observation, startedAt } from '../effect/builders.ts'
import { claimed } from './lifecycle/sample.ts'
import {
  boundary,
  found,
  gone,
  inDoubt,
  judge,
  K1,
  K2,
  type Look,
  notYet,
  otherFacts,
  rules,
  seen,
} from './verification-fixtures.ts'

const refused = { status: 'verified_terminal_failure', identity: K1, attempt: 1, reason: 'declined' }

describe('lifecycle 7: one answer after the boundary', () => {
  it.each<[string, unknown, string]>([
    ['verified_completion, matches 1, facts equal', found(), 'CONFIRMED spends nothing'],
    ['verified_completion, facts differ', found({ facts: otherFacts }), 'UNKNOWN effect_mismatch spends nothing'],
    ['verified_completion, two matches', found({ matches: 2 }), 'UNKNOWN duplicate spends nothing'],
    ['verified_completion, older', found({ occurredAt: startedAt - 5_001 }), 'UNKNOWN predates_attempt spends nothing'],
    ['verified_completion, a fact missing', found({ facts: {} }), 'UNKNOWN fact_missing spends unavailable'],
    ['verified_completion, matches missing', found({ matches: undefined }), 'UNKNOWN fact_missing spends unavailable'],
    ['verified_terminal_failure', refused, 'FAILED spends nothing'],
    ['provisional_absence', notYet(), 'UNKNOWN spends absence'],
    ['authoritative_final_absence, accepted proof', gone('terminal'), 'FAILED spends nothing'],
    ['authoritative_final_absence, another proof', gone('key_consumed'), 'UNKNOWN spends absence'],
    ['target_unavailable', { status: 'target_unavailable' }, 'UNKNOWN spends unavailable'],
    ['reversed_after_completion', found({ status: 'reversed_after_completion' }), 'CONFIRMED reversed spends nothing'],
  ])('lifecycle 7 %s', (_, answer, expected) => {
    expect(said(judge(answer, inDoubt))).toBe(expected)
  })

  it('what is recorded names the answer, what it covers, and when it was read', () => {
    const {
      observation: recorded,
      factsText,
      resultText,
    } = judge(found({ externalReference: 're_1', result: { refundId: 're_1' }, occurredAt: startedAt }), inDoubt, {
      beganAt: 5_000,
      endedAt: 6_000,
    })

    expect(recorded).toEqual({
      source: 'verifier',
      answer: 'verified_completion',
      verdict: 'CONFIRMED',
      covers: { from: 1, to: 1 },
      target: 'psp',
      proof: null,
      flags: [],
      reason: null,
      externalReference: 're_1',
      matches: 1,
      beganAt: 5_000,
      endedAt: 6_000,
    })
    expect(factsText).toBe('{"/amount":{"amount":"10.00","currency":"EUR"}}')
    expect(resultText).toBe('{"refundId":"re_1"}')
  })

  it('a reason goes with every answer that may have one', () => {
    const reasons = [
      refused,
      { ...notYet(), reason: 'index_lags' },
      { ...gone('terminal'), reason: 'request_expired' },
      { status: 'target_unavailable', reason: 'maintenance' },
    ].map((answer) => judge(answer, inDoubt).observation.reason)

    expect(reasons).toEqual(['declined', 'index_lags', 'request_expired', 'maintenance'])
  })

  it('nothing but what confirms has a result', () => {
    const result = { refundId: 're_1' }

    expect(judge(found({ result, matches: 2 }), inDoubt).resultText).toBe(null)
    expect(judge(found(), inDoubt).resultText).toBe(null)
    expect(judge(notYet(), inDoubt)).toMatchObject({ resultText: null, factsText: null })
  })
})

describe('rule R11: without the right echo an answer decides nothing', () => {
  const twoKeys = claimed([
    attempt({ ending: ending('failed_known') }),
    attempt({ generation: 2, startedAt: startedAt + 1, ending: ending('failed_unknown') }),
  ])

  it.each<[string, unknown]>([
    ['a positive under another key', found({ identity: K2 })],
    ['a positive under no key', found({ identity: '' })],
    ['a reversal under another key', found({ status: 'reversed_after_completion', identity: K2 })],
    ['a refusal under another key', { ...refused, identity: K2 }],
    ['a refusal of an attempt that never was', { ...refused, attempt: 2 }],
    ['an absence of another key', notYet([K2])],
    ['an absence of more than was asked', notYet([K1, K2])],
    ['a final absence of another key', gone('terminal', [K2])],
  ])('rule R11 %s', (_, answer) => {
    const judged = judge(answer, inDoubt)

    expect(said(judged)).toBe('UNKNOWN spends unavailable')
    expect(judged.observation).toMatchObject({ answer: 'target_unavailable', reason: 'identity_mismatch' })
  })

  it.each<[string, unknown, string]>([
    ['an absence of every key, in any order', gone('terminal', [K2, K1]), 'FAILED spends nothing'],
    ['an absence that names one of them twice', gone('terminal', [K1, K2, K2]), 'FAILED spends nothing'],
    ['an absence of one of them', gone('terminal', [K2]), 'UNKNOWN spends unavailable'],
    ['an absence of one of them, twice', gone('terminal', [K2, K2]), 'UNKNOWN spends unavailable'],
    ['an absence of one of them and of another', gone('terminal', [K2, 'ik_other']), 'UNKNOWN spends unavailable'],
    ['a refusal of the second under its own key', { ...refused, identity: K2, attempt: 2 }, 'FAILED spends nothing'],
    ['a refusal of the second under the first key', { ...refused, attempt: 2 }, 'UNKNOWN spends unavailable'],
  ])('rule R11 asked for two keys: %s', (_, answer, expected) => {
    expect(said(judge(answer, twoKeys))).toBe(expected)
  })

  it('rule R11 a positive covers the attempts that carried its key, a refusal the one that it names', () => {
    const resent = claimed([attempt({ ending: ending('failed_unknown') }), attempt({ ending: ending('accepted') })])

    expect(judge(found({ identity: K2 }), twoKeys).observation.covers).toEqual({ from: 2, to: 2 })
    expect(judge(found(), resent).observation.covers).toEqual({ from: 1, to: 2 })
    expect(judge({ ...refused, attempt: 2 }, resent).observation.covers).toEqual({ from: 2, to: 2 })
    expect(judge(gone('terminal'), resent).observation.covers).toEqual({ from: 1, to: 2 })
  })

  it('rule R11 an answer speaks of attempts of its own target only', () => {
    const elsewhere = claimed([attempt({ target: 'bank' }), attempt({ startedAt: startedAt + 1 })])

    expect(judge(found(), elsewhere).observation.covers).toEqual({ from: 2, to: 2 })
    expect(said(judge({ ...refused, attempt: 1 }, elsewhere, { covers: { from: 1, to: 2 } }))).toBe(
      'UNKNOWN spends unavailable',
    )
  })

  it('rule R11 attempts that started after the read began are not covered', () => {
    const resent = claimed([attempt({ ending: ending('failed_unknown') }), attempt({ startedAt: boundary })])

    expect(judge(found(), resent, { covers: { from: 1, to: 1 } }).observation.covers).toEqual({ from: 1, to: 1 })
  })
})

describe('rule R6: the settling boundary is the runtime’s', () => {
  const answers: readonly (readonly [string, unknown])[] = [
    ['a refusal', refused],
    ['a final absence', gone('terminal')],
  ]

  it.each(answers)('rule R6 %s counts if the read began at the boundary, and not a moment before', (_, answer) => {
    expect(said(judge(answer, inDoubt, { beganAt: boundary - 1, endedAt: boundary + 9 }))).toBe(
      'UNKNOWN spends nothing',
    )
    expect(said(judge(answer, inDoubt, { beganAt: boundary }))).toBe('FAILED spends nothing')
    expect(said(judge(answer, inDoubt, { beganAt: boundary + 1 }))).toBe('FAILED spends nothing')
  })

  it('rule R6 a provisional absence spends the budget from the boundary on', () => {
    expect(said(judge(notYet(), inDoubt, { beganAt: boundary - 1 }))).toBe('UNKNOWN spends nothing')
    expect(said(judge(notYet(), inDoubt, { beganAt: boundary }))).toBe('UNKNOWN spends absence')
  })

  it('rule R6 a positive counts at once', () => {
    expect(said(judge(found(), inDoubt, { beganAt: startedAt + 1 }))).toBe('CONFIRMED spends nothing')
  })

  it.each(answers)(
    'trace S6 %s makes nothing sure while the clock is not believed, and spends nothing',
    (_, answer) => {
      const judged = judge(answer, inDoubt, { isClockSettled: false })

      expect(said(judged)).toBe('UNKNOWN spends nothing')
      expect(judged.observation.reason).toBe('clock_unsettled')
    },
  )

  it('trace S6 an absence is provisional while the clock is not believed, and a positive counts', () => {
    const unsettled = { isClockSettled: false }

    expect(judge(gone('settled'), inDoubt, unsettled).observation).toMatchObject({
      answer: 'provisional_absence',
      proof: null,
    })
    expect(said(judge(notYet(), inDoubt, unsettled))).toBe('UNKNOWN spends nothing')
    expect(said(judge(found(), inDoubt, unsettled))).toBe('CONFIRMED spends nothing')
  })

  it('rule R6 an early return does not shorten it, a late one lengthens it', () => {
    const early = claimed([attempt({ ending: ending('failed_unknown') })])
    const lateWord = observation({ source: 'executor', answer: 'accepted', endedAt: leaseUntil + 500 })
    const late = claimed([attempt({ ending: ending('lease_lapsed', { at: leaseUntil }) })], [lateWord])

    expect(said(judge(gone('terminal'), early, { beganAt: boundary - 1 }))).toBe('UNKNOWN spends nothing')
    expect(said(judge(gone('terminal'), early, { beganAt: boundary }))).toBe('FAILED spends nothing')
    expect(said(judge(gone('terminal'), late, { beganAt: boundary + 499 }))).toBe('UNKNOWN spends nothing')
    expect(said(judge(gone('terminal'), late, { beganAt: boundary + 500 }))).toBe('FAILED spends nothing')
  })

  it('rule R6 a refusal waits for the attempt that it names, an absence for all that it covers', () => {
    const resent = claimed([
      attempt({ ending: ending('failed_unknown') }),
      attempt({ startedAt: boundary, leaseUntil: boundary + 60_000 }),
    ])

    expect(said(judge(refused, resent, { beganAt: boundary }))).toBe('FAILED spends nothing')
    expect(said(judge({ ...refused, attempt: 2 }, resent, { beganAt: boundary }))).toBe('UNKNOWN spends nothing')
    expect(said(judge(gone('terminal'), resent, { beganAt: boundary }))).toBe('UNKNOWN spends nothing')
  })
})

describe('rule R6: proof settled needs two reads', () => {
  const definition = { ...rules, acceptProof: { failure: ['settled'], resend: [] } } as const
  const settled = (beganAt: number): Partial<Look> => ({ beganAt, definition })
  const once = seen(inDoubt, gone('settled'), settled(boundary))

  it('rule R6 the first read is UNKNOWN and spends', () => {
    expect(said(judge(gone('settled'), inDoubt, settled(boundary)))).toBe('UNKNOWN spends absence')
  })

  it.each<[string, number, string]>([
    ['a moment too close', boundary + 59_999, 'UNKNOWN spends absence'],
    ['as far apart as a request may be in flight', boundary + 60_000, 'FAILED spends nothing'],
  ])('rule R6 the second read, %s', (_, beganAt, expected) => {
    expect(said(judge(gone('settled'), once, settled(beganAt)))).toBe(expected)
  })

  it('rule R6 a first read from before the boundary, or with another proof, is none', () => {
    const early = seen(inDoubt, gone('settled'), settled(boundary - 1))
    const other = seen(inDoubt, gone('fenced'), settled(boundary))

    expect(said(judge(gone('settled'), early, settled(boundary + 120_000)))).toBe('UNKNOWN spends absence')
    expect(said(judge(gone('settled'), other, settled(boundary + 120_000)))).toBe('UNKNOWN spends absence')
  })
})

describe('which proofs count', () => {
  const kinds: readonly ProofKind[] = ['terminal', 'cancelled', 'fenced', 'key_consumed', 'settled']
  const stopped = claimed([attempt()], [acknowledged('fence'), acknowledged('cancel')])

  it.each(kinds)('%s counts where the definition accepts it, and nowhere else', (proof) => {
    const twice = seen(stopped, gone(proof), { definition: accepting([proof]), beganAt: boundary })
    const later = boundary + 60_000

    expect(said(judge(gone(proof), twice, { beganAt: later, definition: accepting([proof]) }))).toBe(
      'FAILED spends nothing',
    )
    expect(
      said(
        judge(gone(proof), twice, { beganAt: later, definition: accepting(kinds.filter((kind) => kind !== proof)) }),
      ),
    ).toBe('UNKNOWN spends absence')
  })

  it('the refusal of an attempt counts where proof terminal does', () => {
    expect(said(judge(refused, inDoubt, { definition: accepting(['fenced']) }))).toBe('UNKNOWN spends absence')
    expect(judge(refused, inDoubt).observation.proof).toBe('terminal')
  })

  it.each<[ProofKind, 'fence' | 'cancel', 'cancel' | 'fence']>([
    ['fenced', 'fence', 'cancel'],
    ['cancelled', 'cancel', 'fence'],
  ])('trace S9 %s counts only with the target’s own acknowledgement', (proof, source, other) => {
    const withAck = (...acknowledgements: readonly ReturnType<typeof acknowledged>[]): string => {
      return said(judge(gone(proof), claimed([attempt()], acknowledgements)))
    }

    expect(withAck(acknowledged(source))).toBe('FAILED spends nothing')
    expect(withAck()).toBe('UNKNOWN spends absence')
    expect(withAck(acknowledged(other))).toBe('UNKNOWN spends absence')
    expect(withAck(acknowledged(source, { answer: 'refused' }))).toBe('UNKNOWN spends absence')
    expect(withAck(acknowledged(source, { target: 'bank' }))).toBe('UNKNOWN spends absence')
    expect(withAck(acknowledged(source, { source: 'verifier' }))).toBe('UNKNOWN spends absence')
    expect(withAck(acknowledged(source, { endedAt: boundary + 1 }))).toBe('UNKNOWN spends absence')
  })

  it('trace S9 an acknowledgement covers the attempts that had started, and no later one', () => {
    const resent = [attempt(), attempt()]
    const first = acknowledged('fence', { covers: { from: 1, to: 1 } })
    const second = acknowledged('fence', { covers: { from: 2, to: 2 } })
    const both = acknowledged('fence', { covers: { from: 1, to: 2 } })

    expect(said(judge(gone('fenced'), claimed(resent, [first, second])))).toBe('UNKNOWN spends absence')
    expect(said(judge(gone('fenced'), claimed(resent, [both])))).toBe('FAILED spends nothing')
  })

  function accepting(failure: readonly ProofKind[]): Look['definition'] {
    return { ...rules, acceptProof: { failure, resend: [] } }
  }

  function acknowledged(source: 'fence' | 'cancel', fields: Partial<Observation> = {}): Observation {
    const answer = 'acknowledged'
    return observation({ source, answer, beganAt: leaseUntil, endedAt: boundary, ...fields })
  }
})

function said({ observation: { verdict, flags }, spends }: Judged): string {
  return [verdict, ...flags, `spends ${spends ?? 'nothing'}`].join(' ')
}
