// Announcements: what a provider says of itself that happened. It is no evidence; it is a reason to look at once.
import assert from 'node:assert/strict'
import { withObserved, withVerificationDue } from './effect-changes.ts'
import type { Effect, Observation } from './effect.ts'
import type { Reference } from './reference.ts'
import { isWorthKeeping } from './thinning.ts'

/** A provider's event, bound to what the provider was handed and to what it calls the event. Spec: rules R7. */
export interface Announcement {
  readonly idempotencyKey: string
  /** The provider's id of the event; the same one twice is one. */
  readonly eventId: Reference
}

/** Whether the event is on record. */
export function isAnnounced({ observations }: Pick<Effect, 'observations'>, eventId: Reference): boolean {
  return observations.some(({ source, externalReference }) => source === 'event' && externalReference === eventId)
}

/** The effect after an announcement, and the observation to be stored with it, if it is still kept. */
export interface Announced {
  readonly effect: Effect
  readonly observation: Observation | null
}

/**
 * The effect with the event on record and a look due now; null if that changes nothing, since a flood of events only moves
 * the next look. What is under way is looked into when it has ended.
 */
export function announced(effect: Effect, { idempotencyKey, eventId }: Announcement, now: number): Announced | null {
  const carriers = effect.attempts.filter((attempt) => attempt.idempotencyKey === idempotencyKey)
  const [first, last] = [carriers[0], carriers.at(-1)]
  assert(first !== undefined && last !== undefined, 'an announcement is about an attempt that carried its key')
  const dueAt = Math.min(now, effect.verifyDueAt ?? now)
  const observation: Observation = {
    sequence: effect.observations.length + 1,
    source: 'event',
    answer: 'announced',
    verdict: 'UNKNOWN',
    covers: { from: first.number, to: last.number },
    target: first.target,
    proof: null,
    flags: [],
    reason: null,
    externalReference: eventId,
    matches: null,
    beganAt: now,
    endedAt: now,
  }
  if (isWorthKeeping(effect, observation)) {
    return { effect: withVerificationDue(withObserved(effect, observation), dueAt, null), observation }
  }
  if (effect.verifyDueAt === dueAt) return null
  const later = { ...effect, version: effect.version + 1 }
  return { effect: withVerificationDue(later, dueAt, null), observation: null }
}

/** Whether anything was announced after that observation; a look that began before it may have missed what happened. */
export function isAnnouncedAfter({ observations }: Pick<Effect, 'observations'>, sequence: number): boolean {
  return observations.slice(sequence).some(({ source }) => source === 'event')
}
