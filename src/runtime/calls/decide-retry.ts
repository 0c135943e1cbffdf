// What follows from an ended attempt: the retry policy is asked with the status of all attempts together.
import { callStatuses, isVerification } from '../../effect/calls/call-evidence.ts'
import type { CallDecision, CallProgress } from '../../effect/calls/guarded-call.ts'
import type { RetryPolicy } from '../../effect/calls/retry-policy.ts'
import { includes } from '../../effect/coverage.ts'
import type { Effect } from '../../effect/effect.ts'
import type { CallCore } from './call-core.ts'

/** The decision on the latest attempt, and with it the end of the call unless there is to be another one. Spec: evidence 4. */
export function decided(
  core: CallCore,
  policy: RetryPolicy,
  effect: Effect,
  isRetryable: boolean,
): Pick<CallProgress, 'decided' | 'completedAt'> {
  const decision = decisionOn(core, policy, effect, isRetryable)
  return { decided: [decision], completedAt: decision.decision === 'stop' ? core.clock.now() : null }
}

function decisionOn(core: CallCore, policy: RetryPolicy, effect: Effect, isRetryable: boolean): CallDecision {
  const number = effect.attempts.length
  const stop = { number, decision: 'stop', nextAttemptAt: null } as const
  const status = callStatuses(effect).final
  if (status === null) throw new Error('an attempt was made')
  const failureIsRetryable = status === 'FAILED' && (isRetryable || isFenced(effect, number))
  if (!policy.shouldRetry({ status, attempts: number, failureIsRetryable })) return stop
  try {
    return { number, decision: 'retry', nextAttemptAt: core.clock.now() + policy.delayAfter(number) }
  } catch {
    core.warn('retry_delay_malformed', 'The delay of a retry policy could not be computed; the call is not made again.')
    return stop
  }
}

// A verifier's FAILED is bound, healthy, conclusive and fenced, or it would not be one (table A).
function isFenced({ observations }: Effect, attemptNumber: number): boolean {
  return observations.some((one) => {
    return isVerification(one) && one.verdict === 'FAILED' && includes(one.covers, attemptNumber)
  })
}
