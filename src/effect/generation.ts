// The generation of an idempotency key: when the next attempt may carry a new one, and how long a target remembers it.
import { denialsOf } from './denial.ts'
import type { Attempt, Observation } from './effect.ts'

/**
 * The generation of the next attempt. It starts at 1 and rises by one only if every attempt that a target may have seen
 * was definitely refused, in its lease by the executor's word or by proof `terminal` or `cancelled`: such a target may
 * replay its stored refusal under the old key for ever. Anything less keeps the key, since a new one would let a late
 * landing and the next attempt both count. After `not_sent` the key was never seen.
 * Spec: rules R5.
 */
export function nextGeneration(attempts: readonly Attempt[], observations: readonly Observation[]): number {
  const generation = attempts.reduce((latest, attempt) => Math.max(latest, attempt.generation), 1)
  const seen = attempts.filter((attempt) => !wasNotSent(attempt))
  const used = seen.some((attempt) => attempt.generation === generation)
  return used && seen.every((attempt) => wasRefused(attempt, observations)) ? generation + 1 : generation
}

/**
 * When the target can first have seen the key of a generation, or null if no attempt that may have been sent carried it.
 * The key's declared lifetime counts from here. Spec: rules R5.
 */
export function generationStartedAt(attempts: readonly Attempt[], generation: number): number | null {
  const starts = attempts
    .filter((attempt) => attempt.generation === generation && !wasNotSent(attempt))
    .map((attempt) => attempt.startedAt)
  return starts.length === 0 ? null : Math.min(...starts)
}

/** Whether the target still remembers a key until a call that begins now can no longer land. Spec: rules R5. */
export function keyStillValid(key: {
  /** {@link generationStartedAt}; null for a key that starts now. */
  readonly startedAt: number | null
  readonly keyLifetimeMs: number
  readonly now: number
  readonly executeTimeoutMs: number
  readonly inFlightMs: number
}): boolean {
  const forgottenAt = (key.startedAt ?? key.now) + key.keyLifetimeMs
  return key.now + key.executeTimeoutMs + key.inFlightMs <= forgottenAt
}

function wasNotSent(attempt: Attempt): boolean {
  return attempt.ending?.kind === 'not_sent'
}

function wasRefused(attempt: Attempt, observations: readonly Observation[]): boolean {
  return refusedByExecutor(attempt) || denialsOf({ observations }, attempt).some(isRefusal)
}

function refusedByExecutor({ ending, leaseUntil }: Attempt): boolean {
  if (ending === null || ending.evidence !== 'FAILED' || ending.at >= leaseUntil) return false
  return ending.kind === 'stale_no_effect' || ending.kind === 'failed_known'
}

function isRefusal({ answer, proof }: Observation): boolean {
  return answer === 'verified_terminal_failure' || proof === 'terminal' || proof === 'cancelled'
}
