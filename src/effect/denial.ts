// Denials: the observations that say that an attempt had no effect.
import { includes } from './coverage.ts'
import type { Attempt, Effect, Observation } from './effect.ts'

/** What was observed against an attempt; an answer speaks only of attempts of its own target (rules R11). */
export function denialsOf(effect: Pick<Effect, 'observations'>, attempt: Attempt): readonly Observation[] {
  return effect.observations.filter(
    ({ verdict, covers, target }) =>
      verdict === 'FAILED' && target === attempt.target && includes(covers, attempt.number),
  )
}
