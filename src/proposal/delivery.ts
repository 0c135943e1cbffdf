// The delivery of an event: what a try established, when the next one is made, and when there is none any more.
import type { ReasonCode } from '../effect/reference.ts'

/**
 * How one try ended. Only an answer that says so is a delivery; `gone` is the receiver's word that it wants no more.
 * `retryAfterMs` is how long it asks to be left alone, null where it does not say. Spec: reliability 5.9.
 */
export type DeliveryTry =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'gone'; readonly reason: ReasonCode }
  | { readonly kind: 'failed'; readonly reason: ReasonCode; readonly retryAfterMs: number | null }

/** What follows from a failed try. */
export type AfterFailure = { readonly kind: 'retry'; readonly afterMs: number } | { readonly kind: 'dead' }

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** How long is waited after each failed try; after one more the event is a dead letter, some three days later. */
export const DELIVERY_WAITS_MS: readonly number[] = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

/** The longest that a receiver may ask to be left alone; it cannot put an event off for ever. */
export const RETRY_AFTER_MS_MAX: number = 24 * HOUR_MS

/**
 * When a failed event is tried again. `failures` counts this one; `fraction`, in [0, 1), spreads tries that failed together
 * over a quarter more of the wait. A receiver that asks for more time gets it, up to a day.
 */
export function afterFailure(
  failures: number,
  {
    retryAfterMs,
    fraction,
    waitsMs = DELIVERY_WAITS_MS,
  }: {
    readonly retryAfterMs: number | null
    readonly fraction: number
    readonly waitsMs?: readonly number[]
  },
): AfterFailure {
  const waitMs = waitsMs[failures - 1]
  if (waitMs === undefined) return { kind: 'dead' }
  const askedMs = Math.min(Math.max(retryAfterMs ?? 0, 0), RETRY_AFTER_MS_MAX)
  return { kind: 'retry', afterMs: Math.round(Math.max(waitMs, askedMs) * (1 + fraction / 4)) }
}
