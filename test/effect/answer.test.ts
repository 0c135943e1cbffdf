// Table A: what one answer of a guarded call's verifier establishes.
import { describe, expect, it } from 'vitest'
import { judgeAnswer, VerificationResult } from '../../src/effect/answer.ts'
import type { Evidence } from '../../src/effect/effect.ts'
import { ref } from './builders.ts'

type Kind = 'confirmed' | 'absent' | 'unknown' | 'throws' | 'no_result'
type Echo = 'match' | 'mismatch' | 'missing'

interface Case {
  readonly kind: Kind
  readonly healthy: boolean
  readonly conclusive: boolean
  readonly retrySafe: boolean
  readonly echo: Echo
}

const reference = ref('order-123')
const echoes: Readonly<Record<Echo, string | null>> = { match: 'order-123', mismatch: 'order-1234', missing: null }

describe('one verifier answer', () => {
  it.each<[string, Partial<Case>, Evidence]>([
    ['A01', { kind: 'confirmed' }, 'CONFIRMED'],
    ['A02', { kind: 'confirmed', echo: 'mismatch' }, 'UNKNOWN'],
    ['A03', { kind: 'confirmed', echo: 'missing' }, 'UNKNOWN'],
    ['A04', { kind: 'confirmed', healthy: false }, 'UNKNOWN'],
    ['A05', { kind: 'absent' }, 'FAILED'],
    ['A06', { kind: 'absent', echo: 'mismatch' }, 'UNKNOWN'],
    ['A07', { kind: 'absent', echo: 'missing' }, 'UNKNOWN'],
    ['A08', { kind: 'absent', retrySafe: false }, 'UNKNOWN'],
    ['A09', { kind: 'absent', conclusive: false }, 'UNKNOWN'],
    ['A10', { kind: 'absent', conclusive: false, retrySafe: false }, 'UNKNOWN'],
    ['A11', { kind: 'absent', healthy: false }, 'UNKNOWN'],
    ['A12', { kind: 'absent', healthy: false, conclusive: false, retrySafe: false }, 'UNKNOWN'],
    ['A13', { kind: 'unknown' }, 'UNKNOWN'],
    ['A14', { kind: 'throws' }, 'UNKNOWN'],
    ['A15', { kind: 'no_result' }, 'UNKNOWN'],
  ])('evidence %s %o: %s', (_, given, expected) => {
    const best: Case = { kind: 'unknown', healthy: true, conclusive: true, retrySafe: true, echo: 'match' }

    expect(judgeAnswer(answerOf({ ...best, ...given }), reference)).toBe(expected)
  })

  it('evidence 3.1: of 120 combinations exactly one gives FAILED, and four CONFIRMED', () => {
    const kinds: readonly Kind[] = ['confirmed', 'absent', 'unknown', 'throws', 'no_result']
    const flags = [true, false]
    const cases = kinds.flatMap((kind) =>
      flags.flatMap((healthy) =>
        flags.flatMap((conclusive) =>
          flags.flatMap((retrySafe) =>
            (['match', 'mismatch', 'missing'] as const).map((echo) => ({ kind, healthy, conclusive, retrySafe, echo })),
          ),
        ),
      ),
    )
    const giving = (evidence: Evidence): Case[] =>
      cases.filter((one) => judgeAnswer(answerOf(one), reference) === evidence)

    expect(cases).toHaveLength(120)
    expect(giving('FAILED')).toEqual([
      { kind: 'absent', healthy: true, conclusive: true, retrySafe: true, echo: 'match' },
    ])
    // A confirmation has no flags: the four differ in what it does not carry.
    expect(giving('CONFIRMED').map(({ kind, healthy, echo }) => `${kind} ${healthy} ${echo}`)).toEqual(
      Array.from({ length: 4 }, () => 'confirmed true match'),
    )
  })

  it('evidence Q10: without a provider reference there is nothing to bind to', () => {
    const absent = { verifiedProviderReference: null, retrySafe: true }

    expect(judgeAnswer(VerificationResult.confirmed({ verifiedProviderReference: 'order-123' }), null)).toBe('UNKNOWN')
    expect(judgeAnswer(VerificationResult.confirmed({ verifiedProviderReference: null }), null)).toBe('UNKNOWN')
    expect(judgeAnswer(VerificationResult.absent(absent), null)).toBe('UNKNOWN')
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['true', true],
    ['the word', 'confirmed'],
    ['an error', new Error('timed out')],
    ['a look-alike', lookAlike()],
    ['a copy', { ...VerificationResult.absent({ verifiedProviderReference: 'order-123', retrySafe: true }) }],
    ['an heir', Object.create(VerificationResult.absent({ verifiedProviderReference: 'order-123', retrySafe: true }))],
  ])('is UNKNOWN when it is %s', (_, answer) => {
    expect(judgeAnswer(answer, reference)).toBe('UNKNOWN')
  })
})

describe('VerificationResult', () => {
  it('takes a healthy look for granted, and a safe retry never', () => {
    expect(VerificationResult.absent({})).toEqual({
      kind: 'absent',
      health: 'HEALTHY',
      verifiedProviderReference: null,
      providerRequestId: null,
      conclusiveAbsence: true,
      retrySafe: false,
      coversAttempts: 'latest',
    })
    expect(VerificationResult.confirmed({})).toEqual({
      kind: 'confirmed',
      health: 'HEALTHY',
      verifiedProviderReference: null,
      providerRequestId: null,
    })
    expect(VerificationResult.unknown()).toEqual({
      kind: 'unknown',
      health: 'UNAVAILABLE',
      verifiedProviderReference: null,
      providerRequestId: null,
    })
  })

  it('keeps what it is given, a falsey value included', () => {
    const input = { verifiedProviderReference: 'order-123', providerRequestId: 'req_1' }

    expect(VerificationResult.confirmed({ ...input, value: 0 })).toMatchObject({ ...input, value: 0 })
    expect(Object.keys(VerificationResult.confirmed({ value: undefined }))).toContain('value')
    expect(Object.keys(VerificationResult.confirmed({}))).not.toContain('value')
    expect(VerificationResult.unknown({ ...input, health: 'STALE' })).toMatchObject({ ...input, health: 'STALE' })
  })

  it('cannot be changed after it was built', () => {
    const answer = VerificationResult.absent({ verifiedProviderReference: 'order-123' })

    expect(Reflect.set(answer, 'retrySafe', true)).toBe(false)
    expect(judgeAnswer(answer, reference)).toBe('UNKNOWN')
  })

  it('speaks of every attempt only where that is said in so many words', () => {
    expect(VerificationResult.absent({ coversAttempts: 'all' })).toMatchObject({ coversAttempts: 'all' })
    for (const coversAttempts of ['ALL', 'first', true, null]) {
      expect(() => VerificationResult.absent(Object.fromEntries([['coversAttempts', coversAttempts]]))).toThrow(
        TypeError,
      )
    }
  })

  it.each(['conclusiveAbsence', 'retrySafe'])('refuses a %s that is no exact boolean', (flag) => {
    for (const value of ['true', 'false', 1, 0, null, new Object(true)]) {
      expect(() => VerificationResult.absent(Object.fromEntries([[flag, value]]))).toThrow(`${flag} is a boolean`)
    }
  })
})

function answerOf({ kind, healthy, conclusive, retrySafe, echo }: Case): unknown {
  const input = {
    health: healthy ? ('HEALTHY' as const) : ('PARTIAL' as const),
    verifiedProviderReference: echoes[echo],
  }
  switch (kind) {
    case 'confirmed':
      return VerificationResult.confirmed(input)
    case 'absent':
      return VerificationResult.absent({ ...input, conclusiveAbsence: conclusive, retrySafe })
    case 'unknown':
      return VerificationResult.unknown(input)
    case 'throws':
      return undefined
    case 'no_result':
      return { ...input, kind: 'absent', providerRequestId: null, conclusiveAbsence: conclusive, retrySafe }
  }
}

function lookAlike(): unknown {
  return {
    kind: 'absent',
    health: 'HEALTHY',
    verifiedProviderReference: 'order-123',
    providerRequestId: null,
    conclusiveAbsence: true,
    retrySafe: true,
  }
}
