// Coverage: which attempts an interval speaks of, and what a confirmation covers by the time it is stored.
import { describe, expect, it } from 'vitest'
import { contains, coverageWhenStored, includes } from '../../src/effect/coverage.ts'
import type { Attempt } from '../../src/effect/effect.ts'
import { attempt } from './builders.ts'

/** Attempts of these generations, numbered from 1. */
function attempts(...generations: readonly number[]): readonly Attempt[] {
  return generations.map((generation, index) => attempt({ number: index + 1, generation }))
}

describe('coverage', () => {
  it('includes both its ends and what is between them', () => {
    const covers = { from: 2, to: 4 }

    expect([1, 2, 3, 4, 5].filter((number) => includes(covers, number))).toEqual([2, 3, 4])
  })

  it('contains what lies within it', () => {
    const outer = { from: 2, to: 4 }

    expect(contains(outer, { from: 2, to: 4 })).toBe(true)
    expect(contains(outer, { from: 1, to: 3 })).toBe(false)
    expect(contains(outer, { from: 3, to: 5 })).toBe(false)
  })
})

describe('what a confirmation covers when it is stored', () => {
  const confirmation = { verdict: 'CONFIRMED', covers: { from: 1, to: 1 }, target: 'psp' } as const

  it('an attempt that started under the same key while it was read may be the one that was found', () => {
    expect(coverageWhenStored(attempts(1, 1), confirmation)).toEqual({ from: 1, to: 2 })
  })

  it('an attempt under another key was not found', () => {
    expect(coverageWhenStored(attempts(1, 2), confirmation)).toEqual({ from: 1, to: 1 })
  })

  it('an attempt at another target was not found', () => {
    const [first, second] = attempts(1, 1)
    const elsewhere = [first, { ...second, target: 'bank' }] as Attempt[]

    expect(coverageWhenStored(elsewhere, confirmation)).toEqual({ from: 1, to: 1 })
  })

  it('without an attempt that started since, it covers what was asked', () => {
    expect(coverageWhenStored(attempts(1), confirmation)).toEqual({ from: 1, to: 1 })
    expect(coverageWhenStored([], confirmation)).toEqual({ from: 1, to: 1 })
  })

  it.each(['FAILED', 'UNKNOWN'] as const)('%s speaks only of what had started when the read began', (verdict) => {
    expect(coverageWhenStored(attempts(1, 1), { ...confirmation, verdict })).toEqual({ from: 1, to: 1 })
  })
})
