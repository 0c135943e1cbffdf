// The retry policy of a guarded call: when a call that did not succeed may be made again.
import type { Evidence } from '../effect.ts'
import { limits } from '../limits.ts'

/** What a retry policy is made of; each has the careful default. */
export interface RetryPolicyInput {
  /** 1 by default: no retry at all. At most the limit `attemptsPerEffect`. */
  readonly maxAttempts?: number
  /** Whether a call that provably had no effect is made again. */
  readonly retryOnFailed?: boolean
  /** Whether a call of which nobody knows is made again: it may take effect twice. Refused for some risks; warns. */
  readonly retryOnUnknown?: boolean
  /** Milliseconds before the next attempt, or what gives them for the number of attempts made. It is stored before it is waited. */
  readonly delayMs?: number | ((attempts: number) => number)
}

/** What a decision rests on. */
export interface RetryQuestion {
  /** Of all attempts together, never of the last one alone. */
  readonly status: Evidence
  /** How many were made. */
  readonly attempts: number
  /** The failure was said to be retryable, or rests on an absence that is fenced. */
  readonly failureIsRetryable: boolean
}

/**
 * When a guarded call is made again. By default never. The decision is the protocol's: no model and no agent takes it.
 * Frozen, and not to be subclassed: a call refuses whatever could decide otherwise than its fields say. Spec: evidence 4.
 *
 * ```ts
 * new RetryPolicy({ maxAttempts: 3, retryOnFailed: true, delayMs: (attempts) => attempts * 1_000 })
 * ```
 */
export class RetryPolicy {
  readonly maxAttempts: number
  readonly retryOnFailed: boolean
  readonly retryOnUnknown: boolean
  readonly #delayMs: number | ((attempts: number) => number)

  /** @throws TypeError for a value that is not of its exact type or range. */
  constructor(input: RetryPolicyInput = {}) {
    const { maxAttempts = 1, retryOnFailed = false, retryOnUnknown = false, delayMs = 0 } = input
    if (!Number.isSafeInteger(maxAttempts) || maxAttempts < 1 || maxAttempts > limits.attemptsPerEffect) {
      throw new TypeError(`maxAttempts is an integer from 1 to ${limits.attemptsPerEffect}`)
    }
    this.maxAttempts = maxAttempts
    this.retryOnFailed = exactBoolean('retryOnFailed', retryOnFailed)
    this.retryOnUnknown = exactBoolean('retryOnUnknown', retryOnUnknown)
    this.#delayMs = typeof delayMs === 'function' ? delayMs : wholeDelay(delayMs)
    // What was judged against a risk stays what it was.
    Object.freeze(this)
  }

  /**
   * Whether this is a policy that the constructor built: no look-alike, no proxy, and no subclass, whose answers could
   * differ from what its fields say.
   */
  static isRetryPolicy(value: unknown): value is RetryPolicy {
    return (
      typeof value === 'object' &&
      value !== null &&
      #delayMs in value &&
      Object.getPrototypeOf(value) === RetryPolicy.prototype
    )
  }

  /**
   * Whether another attempt is made.
   * @throws TypeError for a value that is not of its exact type: nothing falls through to a retry.
   */
  shouldRetry(question: RetryQuestion): boolean {
    const { status, attempts, failureIsRetryable } = question
    if (!Number.isSafeInteger(attempts) || attempts < 1) throw new TypeError('attempts is an integer from 1')
    const isRetryable = exactBoolean('failureIsRetryable', failureIsRetryable)
    const hasCapacity = attempts < this.maxAttempts
    const byStatus: ReadonlyMap<unknown, boolean> = new Map([
      ['CONFIRMED', false],
      ['FAILED', hasCapacity && this.retryOnFailed && isRetryable],
      ['UNKNOWN', hasCapacity && this.retryOnUnknown],
    ])
    const decision = byStatus.get(status)
    if (decision === undefined) throw new TypeError('status is CONFIRMED, FAILED or UNKNOWN')
    return decision
  }

  /**
   * How long the next attempt waits after so many.
   * @throws TypeError if the given function answers no whole number of milliseconds from 0, and whatever it throws.
   */
  delayAfter(attempts: number): number {
    return typeof this.#delayMs === 'function' ? wholeDelay(this.#delayMs(attempts)) : this.#delayMs
  }
}

function exactBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`${name} is a boolean`)
  return value
}

const DELAY_MAX_MS = 24 * 60 * 60 * 1_000

function wholeDelay(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= DELAY_MAX_MS) return value
  throw new TypeError('delayMs is a whole number of milliseconds, of at most a day')
}
