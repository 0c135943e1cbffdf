// Table R: the retry policy, and that no malformed question falls through to a retry.
import { describe, expect, it } from 'vitest'
import { RetryPolicy, type RetryPolicyInput, type RetryQuestion } from '../../../src/effect/calls/retry-policy.ts'
import type { Evidence } from '../../../src/effect/effect.ts'

type Cell = boolean | 'any'
type Row = readonly [
  id: string,
  status: Evidence,
  capacity: Cell,
  onFailed: Cell,
  retryable: Cell,
  onUnknown: Cell,
  retry: boolean,
]

const TABLE_R: readonly Row[] = [
  ['R01', 'CONFIRMED', 'any', 'any', 'any', 'any', false],
  ['R02', 'FAILED', false, 'any', 'any', 'any', false],
  ['R03', 'UNKNOWN', false, 'any', 'any', 'any', false],
  ['R04', 'FAILED', true, true, true, 'any', true],
  ['R05', 'FAILED', true, true, false, 'any', false],
  ['R06', 'FAILED', true, false, true, 'any', false],
  ['R07', 'FAILED', true, false, false, 'any', false],
  ['R08', 'UNKNOWN', true, 'any', 'any', true, true],
  ['R09', 'UNKNOWN', true, 'any', 'any', false, false],
]

const both = (cell: Cell): readonly boolean[] => (cell === 'any' ? [true, false] : [cell])

describe('the retry policy', () => {
  it.each(TABLE_R)('evidence %s %s', (_id, status, capacity, onFailed, retryable, onUnknown, retry) => {
    for (const hasCapacity of both(capacity)) {
      for (const retryOnFailed of both(onFailed)) {
        for (const failureIsRetryable of both(retryable)) {
          for (const retryOnUnknown of both(onUnknown)) {
            const policy = new RetryPolicy({ maxAttempts: 3, retryOnFailed, retryOnUnknown })
            const attempts = hasCapacity ? 2 : 3

            expect(policy.shouldRetry({ status, attempts, failureIsRetryable })).toBe(retry)
          }
        }
      }
    }
  })

  it('retries nothing by default', () => {
    const policy = new RetryPolicy()

    for (const status of ['CONFIRMED', 'FAILED', 'UNKNOWN'] as const) {
      expect(policy.shouldRetry({ status, attempts: 1, failureIsRetryable: true })).toBe(false)
    }
  })

  const good: RetryQuestion = { status: 'FAILED', attempts: 1, failureIsRetryable: true }
  const willing = new RetryPolicy({ maxAttempts: 100, retryOnFailed: true, retryOnUnknown: true })

  it.each<[string, object]>([
    ...['failed', 'Failed', 'DONE', new Object('FAILED'), null, undefined, 'toString'].map(
      (status): [string, object] => [`the status ${JSON.stringify(status)} of type ${typeof status}`, { status }],
    ),
    ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, true, '1', null, 2 ** 53].map(
      (attempts): [string, object] => [`${String(attempts)} attempts of type ${typeof attempts}`, { attempts }],
    ),
    ...[1, 0, 'true', null, undefined].map((failureIsRetryable): [string, object] => [
      `retryable as ${String(failureIsRetryable)} of type ${typeof failureIsRetryable}`,
      { failureIsRetryable },
    ]),
  ])('evidence R refuses %s', (_what, wrong) => {
    expect(willing.shouldRetry(good)).toBe(true)
    expect(() => willing.shouldRetry({ ...good, ...wrong })).toThrow(TypeError)
  })

  it.each<[string, object]>([
    ['no attempts', { maxAttempts: 0 }],
    ['more attempts than an effect may have', { maxAttempts: 101 }],
    ['a fraction of an attempt', { maxAttempts: 1.5 }],
    ['a truthy word', { retryOnFailed: 'yes' }],
    ['a number', { retryOnUnknown: 1 }],
    ['a negative delay', { delayMs: -1 }],
    ['a delay that is no number', { delayMs: '5' }],
    ['a delay of more than a day', { delayMs: 86_400_001 }],
  ])('is not made of %s', (_what, input) => {
    expect(() => new RetryPolicy(input as RetryPolicyInput)).toThrow(TypeError)
  })

  it('stays what it was made as, so that a risk that was judged against it still holds', () => {
    const policy = new RetryPolicy({ maxAttempts: 2 })
    expect(() => Object.assign(policy, { retryOnUnknown: true })).toThrow(TypeError)
    expect(() => Object.assign(policy, { shouldRetry: () => true })).toThrow(TypeError)
    expect(policy.shouldRetry({ status: 'UNKNOWN', attempts: 1, failureIsRetryable: true })).toBe(false)
  })

  it('computes a delay from the attempts made, and refuses one that is none', () => {
    expect(new RetryPolicy({ delayMs: 20 }).delayAfter(3)).toBe(20)
    expect(new RetryPolicy({ delayMs: (attempts) => attempts * 10 }).delayAfter(3)).toBe(30)
    expect(() => new RetryPolicy({ delayMs: () => Number.NaN }).delayAfter(1)).toThrow(TypeError)
  })
})
