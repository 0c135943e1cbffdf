// Rule R6: the settling boundary is the runtime's, and final absence must have been looked for after it.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Observation, ProofKind } from '../../src/effect/effect.ts'
import { isFinalAbsence, settlingBoundary, verdictWhenStored } from '../../src/effect/settling-boundary.ts'
import { attempt, ending, leaseUntil, observation } from './builders.ts'

const inFlightMs = 60_000
const boundary = leaseUntil + inFlightMs

describe('the settling boundary', () => {
  it('is lease end plus in flight while nothing returned', () => {
    expect(settlingBoundary([attempt()], [], inFlightMs)).toBe(boundary)
  })

  it('is not shortened by an early return', () => {
    const returned = attempt({ ending: ending('failed_unknown', { at: leaseUntil - 50_000 }) })

    expect(settlingBoundary([returned], [], inFlightMs)).toBe(boundary)
  })

  it('is counted from a return that was recorded after the lease', () => {
    const returned = attempt({ ending: ending('failed_unknown', { at: leaseUntil + 7_000 }) })

    expect(settlingBoundary([returned], [], inFlightMs)).toBe(boundary + 7_000)
  })

  it('is not moved by the discovery that a lease lapsed, which is no return', () => {
    const lapsed = attempt({ ending: ending('lease_lapsed', { at: leaseUntil + 3_600_000 }) })

    expect(settlingBoundary([lapsed], [], inFlightMs)).toBe(boundary)
  })

  it('is counted from the late return of a lapsed attempt: until then its worker may have been sending (trace S6)', () => {
    const lapsed = attempt({ ending: ending('lease_lapsed', { at: leaseUntil }) })
    const late = observation({ source: 'executor', flags: ['late'], endedAt: leaseUntil + 540_000 })
    const read = observation({ source: 'verifier', endedAt: leaseUntil + 900_000 })

    expect(settlingBoundary([lapsed], [late, read], inFlightMs)).toBe(boundary + 540_000)
  })

  it('is not moved by the late return of another attempt', () => {
    const late = observation({ source: 'executor', covers: { from: 1, to: 1 }, endedAt: leaseUntil + 540_000 })

    expect(settlingBoundary([attempt({ number: 2 })], [late], inFlightMs)).toBe(boundary)
  })

  it('is the latest of all attempts', () => {
    const attempts = [attempt(), attempt({ number: 2, leaseUntil: leaseUntil + 5 }), attempt({ number: 3 })]

    expect(settlingBoundary(attempts, [], inFlightMs)).toBe(boundary + 5)
  })

  it('is 0 without attempts: nothing can still land', () => {
    expect(settlingBoundary([], [], inFlightMs)).toBe(0)
  })

  test.prop([fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), fc.array(fc.nat(), { maxLength: 5 })])(
    'never moves back when attempts are added',
    (leases, more) => {
      const attempts = [...leases, ...more].map((until, index) => attempt({ number: index + 1, leaseUntil: until }))
      const fewer = attempts.slice(0, leases.length)

      expect(settlingBoundary(attempts, [], inFlightMs)).toBeGreaterThanOrEqual(settlingBoundary(fewer, [], inFlightMs))
    },
  )
})

describe('a verdict when it is stored', () => {
  const lapsed = attempt({ ending: ending('lease_lapsed', { at: leaseUntil }) })
  const late = observation({ source: 'executor', flags: ['late'], endedAt: leaseUntil + 500 })
  const stored = (fields: Partial<Observation>, observations: readonly Observation[] = []): string => {
    const read = { verdict: 'FAILED', target: 'psp', covers: { from: 1, to: 1 }, ...fields } as const
    return verdictWhenStored({ attempts: [lapsed], observations }, { beganAt: boundary, ...read }, inFlightMs)
  }

  it('is what it was, as long as nothing moved the boundary', () => {
    expect(stored({})).toBe('FAILED')
    expect(stored({ verdict: 'CONFIRMED' }, [late])).toBe('CONFIRMED')
    expect(stored({ verdict: 'UNKNOWN' })).toBe('UNKNOWN')
  })

  it('is no failure if a late return was recorded since, by which it was read too early', () => {
    expect(stored({}, [late])).toBe('UNKNOWN')
    expect(stored({ beganAt: boundary + 499 }, [late])).toBe('UNKNOWN')
    expect(stored({ beganAt: boundary + 500 }, [late])).toBe('FAILED')
  })

  it('is not touched by attempts of which it does not speak', () => {
    expect(stored({ target: 'bank', beganAt: 1 })).toBe('FAILED')
    expect(stored({ covers: { from: 2, to: 2 }, beganAt: 1 })).toBe('FAILED')
  })
})

describe('an absence is final', () => {
  const proofs = ['terminal', 'cancelled', 'fenced', 'key_consumed'] as const

  it.each(proofs)('with proof %s, from the boundary on', (proof) => {
    const finalAt = (beganAt: number): boolean => isFinalAbsence(claim({ proof, beganAt }), [], [attempt()], inFlightMs)

    expect([boundary - 1, boundary, boundary + 1].map(finalAt)).toEqual([false, true, true])
  })

  it('never without a proof', () => {
    expect(isFinalAbsence(claim({ proof: null, beganAt: boundary + 1 }), [], [attempt()], inFlightMs)).toBe(false)
  })

  it('counts when the read began, not when it was answered (trace S6)', () => {
    const answeredLate = claim({ proof: 'terminal', beganAt: boundary - 1, endedAt: boundary + 30_000 })

    expect(isFinalAbsence(answeredLate, [], [attempt()], inFlightMs)).toBe(false)
  })

  it('waits for every attempt that it covers, and for no other', () => {
    const attempts = [attempt(), attempt({ number: 2, leaseUntil: leaseUntil + 500_000 })]
    const over = (to: number): Observation => claim({ proof: 'terminal', beganAt: boundary, covers: { from: 1, to } })

    expect(isFinalAbsence(over(1), [], attempts, inFlightMs)).toBe(true)
    expect(isFinalAbsence(over(2), [], attempts, inFlightMs)).toBe(false)
  })

  it('does not wait for attempts at another target, of which it says nothing', () => {
    const attempts = [attempt(), attempt({ number: 2, target: 'bank', leaseUntil: leaseUntil + 500_000 })]
    const over = claim({ proof: 'terminal', beganAt: boundary, covers: { from: 1, to: 2 } })

    expect(isFinalAbsence(over, [], attempts, inFlightMs)).toBe(true)
  })
})

describe('an absence with proof settled', () => {
  const second = boundary + inFlightMs
  const attempts = [attempt()]
  const finalAfter = (earlier: readonly Observation[], fields: Partial<Observation> = {}): boolean =>
    isFinalAbsence(claim({ proof: 'settled', beganAt: second, ...fields }), earlier, attempts, inFlightMs)

  it('is final at the second such read', () => {
    expect(finalAfter([])).toBe(false)
    expect(finalAfter([claim({ beganAt: boundary })])).toBe(true)
  })

  it.each<[string, Partial<Observation>]>([
    ['began before the boundary', { beganAt: boundary - 1 }],
    ['began too shortly before', { beganAt: boundary + 1 }],
    ['had another proof', { proof: 'terminal' }],
    ['had no proof', { proof: null }],
    ['was provisional', { answer: 'provisional_absence' }],
    ['asked another target', { target: 'bank' }],
    ['covered nothing', { covers: { from: 1, to: 0 } }],
  ])('is not final if the earlier read %s', (_, fields) => {
    expect(finalAfter([claim({ beganAt: boundary, ...fields })])).toBe(false)
  })

  it('needs its own read past the boundary too', () => {
    expect(finalAfter([claim({ beganAt: boundary })], { beganAt: boundary - 1 })).toBe(false)
  })

  it('is final by one good read among others', () => {
    const earlier = [
      claim({ beganAt: boundary - 1 }),
      claim({ beganAt: boundary }),
      observation({ beganAt: boundary + 5 }),
    ]

    expect(finalAfter(earlier)).toBe(true)
  })

  it('is not final if the earlier read covered fewer attempts', () => {
    const both = [attempt(), attempt({ number: 2 })]
    const over = (to: number, beganAt: number): Observation => claim({ beganAt, covers: { from: 1, to } })

    expect(isFinalAbsence(over(2, second), [over(1, boundary)], both, inFlightMs)).toBe(false)
    expect(
      isFinalAbsence(over(2, second), [{ ...over(2, boundary), covers: { from: 2, to: 2 } }], both, inFlightMs),
    ).toBe(false)
    expect(isFinalAbsence(over(2, second), [over(2, boundary)], both, inFlightMs)).toBe(true)
    expect(isFinalAbsence(over(1, second), [over(2, boundary)], both, inFlightMs)).toBe(true)
  })

  test.prop([fc.constantFrom<ProofKind>('settled', 'terminal', 'fenced'), fc.nat(boundary + 500_000)])(
    'is never final before the boundary, whatever the proof and the reads before',
    (proof, beganAt) => {
      fc.pre(beganAt < boundary)
      const earlier = [0, 1, boundary - inFlightMs, boundary].map((at) => claim({ beganAt: at }))

      expect(isFinalAbsence(claim({ proof, beganAt }), earlier, attempts, inFlightMs)).toBe(false)
    },
  )
})

function claim(fields: Partial<Observation>): Observation {
  return observation({ answer: 'authoritative_final_absence', proof: 'settled', ...fields })
}
