// What a caller hands to the runner: the operation that has the effect, and the verifier that only looks.
import type { VerificationResult } from '../../effect/answer.ts'
import type { ActionReceipt } from '../../effect/calls/action-receipt.ts'
import type { RetryPolicy } from '../../effect/calls/retry-policy.ts'
import type { IdempotencyKey } from '../../effect/effect-key.ts'

/** Everything that a call needs, so that nothing has to be closed over. */
export interface OperationCall<R> {
  /** The copy that was hashed; deeply frozen. */
  readonly request: R
  /** By which the effect is found again at the provider; null if none was given. */
  readonly providerReference: string | null
  /** From 1. */
  readonly attempt: number
  /** Names this attempt alone. */
  readonly attemptToken: string
  /**
   * A key for the provider's own de-duplication, derived from tenant, name and idempotency key alone: it survives the loss
   * of the store. Another one after an attempt that the provider refused for certain (rules R5).
   */
  readonly providerIdempotencyKey: IdempotencyKey
  /** Fires at the time limit. */
  readonly signal: AbortSignal
  /** Says that the request leaves now: from here on `NotSent` proves nothing (rules R4). */
  readonly markSending: () => void
  /** Keeps what the provider called the request, whatever becomes of it; a value is correlated with it. */
  readonly reportRequestId: (id: string) => void
}

/**
 * What has the effect. A return is believed, or with a verifier only counts as having ended; `DefinitiveFailure` is proof
 * that nothing happened; everything else that is thrown is UNKNOWN.
 */
export type GuardedOperation<R, V> = (call: OperationCall<R>) => V | Promise<V>

/** Looks at the provider, by the receipt's provider reference, and changes nothing. */
export type VerifyAction = (
  receipt: ActionReceipt,
  context: { readonly signal: AbortSignal },
) => VerificationResult | Promise<VerificationResult>

/** A verifier: a function, or an object that has it. */
export type Verifier = VerifyAction | { verify: VerifyAction }

/** How a guarded call is made. Spec: harness 1. */
export interface GuardedCallInput<R extends object> {
  /** Every input that can change what happens: plain JSON data. Only its digest is kept. */
  readonly request: R
  /** One intent, one key, kept by the host and never made by a model. 1 to 255 characters. */
  readonly idempotencyKey: string
  /** The identity for every later look-up; needed with a verifier. */
  readonly providerReference?: string
  /** A code that is recorded; with `financial` and `irreversible` nothing of unknown outcome is ever made again. */
  readonly risk?: string
  /** Kept in the clear, at most 500 characters of JSON: no secrets. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Asked after the call, however it ended. */
  readonly verifier?: Verifier
  /** One attempt by default. */
  readonly retryPolicy?: RetryPolicy
}

/** The function of a verifier, bound to it; null if it is none. */
export function verifyOf(verifier: unknown): VerifyAction | null {
  if (typeof verifier === 'function') return verifier as VerifyAction
  if (typeof verifier !== 'object' || verifier === null) return null
  const { verify } = verifier as { readonly verify?: unknown }
  return typeof verify === 'function' ? (verify as VerifyAction).bind(verifier) : null
}
