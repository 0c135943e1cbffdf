// Sending again: what must be proven about earlier attempts before another one is admitted.
import { describe, expect, it } from 'vitest'
import type { Effect, Observation, ProofKind } from '../../src/effect/effect.ts'
import { approvalsFrom, closedBy, keyRemembered, lookedEnough, resendAllowed } from '../../src/proposal/claim/resend.ts'
import { attempt, ending, leaseUntil, observation, settlement, startedAt } from '../effect/builders.ts'
import { absence, claimed, confirmation, P1, P2 } from './lifecycle/sample.ts'
import { boundary, rules as defaults } from './verification-fixtures.ts'

const kinds: readonly ProofKind[] = ['terminal', 'cancelled', 'fenced', 'key_consumed', 'settled']
const rules = { ...defaults, acceptProof: { failure: kinds, resend: ['terminal', 'cancelled', 'settled'] } } as const
const DAY_MS = 24 * 60 * 60_000

const inDoubt = attempt({ ending: ending('failed_unknown') })
const refused = attempt({ ending: ending('failed_known') })
const notSent = attempt({ ending: ending('not_sent') })
const once = claimed([inDoubt], [absence({ proof: 'settled' })])

describe('design D10: what a resend asks for', () => {
  it.each(kinds)('design D10 proof %s counts where the definition names it for resend', (proof) => {
    const naming = { ...rules, acceptProof: { failure: kinds, resend: [proof] } }
    // A refusal under the old key makes room for a new one; only then can a consumed key be followed by anything.
    const effect = claimed([inDoubt], [absence({ proof: 'terminal' })])

    expect(resendAllowed(naming, effect, proof, boundary)).toBe(true)
    expect(resendAllowed({ ...rules, acceptProof: { failure: kinds, resend: [] } }, effect, proof, boundary)).toBe(
      false,
    )
  })

  it('design D10 no proof is none', () => {
    expect(resendAllowed(rules, once, null, boundary)).toBe(false)
  })

  it('design D10 the target must run a key at most once', () => {
    const target = { name: 'psp', keyLifetimeMs: null }

    expect(resendAllowed({ ...rules, target }, once, 'settled', boundary)).toBe(false)
  })

  it('design D10 attempts must be left', () => {
    expect(resendAllowed({ ...rules, attemptsMax: 2 }, once, 'settled', boundary)).toBe(true)
    expect(resendAllowed({ ...rules, attemptsMax: 1 }, once, 'settled', boundary)).toBe(false)
  })

  it('trace S10 under a key that is used up nothing is sent again', () => {
    const consumed = { ...rules, acceptProof: { failure: kinds, resend: ['key_consumed'] } } as const
    const kept = claimed([inDoubt], [absence({ proof: 'key_consumed' })])
    const renewed = claimed([inDoubt], [absence({ proof: 'key_consumed' }), absence({ proof: 'terminal' })])

    expect(resendAllowed(consumed, kept, 'key_consumed', boundary)).toBe(false)
    expect(resendAllowed(consumed, renewed, 'key_consumed', boundary)).toBe(true)
  })
})

describe('rule R5: the target must remember the key', () => {
  // A call may take 30 s, and a request may land 60 s later.
  const lastMoment = startedAt + DAY_MS - 90_000

  it.each<[string, Effect, number, boolean]>([
    ['until the call can no longer land', once, lastMoment, true],
    ['and not a moment less', once, lastMoment + 1, false],
    [
      'counted from the first start of its generation',
      claimed([inDoubt, attempt({ startedAt: boundary })]),
      lastMoment + 1,
      false,
    ],
    ['a key of a new generation starts now', claimed([refused]), lastMoment + 1, true],
    ['a key that was never seen starts now', claimed([notSent]), lastMoment + 1, true],
    ['a key that is refused by proof is followed by a new one', claimed([inDoubt], [absence()]), lastMoment + 1, true],
  ])('rule R5 %s', (_, effect, now, expected) => {
    expect(keyRemembered(rules, effect, now)).toBe(expected)
  })

  it('rule R5 a target without keys remembers none, and one that forgets too soon is as good', () => {
    expect(
      keyRemembered({ ...rules, target: { name: 'psp', keyLifetimeMs: null } }, claimed([refused]), boundary),
    ).toBe(false)
    expect(
      keyRemembered({ ...rules, target: { name: 'psp', keyLifetimeMs: 89_999 } }, claimed([refused]), boundary),
    ).toBe(false)
    expect(
      keyRemembered({ ...rules, target: { name: 'psp', keyLifetimeMs: 90_000 } }, claimed([refused]), boundary),
    ).toBe(true)
  })
})

describe('rule R1: how the earlier attempts were closed', () => {
  it.each<[string, Effect, string]>([
    ['nothing was started', claimed([]), 'own_word'],
    ['refused in time', claimed([refused]), 'own_word'],
    ['stale in time', claimed([attempt({ ending: ending('stale_no_effect') })]), 'own_word'],
    ['not sent', claimed([notSent]), 'own_word'],
    ['not sent, recorded after the lease', claimed([notSentAt(leaseUntil)]), 'own_word'],
    ['refused in the last moment of the lease', claimed([refusedAt(leaseUntil - 1)]), 'own_word'],
    ['refused at the end of the lease', claimed([refusedAt(leaseUntil)]), 'evidence'],
    ['in doubt', claimed([inDoubt]), 'evidence'],
    ['accepted', claimed([attempt({ ending: ending('accepted') })]), 'evidence'],
    ['under way', claimed([attempt()]), 'evidence'],
    ['refused, and then a person had to say so', claimed([refused], [], settlement('did_not_occur')), 'evidence'],
    ['refused after a person settled', claimed([refused, refused], [], settlement('did_not_occur')), 'evidence'],
    ['one of two by evidence', claimed([refused, inDoubt], [absence({ covers: { from: 2, to: 2 } })]), 'evidence'],
  ])('rule R1 %s', (_, effect, expected) => {
    expect(closedBy(effect)).toBe(expected)
  })

  function notSentAt(at: number): Effect['attempts'][number] {
    return attempt({ ending: ending('not_sent', { at }) })
  }

  function refusedAt(at: number): Effect['attempts'][number] {
    return attempt({ ending: ending('failed_known', { at }) })
  }
})

describe('rule R1: the look before another attempt', () => {
  const byWord = [refused]
  const byEvidence = [inDoubt]
  const closed = absence({ proof: 'settled' })
  const provisional = observation()
  const unavailable = observation({ answer: 'target_unavailable' })
  const weak = absence({ proof: 'settled', verdict: 'UNKNOWN' })
  const final = absence({ proof: 'settled' })
  const notNamed = absence({ proof: 'fenced' })
  const terminal = absence({ answer: 'verified_terminal_failure', proof: 'terminal' })

  it.each<[string, Effect['attempts'], readonly Observation[], Observation, boolean]>([
    ['closed by word, nothing is there yet', byWord, [], provisional, true],
    ['closed by word, finally absent', byWord, [], final, true],
    ['closed by word, an absence that is not final yet', byWord, [], weak, true],
    ['closed by word, the target has the refusal on record', byWord, [], terminal, true],
    ['closed by word, the target cannot say', byWord, [], unavailable, false],
    ['closed by word, and it was found', byWord, [], confirmation(), false],
    ['closed by word, and something else was found', byWord, [], mismatch(), false],
    ['trace S2 closed by evidence, nothing is there yet', byEvidence, [closed], provisional, false],
    ['trace S2 closed by evidence, not final', byEvidence, [closed], weak, false],
    ['trace S2 closed by evidence, a proof that is not for resend', byEvidence, [closed], notNamed, false],
    ['closed by evidence, finally absent', byEvidence, [closed], final, true],
    ['closed by evidence, the target has the refusal on record', byEvidence, [closed], terminal, true],
    ['closed by evidence, the target cannot say', byEvidence, [closed], unavailable, false],
    ['trace S1 closed by evidence, and it was found', byEvidence, [closed], confirmation(), false],
    ['trace S1 found before this look, which finds nothing', byEvidence, [closed, confirmation()], final, false],
    ['trace S1 found before, although closed by word', byWord, [confirmation()], provisional, false],
    ['something odd was found before', byWord, [mismatch()], provisional, false],
    ['one by word, one by evidence', [refused, inDoubt], [covering(2, closed)], both(final), true],
    [
      'one by word, one by evidence, and a weak look',
      [refused, inDoubt],
      [covering(2, closed)],
      both(provisional),
      false,
    ],
    ['it speaks of the first attempt only', [refused, refused], [], provisional, false],
    ['it speaks of the second attempt only', [refused, refused], [], covering(2, provisional), false],
    ['it speaks of both', [refused, refused], [], both(provisional), true],
    ['one of them is in doubt', [refused, inDoubt], [], both(provisional), false],
    ['it speaks of another target', byWord, [], { ...provisional, target: 'bank' }, false],
    ['no attempts are left', [inDoubt, inDoubt, inDoubt], [], three(final), false],
  ])('rule R1 %s', (_, attempts, before, looked, expected) => {
    const effect = claimed(attempts, [...before, looked])

    expect(lookedEnough(rules, effect, looked, 'psp', boundary)).toBe(expected)
  })

  it.each<[string, Effect['attempts'], Observation, boolean]>([
    ['closed by word', byWord, provisional, true],
    ['closed by evidence, absent for other reasons', byEvidence, final, false],
    ['closed by evidence, refused there', byEvidence, absence({ proof: 'terminal' }), true],
    ['closed by evidence, cancelled there', byEvidence, absence({ proof: 'cancelled' }), true],
  ])('trace S12 to another target: %s', (_, attempts, looked, expected) => {
    const effect = claimed(attempts, [looked])

    expect(lookedEnough(rules, effect, looked, 'bank', boundary)).toBe(expected)
  })

  it('rule R1 a key that is forgotten by then bars it', () => {
    const effect = claimed(byEvidence, [closed, final])

    expect(lookedEnough(rules, effect, final, 'psp', startedAt + DAY_MS - 90_000)).toBe(true)
    expect(lookedEnough(rules, effect, final, 'psp', startedAt + DAY_MS - 89_999)).toBe(false)
  })

  function covering(number: number, one: Observation): Observation {
    return { ...one, covers: { from: number, to: number } }
  }

  function both(one: Observation): Observation {
    return { ...one, covers: { from: 1, to: 2 } }
  }

  function three(one: Observation): Observation {
    return { ...one, covers: { from: 1, to: 3 } }
  }

  function mismatch(): Observation {
    return observation({ answer: 'verified_completion', flags: ['effect_mismatch'] })
  }
})

describe('trace S24: approvals from before the storm', () => {
  const closedAt = boundary + 100

  it.each<[string, Effect, typeof P1, number | null]>([
    ['an own resend keeps its approvals', once, P1, null],
    ['another proposal’s count from the closing on', once, P2, closedAt],
    ['nobody has claimed it', claimed([], [], null, { owner: null }), P2, null],
    ['it was closed by the executor’s word', claimed([refused]), P2, null],
    ['it is not closed at all', claimed([inDoubt]), P2, null],
    ['its own word closed it, whatever was seen since', claimed([refused], [absence()]), P2, null],
    [
      'the first closing counts, not a later one',
      claimed([inDoubt], [absence(), absence({ endedAt: closedAt + 9 })]),
      P2,
      closedAt,
    ],
    [
      'the last attempt to be closed decides',
      claimed([inDoubt, inDoubt], [absence(), absence({ covers: { from: 2, to: 2 }, endedAt: closedAt + 9 })]),
      P2,
      closedAt + 9,
    ],
    ['an answer about another target closes nothing', claimed([inDoubt], [absence({ target: 'bank' })]), P2, null],
    [
      'two operators closed it',
      claimed([inDoubt], [], settlement('did_not_occur', { at: closedAt + 5 })),
      P2,
      closedAt + 5,
    ],
    [
      'two operators closed what an absence had not settled',
      claimed(
        [inDoubt],
        [absence(), confirmation()],
        settlement('did_not_occur', { at: closedAt + 5, upToSequence: 2 }),
      ),
      P2,
      closedAt + 5,
    ],
    [
      'two operators closed what the executor had refused',
      claimed([refused], [confirmation()], settlement('did_not_occur', { at: closedAt + 5, upToSequence: 1 })),
      P2,
      closedAt + 5,
    ],
    [
      'an operator closed it without an answer',
      claimed([inDoubt], [absence()], settlement('closed_unknown', { at: 1 })),
      P2,
      closedAt,
    ],
    [
      'an operator closed the attempt before it',
      claimed([inDoubt, inDoubt], [absence({ covers: { from: 2, to: 2 } })], settlement('did_not_occur', { at: 1 })),
      P2,
      closedAt,
    ],
  ])('trace S24 %s', (_, effect, claimant, expected) => {
    expect(approvalsFrom(effect, claimant)).toBe(expected)
  })
})
