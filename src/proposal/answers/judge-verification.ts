// The verifier's answer, judged: what of it becomes evidence, what only spends a budget, and what a person must see.
import { z } from 'zod'
import { type JsonValue, canonicalJson } from '../../effect/canonical-json.ts'
import { contains, includes } from '../../effect/coverage.ts'
import type { Attempt, Coverage, Effect, Evidence, Observation, ProofKind } from '../../effect/effect.ts'
import type { Spent } from '../../effect/effect-changes.ts'
import type { IdempotencyKey } from '../../effect/effect-key.ts'
import { isReference, type ReasonCode, type Reference } from '../../effect/reference.ts'
import { isFinalAbsence, settlingBoundary } from '../../effect/settling-boundary.ts'
import { parseAnswer } from '../content/boundary.ts'
import type { Definition } from '../definition/definition.ts'
import type { HostCall } from './executor-word.ts'
import { factsAgree, flagsOf, type Found } from './found-effect.ts'
import { withoutUndefined } from './host-answer.ts'
import { reason } from '../lifecycle/verdict.ts'

/** What was asked, and when; `keys` are those of the covered attempts of the definition's own target (rules R11). */
export interface Asked {
  readonly keys: readonly IdempotencyKey[]
  readonly covers: Coverage
  readonly beganAt: number
  readonly endedAt: number
}

/** What the answer is held against. */
export interface JudgedAgainst {
  readonly definition: Pick<Definition, 'acceptProof' | 'facts' | 'inFlightMs' | 'target'>
  readonly schema: z.ZodType
  readonly effect: Effect
  /** The approved snapshots, by the proposals whose attempts are covered, as far as they can be opened. */
  readonly contents: ReadonlyMap<Reference, JsonValue>
  /** The host's comparison of facts; exact equality where it has none. May throw. */
  readonly compareFacts:
    | ((approved: Readonly<Record<string, JsonValue>>, found: Readonly<Record<string, JsonValue>>) => boolean)
    | null
  /** False for a while after the wall clock jumped: that time has passed is not believed then (trace S6). */
  readonly isClockSettled: boolean
}

/** The observation to be stored, and what goes with it. */
export interface Judged {
  readonly observation: Omit<Observation, 'sequence'>
  readonly spends: Spent
  readonly factsText: string | null
  readonly resultText: string | null
}

const PROOF_KINDS = [
  'terminal',
  'cancelled',
  'fenced',
  'key_consumed',
  'settled',
] as const satisfies readonly ProofKind[]
const reasonCode = z.string().regex(/^[a-z0-9_.-]{1,64}$/)
const keys = z.array(z.string()).min(1)

/** The shape of a verifier's answer for the facts and result of a definition. */
export function verifiedSchema(facts: readonly string[], result: z.ZodObject): z.ZodType {
  const found = {
    identity: z.string(),
    matches: z.int().min(1).exactOptional(),
    facts: z.strictObject(Object.fromEntries(facts.map((path) => [path, z.unknown().exactOptional()]))),
    externalReference: z.string().refine(isReference).exactOptional(),
    result: result.exactOptional(),
    occurredAt: z.int().exactOptional(),
  }
  return z.discriminatedUnion('status', [
    z.strictObject({ status: z.literal('verified_completion'), ...found }),
    z.strictObject({ status: z.literal('reversed_after_completion'), ...found }),
    z.strictObject({
      status: z.literal('verified_terminal_failure'),
      identity: z.string(),
      attempt: z.int().min(1),
      reason: reasonCode.exactOptional(),
    }),
    z.strictObject({ status: z.literal('provisional_absence'), identity: keys, reason: reasonCode.exactOptional() }),
    z.strictObject({
      status: z.literal('authoritative_final_absence'),
      identity: keys,
      proof: z.enum(PROOF_KINDS),
      reason: reasonCode.exactOptional(),
    }),
    z.strictObject({ status: z.literal('target_unavailable'), reason: reasonCode.exactOptional() }),
  ])
}

interface Refusal {
  readonly status: 'verified_terminal_failure'
  readonly identity: string
  readonly attempt: number
  readonly reason?: ReasonCode
}

interface Absence {
  readonly status: 'provisional_absence' | 'authoritative_final_absence'
  readonly identity: readonly string[]
  readonly proof?: ProofKind
  readonly reason?: ReasonCode
}

type Answer = Found | Refusal | Absence | { readonly status: 'target_unavailable'; readonly reason?: ReasonCode }

/** Judges one answer of a proposal's verifier. Spec: lifecycle 7, rules R6 and R11. */
export function judgeVerification(call: HostCall, asked: Asked, against: JudgedAgainst): Judged {
  if (call.kind === 'timed_out') return unavailable(asked, against, 'verify_timed_out')
  if (call.kind === 'threw') return unavailable(asked, against, 'verifier_threw')
  const parts = { facts: 'factsBytes', result: 'resultBytes' } as const
  const parsed = parseAnswer(against.schema, withoutUndefined(call.value), 'factsBytes', parts)
  if (!parsed.ok) return unavailable(asked, against, 'malformed_answer')
  const answer = parsed.value as Answer
  switch (answer.status) {
    case 'verified_completion':
    case 'reversed_after_completion':
      return judgeFound(answer, asked, against)
    case 'verified_terminal_failure':
      return judgeRefusal(answer, asked, against)
    case 'provisional_absence':
    case 'authoritative_final_absence':
      return judgeAbsence(answer, asked, against)
    case 'target_unavailable':
      return unavailable(asked, against, answer.reason ?? null)
  }
}

function judgeFound(found: Found, asked: Asked, against: JudgedAgainst): Judged {
  const attempts = coveredAttempts(asked, against).filter(({ idempotencyKey }) => idempotencyKey === found.identity)
  const [first, last] = [attempts[0], attempts.at(-1)]
  if (first === undefined || last === undefined) return unavailable(asked, against, 'identity_mismatch')
  const agreement = factsAgree(found, attempts, against)
  const flags = flagsOf(found, agreement, attempts, against.effect)
  const decides = agreement === 'agree' && !flags.some((flag) => flag === 'duplicate' || flag === 'predates_attempt')
  const incomparable = agreement === 'fact_missing' || agreement === 'facts_not_comparable'
  return {
    observation: {
      ...bare(asked, against, found.status),
      covers: { from: first.number, to: last.number },
      verdict: decides ? 'CONFIRMED' : 'UNKNOWN',
      flags,
      reason: incomparable ? reason(agreement) : null,
      externalReference: found.externalReference ?? null,
      matches: found.matches ?? null,
    },
    spends: incomparable ? 'unavailable' : null,
    factsText: text(found.facts),
    resultText: decides && found.result !== undefined ? text(found.result) : null,
  }
}

function judgeRefusal(refusal: Refusal, asked: Asked, against: JudgedAgainst): Judged {
  const attempt = coveredAttempts(asked, against).find(({ number }) => number === refusal.attempt)
  if (attempt === undefined || attempt.idempotencyKey !== refusal.identity) {
    return unavailable(asked, against, 'identity_mismatch')
  }
  const { definition, effect, isClockSettled } = against
  const inTime =
    isClockSettled && asked.beganAt >= settlingBoundary([attempt], effect.observations, definition.inFlightMs)
  const counts = inTime && definition.acceptProof.failure.includes('terminal')
  return {
    observation: {
      ...bare(asked, against, refusal.status),
      covers: { from: attempt.number, to: attempt.number },
      verdict: counts ? 'FAILED' : 'UNKNOWN',
      proof: 'terminal',
      reason: isClockSettled ? (refusal.reason ?? null) : reason('clock_unsettled'),
    },
    spends: counts || !inTime ? null : 'absence',
    factsText: null,
    resultText: null,
  }
}

function judgeAbsence(absence: Absence, asked: Asked, against: JudgedAgainst): Judged {
  const echoed = new Set(absence.identity)
  if (echoed.size !== new Set(asked.keys).size || !asked.keys.every((key) => echoed.has(key))) {
    return unavailable(asked, against, 'identity_mismatch')
  }
  // Stored as what it is, so that it is no first half of the proof `settled` either.
  if (!against.isClockSettled) return provisional(asked, against)
  const { definition, effect } = against
  const inTime =
    asked.beganAt >= settlingBoundary(coveredAttempts(asked, against), effect.observations, definition.inFlightMs)
  const verdict: Evidence = isAcceptedFinal(absence, asked, against) ? 'FAILED' : 'UNKNOWN'
  return {
    observation: {
      ...bare(asked, against, absence.status),
      verdict,
      proof: absence.proof ?? null,
      reason: absence.reason ?? null,
    },
    // Before the boundary an absence is to be expected and spends nothing.
    spends: verdict === 'FAILED' || !inTime ? null : 'absence',
    factsText: null,
    resultText: null,
  }
}

function provisional(asked: Asked, against: JudgedAgainst): Judged {
  return {
    observation: { ...bare(asked, against, 'provisional_absence'), reason: reason('clock_unsettled') },
    spends: null,
    factsText: null,
    resultText: null,
  }
}

function isAcceptedFinal({ proof }: Absence, asked: Asked, against: JudgedAgainst): boolean {
  const { definition, effect } = against
  if (proof === undefined || !definition.acceptProof.failure.includes(proof)) return false
  const claim = { proof, beganAt: asked.beganAt, covers: asked.covers, target: definition.target.name }
  if (!isFinalAbsence(claim, effect.observations, effect.attempts, definition.inFlightMs)) return false
  return proof === 'fenced' || proof === 'cancelled' ? isAcknowledged(proof, asked, against) : true
}

// A fence or a cancellation proves something only if the target itself took it, for every attempt that is covered and
// before it was read: what is read earlier may be outrun.
function isAcknowledged(proof: 'fenced' | 'cancelled', asked: Asked, against: JudgedAgainst): boolean {
  const source = proof === 'fenced' ? 'fence' : 'cancel'
  return against.effect.observations.some(
    (observation) =>
      observation.source === source &&
      observation.answer === 'acknowledged' &&
      observation.target === against.definition.target.name &&
      contains(observation.covers, asked.covers) &&
      observation.endedAt <= asked.beganAt,
  )
}

function unavailable(asked: Asked, against: JudgedAgainst, why: string | null): Judged {
  return {
    observation: { ...bare(asked, against, 'target_unavailable'), reason: why === null ? null : reason(why) },
    spends: 'unavailable',
    factsText: null,
    resultText: null,
  }
}

function bare(asked: Asked, against: JudgedAgainst, answer: string): Omit<Observation, 'sequence'> {
  return {
    source: 'verifier',
    answer,
    verdict: 'UNKNOWN',
    covers: asked.covers,
    target: against.definition.target.name,
    proof: null,
    flags: [],
    reason: null,
    externalReference: null,
    matches: null,
    beganAt: asked.beganAt,
    endedAt: asked.endedAt,
  }
}

function coveredAttempts(asked: Asked, { effect, definition }: JudgedAgainst): readonly Attempt[] {
  return effect.attempts.filter(
    ({ number, target }) => target === definition.target.name && includes(asked.covers, number),
  )
}

function text(value: JsonValue): string {
  return canonicalJson(value, { numbers: 'integers' })
}
