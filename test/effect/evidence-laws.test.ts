// The laws of the evidence fold, against the enumeration of worlds: exhaustively where that is small, else at random.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { includes } from '../../src/effect/coverage.ts'
import type { Coverage, Evidence } from '../../src/effect/effect.ts'
import {
  type AttemptEvidence,
  type EvidenceFold,
  foldEvidence,
  type ObservationEvidence,
} from '../../src/effect/evidence.ts'
import { foldByWorlds } from './worlds.ts'

const verdicts: readonly Evidence[] = ['CONFIRMED', 'FAILED', 'UNKNOWN']
const runs = { numRuns: 2_000 }

interface Given {
  readonly attempts: readonly AttemptEvidence[]
  readonly observations: readonly ObservationEvidence[]
  /** Another piece of evidence about the same attempts. */
  readonly another: ObservationEvidence
}

/** Up to 4 attempts to 2 targets and 4 observations, some of a target that no attempt went to. */
const given: fc.Arbitrary<Given> = fc
  .array(fc.record({ target: fc.constantFrom('psp', 'bank'), evidence: fc.constantFrom(...verdicts) }), {
    maxLength: 4,
  })
  .map((attempts) => attempts.map((attempt, index) => ({ number: index + 1, ...attempt })))
  .chain((attempts) => {
    const observation = fc.record({
      verdict: fc.constantFrom(...verdicts),
      covers: fc.constantFrom(...intervals(attempts.length)),
      target: fc.constantFrom('psp', 'psp', 'bank', 'other'),
    })
    return fc.record({
      attempts: fc.constant(attempts),
      observations: fc.array(observation, { maxLength: 4 }),
      another: observation,
    })
  })

describe('the fold and the enumeration of worlds agree', () => {
  test.prop([given], { numRuns: 10_000 })('on up to 4 attempts to 2 targets and 4 observations', (some) => {
    expect(foldEvidence(some.attempts, some.observations)).toEqual(foldByWorlds(some.attempts, some.observations))
  })

  it('on every case of up to 3 attempts and 2 observations', () => {
    const differing = [0, 1, 2, 3].flatMap((count) =>
      everyCase(count).filter(({ attempts, observations }) => {
        return !same(foldEvidence(attempts, observations), foldByWorlds(attempts, observations))
      }),
    )

    expect(differing).toEqual([])
  })
})

describe('the laws of the fold', () => {
  test.prop([given, fc.nat(), fc.nat()], runs)('order and repetition do not matter', (some, turn, repeated) => {
    const { attempts, observations } = some
    const at = observations.length === 0 ? 0 : turn % observations.length
    const turned = [...observations.slice(at), ...observations.slice(0, at)].toReversed()
    const again = observations.slice(0, repeated % (observations.length + 1))

    expect(foldEvidence(attempts, [...turned, ...again])).toEqual(foldEvidence(attempts, observations))
  })

  test.prop([given], runs)('UNKNOWN is no evidence', ({ attempts, observations, another }) => {
    const more = [...observations, { ...another, verdict: 'UNKNOWN' as const }]

    expect(foldEvidence(attempts, more)).toEqual(foldEvidence(attempts, observations))
  })

  test.prop([given], runs)('more evidence turns CONFIRMED and FAILED into nothing but conflict', (some) => {
    const before = foldEvidence(some.attempts, some.observations)
    const after = foldEvidence(some.attempts, [...some.observations, some.another])

    if (before.status !== 'UNKNOWN') {
      expect([before.status, 'conflict']).toContain(after.verificationConflict ? 'conflict' : after.status)
    }
  })

  test.prop([given], runs)('a conflict stays, whatever else is seen or tried', (some) => {
    fc.pre(foldEvidence(some.attempts, some.observations).verificationConflict)

    expect(foldEvidence(some.attempts, [...some.observations, some.another]).verificationConflict).toBe(true)
    expect(foldEvidence(oneMore(some.attempts), some.observations).verificationConflict).toBe(true)
  })

  test.prop([given], runs)('a further attempt turns FAILED into UNKNOWN and leaves the rest', (some) => {
    const before = foldEvidence(some.attempts, some.observations)
    const after = foldEvidence(oneMore(some.attempts), some.observations)

    expect(after.status).toBe(before.status === 'FAILED' ? 'UNKNOWN' : before.status)
    expect(after.verificationConflict).toBe(before.verificationConflict)
  })

  test.prop([given], runs)('FAILED needs every attempt closed', ({ attempts, observations }) => {
    fc.pre(foldEvidence(attempts, observations).status === 'FAILED')

    const closed = (attempt: AttemptEvidence): boolean =>
      attempt.evidence === 'FAILED' ||
      observations.some((one) => {
        return one.verdict === 'FAILED' && one.target === attempt.target && includes(one.covers, attempt.number)
      })
    expect(attempts.filter((attempt) => !closed(attempt))).toEqual([])
  })

  test.prop([given], runs)(
    'a possible duplicate needs two attempts that nothing denies',
    ({ attempts, observations }) => {
      fc.pre(foldEvidence(attempts, observations).duplicatePossible)

      const possible = attempts.filter(({ number, target }) => {
        const itself: ObservationEvidence = { verdict: 'CONFIRMED', target, covers: { from: number, to: number } }
        return !foldEvidence(attempts, [...observations, itself]).verificationConflict
      })
      expect(possible.length).toBeGreaterThanOrEqual(2)
    },
  )
})

describe('targets', () => {
  const attempts = [
    { number: 1, target: 'psp', evidence: 'UNKNOWN' },
    { number: 2, target: 'bank', evidence: 'UNKNOWN' },
  ] as const

  it('an absence at one target says nothing about attempts at another (trace S12)', () => {
    expect(foldEvidence(attempts, [{ verdict: 'FAILED', covers: { from: 1, to: 2 }, target: 'bank' }]).status).toBe(
      'UNKNOWN',
    )
  })

  it('absences at both targets close both attempts', () => {
    const absences = ['bank', 'psp'].map((target) => ({
      verdict: 'FAILED' as const,
      covers: { from: 1, to: 2 },
      target,
    }))

    expect(foldEvidence(attempts, absences).status).toBe('FAILED')
  })

  it('a confirmation from a target that was never called is a conflict, since no world explains it', () => {
    const confirmation = { verdict: 'CONFIRMED', covers: { from: 1, to: 2 }, target: 'other' } as const

    expect(foldEvidence(attempts, [confirmation])).toEqual({
      status: 'UNKNOWN',
      verificationConflict: true,
      duplicatePossible: false,
    })
  })
})

describe('the edges of the fold', () => {
  it('without attempts only the empty world is left', () => {
    expect(foldEvidence([], [])).toEqual({ status: 'FAILED', verificationConflict: false, duplicatePossible: false })
  })

  it('a confirmation without attempts is a conflict: something was done that is not on record', () => {
    const found = { verdict: 'CONFIRMED', covers: { from: 1, to: 0 }, target: 'psp' } as const

    expect(foldEvidence([], [found]).verificationConflict).toBe(true)
  })

  it('folds the largest effect, and the order of 10,000 observations still does not matter', () => {
    const attempts = Array.from({ length: 100 }, (_, index) => attempt(index + 1))
    const observations = Array.from({ length: 10_000 }, (_, index) => ({
      verdict: index % 2 === 0 ? ('FAILED' as const) : ('UNKNOWN' as const),
      covers: { from: (index % 99) + 1, to: (index % 99) + 1 },
      target: 'psp',
    }))

    expect(foldEvidence(attempts, observations)).toEqual({
      status: 'UNKNOWN',
      verificationConflict: false,
      duplicatePossible: false,
    })
    expect(foldEvidence(attempts, observations.toReversed())).toEqual(foldEvidence(attempts, observations))
  })

  it.each([
    ['start at 2', [attempt(2)], []],
    ['have a gap', [attempt(1), attempt(3)], []],
  ])('stops when attempts %s', (_, attempts, observations) => {
    expect(() => foldEvidence(attempts, observations)).toThrow('Attempts are numbered from 1 without gaps')
  })

  it.each([
    [{ from: 0, to: 1 }, 'An observation covers an interval'],
    [{ from: 2, to: 0 }, 'An observation covers an interval'],
    [{ from: 1, to: 2 }, 'An observation covers attempts that had started'],
    [{ from: 1.5, to: 1 }, 'An observation covers whole attempts'],
    [{ from: 1, to: 0.5 }, 'An observation covers whole attempts'],
  ])('stops when an observation of 1 attempt covers %o', (covers, message) => {
    expect(() => foldEvidence([attempt(1)], [{ verdict: 'FAILED', covers, target: 'psp' }])).toThrow(message)
  })
})

function attempt(number: number): AttemptEvidence {
  return { number, target: 'psp', evidence: 'UNKNOWN' }
}

function oneMore(attempts: readonly AttemptEvidence[]): readonly AttemptEvidence[] {
  return [...attempts, attempt(attempts.length + 1)]
}

/** Every interval over 1..count, the empty ones included. */
function intervals(count: number): readonly Coverage[] {
  const numbers = Array.from({ length: count + 1 }, (_, index) => index)
  return numbers.flatMap((to) => numbers.slice(0, to + 1).map((before) => ({ from: before + 1, to })))
}

function everyCase(count: number): readonly Pick<Given, 'attempts' | 'observations'>[] {
  const decisive = verdicts.filter((verdict) => verdict !== 'UNKNOWN')
  const single = intervals(count).flatMap((covers) => decisive.map((verdict) => ({ verdict, covers, target: 'psp' })))
  const observations = [[], ...single.map((one) => [one]), ...single.flatMap((one) => single.map((two) => [one, two]))]
  return everyEvidence(count).flatMap((evidence) => {
    const attempts = evidence.map((one, index) => ({ number: index + 1, target: 'psp', evidence: one }))
    return observations.map((some) => ({ attempts, observations: some }))
  })
}

function everyEvidence(count: number): readonly (readonly Evidence[])[] {
  if (count === 0) return [[]]
  return everyEvidence(count - 1).flatMap((shorter) => verdicts.map((verdict) => [...shorter, verdict]))
}

function same(one: EvidenceFold, other: EvidenceFold): boolean {
  return (
    one.status === other.status &&
    one.verificationConflict === other.verificationConflict &&
    one.duplicatePossible === other.duplicatePossible
  )
}
