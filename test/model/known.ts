// What the checks of a model run know without asking the library: evidence by its worlds, boundaries, keys and seats.
import type { Attempt, Coverage, Effect, Evidence, Observation } from '../../src/effect/effect.ts'
import { evidenceOf } from '../../src/effect/effect-evidence.ts'
import { foldByWorlds } from '../effect/worlds.ts'
import type { Book } from './book.ts'
import { IN_FLIGHT_MS } from './payment.ts'

/** What is known about an effect. */
export interface Known {
  /** Null while no attempt was ever started. */
  readonly status: Evidence | null
  readonly conflict: boolean
}

/** The fold by enumeration; where a person settled the effect, the settlement as the library reads it. */
export function knownOf(effect: Effect | null): Known {
  if (effect === null || effect.attempts.length === 0) return { status: null, conflict: false }
  if (effect.settlement !== null) return evidenceOf(effect)
  const attempts = effect.attempts.map(({ number, target, ending }) => {
    return { number, target, evidence: ending?.evidence ?? ('UNKNOWN' as const) }
  })
  const { status, verificationConflict } = foldByWorlds(attempts, effect.observations)
  return { status, conflict: verificationConflict }
}

/** The observations that say that an attempt had no effect. */
export function denials({ observations }: Pick<Effect, 'observations'>, attempt: Attempt): readonly Observation[] {
  return observations.filter(({ verdict, target, covers }) => {
    return (
      verdict === 'FAILED' && target === attempt.target && covers.from <= attempt.number && attempt.number <= covers.to
    )
  })
}

/** Whether the executor itself said, inside its lease, that the attempt had no effect. */
export function isOwnWord({ ending, leaseUntil }: Attempt): boolean {
  if (ending === null) return false
  return ending.kind === 'not_sent' || (ending.evidence === 'FAILED' && ending.at < leaseUntil)
}

/** Until when a request of these attempts may still land, going by the observations that were there. */
export function boundaryOf(attempts: readonly Attempt[], observations: readonly Observation[]): number {
  let boundary = 0
  for (const { number, leaseUntil, ending } of attempts) {
    boundary = Math.max(boundary, leaseUntil + IN_FLIGHT_MS)
    if (ending !== null && ending.kind !== 'lease_lapsed') boundary = Math.max(boundary, ending.at + IN_FLIGHT_MS)
    for (const { source, covers, endedAt } of observations) {
      if (source === 'executor' && covers.from <= number && number <= covers.to) {
        boundary = Math.max(boundary, endedAt + IN_FLIGHT_MS)
      }
    }
  }
  return boundary
}

/** The attempts that an observation speaks of. */
export function coveredBy({ covers, target }: Observation, attempts: readonly Attempt[]): readonly Attempt[] {
  return attempts.filter((one) => one.target === target && covers.from <= one.number && one.number <= covers.to)
}

/** Whether the target itself refused or cancelled the attempt, or the executor said so in time. */
export function wasRefused(effect: Pick<Effect, 'observations'>, attempt: Attempt): boolean {
  if (attempt.ending?.kind !== 'not_sent' && isOwnWord(attempt)) return true
  return denials(effect, attempt).some(({ answer, proof }) => {
    return answer === 'verified_terminal_failure' || proof === 'terminal' || proof === 'cancelled'
  })
}

/** Whether an interval of attempts lies within another one. */
export function includesAll(outer: Coverage, inner: Coverage): boolean {
  return outer.from <= inner.from && inner.to <= outer.to
}

/**
 * What was on record of an effect when the read began whose answer was stored with the change of this order. A return that
 * is recorded while the read is under way moves the boundary of the next one.
 */
export function knownWhenRead(
  book: Book,
  effect: Effect,
  observation: Observation,
  storedAt: number,
): readonly Observation[] {
  const { reference } = effect.key
  const look = book.entries.findLast((entry) => {
    if (entry.kind !== 'looked' || entry.input.semanticEffectReference !== reference) return false
    return book.mayBe(entry, observation) && entry.ended !== null && entry.ended.order < storedAt
  })
  const later = new Set<number>()
  for (const entry of book.entries) {
    const isLater = entry.kind === 'committed' && entry.order > (look?.order ?? 0)
    const write = isLater ? entry.change.effect : null
    if (write?.row.key.reference === reference && write.observed !== null)
      later.add(write.observed.observation.sequence)
  }
  return effect.observations.filter(({ source, sequence }) => source !== 'executor' || !later.has(sequence))
}
