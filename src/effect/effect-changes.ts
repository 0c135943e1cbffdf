// How an effect grows: an attempt is opened or ended, an observation is added, the fence is raised; each raises the version.
import assert from 'node:assert/strict'
import type { Attempt, AttemptEnding, Effect, Observation } from './effect.ts'
import { effectKind, type EffectKey } from './effect-key.ts'
import type { Reference } from './reference.ts'

/** An effect that nobody has claimed yet, as it is before its first attempt. */
export function unclaimed(key: EffectKey): Effect {
  return {
    key,
    kind: effectKind(key.domain),
    version: 0,
    owner: null,
    epoch: 0,
    attempts: [],
    observations: [],
    settlement: null,
    verifyDueAt: null,
    verifyLease: null,
    absencesSpent: 0,
    unavailablesSpent: 0,
  }
}

/** The effect with an attempt opened by its new or present owner (null for guarded calls), under the raised fence. */
export function withOpened(
  effect: Effect,
  owner: Reference | null,
  attempt: Omit<Attempt, 'number' | 'epoch' | 'ending'>,
): Effect {
  const epoch = effect.epoch + 1
  const opened: Attempt = { ...attempt, number: effect.attempts.length + 1, epoch, ending: null }
  return {
    ...effect,
    version: effect.version + 1,
    owner,
    epoch,
    attempts: [...effect.attempts, opened],
    verifyDueAt: null,
    verifyLease: null,
    absencesSpent: 0,
    unavailablesSpent: 0,
  }
}

/** The effect with its open attempt ended. */
export function withEnded(effect: Effect, number: number, ending: AttemptEnding): Effect {
  const open = effect.attempts[number - 1]
  assert(open !== undefined && open.ending === null, 'only an open attempt ends')
  const attempts = effect.attempts.map((attempt) => (attempt === open ? { ...attempt, ending } : attempt))
  return { ...effect, version: effect.version + 1, attempts }
}

/** The effect with one more look at the outside world. */
export function withObserved(effect: Effect, observation: Omit<Observation, 'sequence'>): Effect {
  const next: Observation = { ...observation, sequence: effect.observations.length + 1 }
  return { ...effect, version: effect.version + 1, observations: [...effect.observations, next] }
}

/** The effect with its fence raised, so that nobody below it is heard any more. */
export function withFenceRaised(effect: Effect): Effect {
  return { ...effect, version: effect.version + 1, epoch: effect.epoch + 1 }
}

/** What a verifier's answer spends of the two budgets. */
export type Spent = 'absence' | 'unavailable' | null

/** The effect with the next verification due, after a verifier's answer has been counted. */
export function withVerificationDue(effect: Effect, dueAt: number | null, spent: Spent): Effect {
  return {
    ...effect,
    verifyDueAt: dueAt,
    verifyLease: null,
    absencesSpent: effect.absencesSpent + (spent === 'absence' ? 1 : 0),
    unavailablesSpent: effect.unavailablesSpent + (spent === 'unavailable' ? 1 : 0),
  }
}
