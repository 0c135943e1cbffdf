// A found effect: whether it is what was approved, and what else about it a person must see.
import { type JsonValue, canonicalJson } from '../../effect/canonical-json.ts'
import { includes } from '../../effect/coverage.ts'
import type { Attempt, Effect, ObservationFlag } from '../../effect/effect.ts'
import { valueAt } from '../../effect/json-pointer.ts'
import { limits } from '../../effect/limits.ts'
import type { Reference } from '../../effect/reference.ts'
import type { JudgedAgainst } from './judge-verification.ts'

/** A found effect, as a verifier tells it. */
export interface Found {
  readonly status: 'verified_completion' | 'reversed_after_completion'
  readonly identity: string
  readonly matches?: number
  readonly facts: Readonly<Record<string, JsonValue>>
  readonly externalReference?: Reference
  readonly result?: JsonValue
  readonly occurredAt?: number
}

/** How its facts compare. Only `agree` confirms; the last two say nothing about the effect. */
export type Agreement = 'agree' | 'differ' | 'fact_missing' | 'facts_not_comparable'

type Approved = Pick<JudgedAgainst, 'contents' | 'definition' | 'effect' | 'compareFacts'>

/**
 * Whether it is what was approved for one of the attempts that carried the key, and what its present owner was approved
 * for: an owner is never reported done with another's content. Spec: rules R11, traces S28 and S29.
 */
export function factsAgree(found: Found, attempts: readonly Attempt[], against: Approved): Agreement {
  const { contents, definition, effect } = against
  const isMissing = definition.facts.some((path) => found.facts[path] === undefined)
  if (found.matches === undefined || isMissing) return 'fact_missing'
  const agrees = (proposal: Reference | null): boolean | null => {
    const snapshot = proposal === null ? undefined : contents.get(proposal)
    return snapshot === undefined ? null : contentAgrees(snapshot, found, against)
  }
  try {
    const owner = agrees(effect.owner)
    const carriers = new Set(attempts.map(({ proposal }) => agrees(proposal)))
    if (owner === false) return 'differ'
    if (owner === true && carriers.has(true)) return 'agree'
    return owner === null || carriers.has(null) ? 'facts_not_comparable' : 'differ'
  } catch {
    return 'facts_not_comparable' // The host's comparison threw, which says nothing about the effect.
  }
}

function contentAgrees(snapshot: JsonValue, found: Found, { definition, compareFacts }: Approved): boolean {
  const approved = Object.fromEntries(definition.facts.map((path) => [path, valueAt(snapshot, path) ?? null]))
  if (compareFacts === null) return text(approved) === text(found.facts)
  const answer: unknown = compareFacts(approved, found.facts)
  // A promise, say, is true to nobody but JavaScript.
  if (typeof answer !== 'boolean') throw new TypeError('compareFacts answers true or false')
  return answer
}

/** What of it a person must see. What is seen beside a missing or incomparable fact is seen all the same. */
export function flagsOf(
  found: Found,
  agreement: Agreement,
  attempts: readonly Attempt[],
  effect: Effect,
): readonly ObservationFlag[] {
  const flags: ObservationFlag[] = []
  if (agreement === 'fact_missing') flags.push('fact_missing')
  if (found.matches !== undefined && found.matches > 1) flags.push('duplicate')
  if (agreement === 'differ') flags.push('effect_mismatch')
  if (found.occurredAt !== undefined && found.occurredAt < knownFrom(attempts)) flags.push('predates_attempt')
  if (referenceDiffers(found.externalReference, attempts, effect)) flags.push('reference_differs')
  if (found.status === 'reversed_after_completion') flags.push('reversed')
  return flags
}

// Two references for one effect: what the target shows, and what it showed before or told a caller, in time or late
// (rules R11).
function referenceDiffers(reference: Reference | undefined, attempts: readonly Attempt[], effect: Effect): boolean {
  if (reference === undefined) return false
  const told = attempts.map(({ ending }) => ending?.externalReference)
  const seen = effect.observations.filter(
    ({ verdict, source, covers }) =>
      verdict === 'CONFIRMED' || (source === 'executor' && attempts.some(({ number }) => includes(covers, number))),
  )
  const known = [...told, ...seen.map(({ externalReference }) => externalReference)]
  return known.some((other) => other !== null && other !== undefined && other !== reference)
}

// Two clocks are compared, that of the target and that of whoever made the attempt: less apart than this they say nothing.
function knownFrom(attempts: readonly Attempt[]): number {
  return -limits.clockJumpMs + Math.min(...attempts.map(({ startedAt }) => startedAt))
}

function text(value: JsonValue): string {
  return canonicalJson(value, { numbers: 'integers' })
}
