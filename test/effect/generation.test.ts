// Rule R5: when an idempotency key may change, and how long a target remembers it.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Attempt, AttemptEnding, Observation } from '../../src/effect/effect.ts'
import { generationStartedAt, keyStillValid, nextGeneration } from '../../src/effect/generation.ts'
import { attempt, ending, leaseUntil, observation, startedAt } from './builders.ts'

const after = (kind: AttemptEnding['kind'], fields: Partial<Attempt> = {}): Attempt =>
  attempt({ ending: ending(kind), ...fields })
const refusal = (fields: Partial<Observation> = {}): Observation =>
  observation({ answer: 'authoritative_final_absence', verdict: 'FAILED', proof: 'terminal', ...fields })

describe('the next generation', () => {
  it('is 1 for the first attempt', () => {
    expect(nextGeneration([], [])).toBe(1)
  })

  it.each<[AttemptEnding['kind'], number]>([
    ['stale_no_effect', 2],
    ['failed_known', 2],
    ['accepted', 1],
    ['returned', 1],
    ['failed_unknown', 1],
    ['lease_lapsed', 1],
    ['not_sent', 1],
  ])('after %s is %d', (kind, generation) => {
    expect(nextGeneration([after(kind)], [])).toBe(generation)
  })

  it('stays while a call is under way', () => {
    expect(nextGeneration([attempt()], [])).toBe(1)
  })

  it.each<[string, Partial<AttemptEnding>, number]>([
    ['just before the lease ended', { at: leaseUntil - 1 }, 2],
    ['when the lease ended', { at: leaseUntil }, 1],
    ['too late, so that it is no evidence (rules R4)', { evidence: 'UNKNOWN' }, 1],
    ['in another form than a refusal', { kind: 'returned' }, 1],
  ])('after a word of failure given %s', (_, fields, generation) => {
    expect(nextGeneration([attempt({ ending: ending('failed_known', fields) })], [])).toBe(generation)
  })

  it.each<[string, Partial<Observation>, number]>([
    ['proof terminal', { proof: 'terminal' }, 2],
    ['proof cancelled', { proof: 'cancelled' }, 2],
    ['a terminal failure of the attempt', { answer: 'verified_terminal_failure', proof: null }, 2],
    ['proof fenced', { proof: 'fenced' }, 1],
    ['proof key_consumed', { proof: 'key_consumed' }, 1],
    ['proof settled', { proof: 'settled' }, 1],
    ['proof terminal that was not accepted', { verdict: 'UNKNOWN' }, 1],
    ['proof terminal from another target', { target: 'bank' }, 1],
    ['proof terminal for no attempt', { covers: { from: 1, to: 0 } }, 1],
  ])('after a doubt that is closed by %s', (_, fields, generation) => {
    expect(nextGeneration([after('failed_unknown')], [refusal(fields)])).toBe(generation)
  })

  it('rises only if every earlier attempt was refused, not the last alone', () => {
    const attempts = [after('failed_unknown'), after('failed_known', { number: 2 })]

    expect(nextGeneration(attempts, [])).toBe(1)
    expect(nextGeneration(attempts, [refusal({ covers: { from: 2, to: 2 } })])).toBe(1)
    expect(nextGeneration(attempts, [refusal({ covers: { from: 1, to: 1 } })])).toBe(2)
  })

  it('rises by one for each generation that was refused', () => {
    const attempts = [
      after('failed_known'),
      after('failed_known', { number: 2, generation: 2 }),
      after('stale_no_effect', { number: 3, generation: 3 }),
    ]

    expect(attempts.map((_, index) => nextGeneration(attempts.slice(0, index + 1), []))).toEqual([2, 3, 4])
  })

  it('stays after not_sent, since the key was never seen, however often', () => {
    const attempts = [
      after('failed_known'),
      after('not_sent', { number: 2, generation: 2 }),
      after('not_sent', { number: 3, generation: 2 }),
    ]

    expect(nextGeneration(attempts, [])).toBe(2)
  })

  it('rises where not_sent stands among refusals', () => {
    const attempts = [after('not_sent'), after('failed_known', { number: 2 }), after('not_sent', { number: 3 })]

    expect(nextGeneration(attempts, [])).toBe(2)
  })

  const kinds = fc.constantFrom<AttemptEnding['kind']>(
    'accepted',
    'failed_known',
    'failed_unknown',
    'not_sent',
    'lease_lapsed',
  )

  test.prop([fc.array(kinds, { maxLength: 6 })])(
    'never falls and rises by one at most, attempt by attempt',
    (endings) => {
      const attempts: Attempt[] = []
      for (const kind of endings) {
        const generation = nextGeneration(attempts, [])
        attempts.push(after(kind, { number: attempts.length + 1, generation }))
        expect([generation, generation + 1]).toContain(nextGeneration(attempts, []))
      }
    },
  )

  test.prop([fc.array(kinds, { maxLength: 6 })])('stays for good once an attempt is in doubt', (endings) => {
    const attempts = [after('failed_unknown'), ...endings.map((kind, index) => after(kind, { number: index + 2 }))]

    expect(nextGeneration(attempts, [])).toBe(1)
  })
})

describe('the start of a generation', () => {
  const attempts = [
    after('not_sent', { startedAt: 10 }),
    after('failed_known', { number: 2, startedAt: 20 }),
    after('failed_unknown', { number: 3, startedAt: 30, generation: 2 }),
    after('failed_unknown', { number: 4, startedAt: 40, generation: 2 }),
    after('not_sent', { number: 5, startedAt: 50, generation: 3 }),
  ]

  it('is that of its first attempt that may have been sent', () => {
    expect(generationStartedAt(attempts, 1)).toBe(20)
    expect(generationStartedAt(attempts, 2)).toBe(30)
  })

  it('has not come where nothing was sent, or nothing was tried', () => {
    expect(generationStartedAt(attempts, 3)).toBeNull()
    expect(generationStartedAt(attempts, 4)).toBeNull()
    expect(generationStartedAt([], 1)).toBeNull()
  })

  it('counts an attempt that is under way', () => {
    expect(generationStartedAt([attempt()], 1)).toBe(startedAt)
  })
})

describe('a key is still valid', () => {
  const key = { startedAt: 1_000, keyLifetimeMs: 100_000, now: 11_000, executeTimeoutMs: 30_000, inFlightMs: 60_000 }

  it('while its lifetime covers a call that begins now and what may land after it', () => {
    expect(keyStillValid(key)).toBe(true)
    expect(keyStillValid({ ...key, now: 11_001 })).toBe(false)
    expect(keyStillValid({ ...key, keyLifetimeMs: 99_999 })).toBe(false)
  })

  it('from the first start of its generation, not from the last attempt', () => {
    expect(keyStillValid({ ...key, startedAt: 999 })).toBe(false)
  })

  it('if it starts now and lives long enough for one call', () => {
    expect(keyStillValid({ ...key, startedAt: null, keyLifetimeMs: 90_000 })).toBe(true)
    expect(keyStillValid({ ...key, startedAt: null, keyLifetimeMs: 89_999 })).toBe(false)
  })
})
