// When an event is tried again, and when it is given up.
import { describe, expect, it } from 'vitest'
import { afterFailure, DELIVERY_WAITS_MS, RETRY_AFTER_MS_MAX } from '../../src/proposal/delivery.ts'

describe('after a failure', () => {
  it('the waits grow over days, spread by chance, and end in a dead letter', () => {
    const days = DELIVERY_WAITS_MS.reduce((sum, ms) => sum + ms, 0) / 86_400_000
    expect(days).toBeGreaterThan(2)
    expect(DELIVERY_WAITS_MS).toEqual(DELIVERY_WAITS_MS.toSorted((a, b) => a - b))
    expect(afterFailure(1, { retryAfterMs: null, fraction: 0 })).toEqual({ kind: 'retry', afterMs: 5_000 })
    expect(afterFailure(1, { retryAfterMs: null, fraction: 0.8 })).toEqual({ kind: 'retry', afterMs: 6_000 })
    expect(afterFailure(2, { retryAfterMs: null, fraction: 0, waitsMs: [7, 9] })).toEqual({ kind: 'retry', afterMs: 9 })
    expect(afterFailure(DELIVERY_WAITS_MS.length + 1, { retryAfterMs: 5, fraction: 0 })).toEqual({ kind: 'dead' })
  })

  it.each([
    [null, 5_000],
    [1_000, 5_000],
    [60_000, 60_000],
    [10 * RETRY_AFTER_MS_MAX, RETRY_AFTER_MS_MAX],
  ])('a receiver that asks for %s ms gets %i', (asked, afterMs) => {
    expect(afterFailure(1, { retryAfterMs: asked, fraction: 0 })).toEqual({ kind: 'retry', afterMs })
  })
})
