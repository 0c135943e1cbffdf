// How what is kept of a guarded call grows: attempts are told of when they have ended, decided on once, and the call completed.
import type { CallAttempt, CallProgress, GuardedCall } from './guarded-call.ts'

/** The call after a progress. What may not be is for the store to refuse. */
export function withProgress<Call extends Pick<GuardedCall, 'claim' | 'attempts'>>(
  call: Call,
  { ended, decided, completedAt }: CallProgress,
): Call {
  const told: readonly CallAttempt[] =
    ended === null ? call.attempts : [...call.attempts, { ...ended, decision: null, nextAttemptAt: null }]
  const attempts = told.map((attempt) => ({ ...attempt, ...decided.find(({ number }) => number === attempt.number) }))
  if (completedAt === null) return { ...call, attempts }
  return { ...call, attempts, claim: { ...call.claim, state: 'COMPLETED', completedAt } }
}
