// Settlements: what a person's verdict is about, when a second one confirms it, and what rests on it from then on.
import { describe, expect, it } from 'vitest'
import type { Effect, Observation, Settlement } from '../../src/effect/effect.ts'
import { unclaimed } from '../../src/effect/effect-changes.ts'
import { evidenceOf } from '../../src/effect/effect-evidence.ts'
import { parseReasonCode } from '../../src/effect/reference.ts'
import {
  isConfirmation,
  isRepetition,
  type OperatorVerdict,
  restsOnSettlement,
  settlementOf,
  settlersOf,
  standingSettlement,
  withResumed,
  withSettled,
} from '../../src/effect/settlement.ts'
import { attempt, ending, leaseUntil, observation, ref, settlement } from './builders.ts'

const inDoubt = attempt({ ending: ending('failed_unknown') })
const found = observation({ verdict: 'CONFIRMED' })
const absent = observation({ verdict: 'FAILED' })
const first = settlement('did_not_occur', { by: 'user:oscar' })
const both = { ...first, secondOperator: 'user:olivia' }

describe('a person’s verdict', () => {
  const said: OperatorVerdict = {
    verdict: 'occurred',
    by: 'user:oscar',
    reason: parseReasonCode('statement_checked', ''),
    evidenceReference: ref('case-7'),
    at: leaseUntil,
  }

  it('rule R8 speaks of what is on record, and of nothing that comes later', () => {
    const effect = effectOf([inDoubt, inDoubt], [absent, found, found])

    expect(settlementOf(effect, said)).toEqual({ ...said, upToAttempt: 2, upToSequence: 3, secondOperator: null })
    expect(settlementOf(effectOf([inDoubt]), said)).toMatchObject({ upToAttempt: 1, upToSequence: 0 })
  })

  it('keeps nothing but what a settlement has', () => {
    const more = { ...said, extra: 1 }

    expect(settlementOf(effectOf([inDoubt]), more)).not.toHaveProperty('extra')
  })

  it('rule R2 raises the version, and leaves nothing to be looked at by itself', () => {
    const effect = { ...effectOf([inDoubt]), verifyDueAt: 5, verifyLease: { holder: 'w', until: 9 } }
    const settled = withSettled(effect, first)

    expect(settled).toEqual({
      ...effect,
      version: effect.version + 1,
      settlement: first,
      verifyDueAt: null,
      verifyLease: null,
    })
  })
})

describe('while a settlement stands', () => {
  it.each<[string, Effect, Settlement | null]>([
    ['nobody settled', effectOf([inDoubt]), null],
    ['nothing came after it', effectOf([inDoubt], [], first), first],
    ['what came after it agrees', effectOf([inDoubt], [absent], first), first],
    ['what came after it proves nothing', effectOf([inDoubt], [observation()], first), first],
    ['it was contradicted', effectOf([inDoubt], [found], first), null],
    ['something decisive followed no answer', effectOf([inDoubt], [found], settlement('closed_unknown')), null],
    ['it was sent again since', effectOf([inDoubt, inDoubt], [], settlement('closed_unknown')), null],
    ['it was sent again since, and nobody knows', effectOf([inDoubt, inDoubt], [], first), null],
  ])('rule R8 %s', (_, effect, expected) => {
    expect(standingSettlement(effect)).toEqual(expected)
  })

  it.each<[string, Settlement, Settlement['verdict'], string, boolean]>([
    ['another operator says so, too', first, 'did_not_occur', 'user:olivia', true],
    ['the same operator says so again', first, 'did_not_occur', 'user:oscar', false],
    ['another operator says otherwise', first, 'occurred', 'user:olivia', false],
    ['another operator gives up', first, 'closed_unknown', 'user:olivia', false],
    ['a third says so, too', both, 'did_not_occur', 'user:otto', false],
    ['it occurred, and one is enough', settlement('occurred'), 'occurred', 'user:olivia', false],
    ['it was closed, and one is enough', settlement('closed_unknown'), 'closed_unknown', 'user:olivia', false],
  ])('trace S8 it is confirmed: %s', (_, standing, verdict, by, expected) => {
    expect(isConfirmation(standing, { verdict, by })).toBe(expected)
  })

  it.each<[string, Settlement, Settlement['verdict'], string, boolean]>([
    ['by the first', first, 'did_not_occur', 'user:oscar', true],
    ['by the second', both, 'did_not_occur', 'user:olivia', true],
    ['by somebody else', both, 'did_not_occur', 'user:otto', false],
    ['with another verdict', first, 'occurred', 'user:oscar', false],
  ])('a verdict is repeated %s', (_, standing, verdict, by, expected) => {
    expect(isRepetition(standing, { verdict, by })).toBe(expected)
  })
})

describe('what rests on a settlement', () => {
  it('rule R1 every attempt that it speaks of, and no other', () => {
    const effect = effectOf([inDoubt, inDoubt], [], first)

    expect([1, 2].map((number) => restsOnSettlement(effect, number))).toEqual([true, false])
    expect(restsOnSettlement(effectOf([inDoubt]), 1)).toBe(false)
  })

  it.each<[string, Effect, readonly string[]]>([
    ['nobody', effectOf([inDoubt]), []],
    ['one operator', effectOf([inDoubt], [], first), ['user:oscar']],
    ['two operators', effectOf([inDoubt], [], both), ['user:oscar', 'user:olivia']],
    ['nobody once they were contradicted', effectOf([inDoubt], [found], both), []],
    ['nobody where it occurred', effectOf([inDoubt], [], settlement('occurred')), []],
    ['nobody where it was closed without an answer', effectOf([inDoubt], [], settlement('closed_unknown')), []],
  ])('trace S8 the word that nothing was done: %s', (_, effect, expected) => {
    expect(settlersOf(effect)).toEqual(expected)
  })
})

describe('resuming', () => {
  it('gives both budgets back and makes a look due now, whoever was looking', () => {
    const spent = { absencesSpent: 4, unavailablesSpent: 20, verifyLease: { holder: 'w', until: 9 }, verifyDueAt: null }
    const effect = { ...effectOf([inDoubt], [observation()]), ...spent }

    expect(withResumed(effect, leaseUntil)).toEqual({
      ...effect,
      version: effect.version + 1,
      verifyDueAt: leaseUntil,
      verifyLease: null,
      absencesSpent: 0,
      unavailablesSpent: 0,
    })
  })

  it('changes nothing that is known', () => {
    const effect = effectOf([inDoubt], [absent, found])

    expect(evidenceOf(withResumed(effect, leaseUntil))).toEqual(evidenceOf(effect))
  })
})

function effectOf(
  attempts: Effect['attempts'],
  observations: readonly Observation[] = [],
  settled: Settlement | null = null,
): Effect {
  const key = { tenant: ref('tenant-1'), domain: 'example.payments/refund', reference: ref('refund:1') }
  return {
    ...unclaimed(key),
    version: 3,
    owner: ref('proposal-1'),
    attempts: attempts.map((one, index) => ({ ...one, number: index + 1 })),
    observations: observations.map((one, index) => ({ ...one, sequence: index + 1 })),
    settlement: settled,
  }
}
