// Sending again: what must be proven about earlier attempts before another one is admitted.
import { includes } from '../../effect/coverage.ts'
import { denialsOf } from '../../effect/denial.ts'
import { evidenceOf } from '../../effect/effect-evidence.ts'
import type { Attempt, Effect, Observation, ProofKind } from '../../effect/effect.ts'
import { generationStartedAt, keyStillValid, nextGeneration } from '../../effect/generation.ts'
import type { Reference } from '../../effect/reference.ts'
import { restsOnSettlement } from '../../effect/settlement.ts'
import type { Definition } from '../definition/definition.ts'
import { personReason } from '../lifecycle/attention.ts'

/** What the rules of a resend need to know of a definition. */
type ResendRules = Pick<Definition, 'acceptProof' | 'target' | 'attemptsMax' | 'executeTimeoutMs' | 'inFlightMs'>

/**
 * Whether a final absence with this proof allows the effect to be sent again: the kind is accepted for it, the target
 * runs a key at most once and still remembers it, and attempts are left. Spec: design D10, rules R5.
 */
export function resendAllowed(rules: ResendRules, effect: Effect, proof: ProofKind | null, now: number): boolean {
  if (proof === null || !rules.acceptProof.resend.includes(proof)) return false
  // Under a key that is used up the target would only repeat its refusal.
  if (proof === 'key_consumed' && nextKeyStartedAt(effect) !== null) return false
  return effect.attempts.length < rules.attemptsMax && keyRemembered(rules, effect, now)
}

/** Whether the target deduplicates the key that the next attempt would carry. */
export function keyRemembered(rules: ResendRules, effect: Effect, now: number): boolean {
  const { target, executeTimeoutMs, inFlightMs } = rules
  if (target.keyLifetimeMs === null) return false
  const startedAt = nextKeyStartedAt(effect)
  return keyStillValid({ startedAt, keyLifetimeMs: target.keyLifetimeMs, now, executeTimeoutMs, inFlightMs })
}

// When the target can first have seen the key that the next attempt would carry; null if it never did.
function nextKeyStartedAt({ attempts, observations }: Effect): number | null {
  return generationStartedAt(attempts, nextGeneration(attempts, observations))
}

/** How each earlier attempt is known not to have had an effect. */
export type Closing = 'own_word' | 'evidence'

/**
 * Whether every earlier attempt was closed by the executor's own word inside its lease; otherwise one of them rests on
 * absence, terminal failure or an operator, and more is asked before another attempt. Spec: rules R1.
 */
export function closedBy(effect: Effect): Closing {
  return effect.attempts.every((attempt) => closedByOwnWord(effect, attempt)) ? 'own_word' : 'evidence'
}

/**
 * Whether the read that was made just now lets another attempt be admitted. `looked` is that read, stored as an
 * observation of the effect, and it must speak of every earlier attempt; `target` is where the next attempt would go. To
 * another target than that of an earlier attempt, nothing weaker than the earlier target's own refusal or cancellation
 * leads. What is on record stands above one read: an effect that is not FAILED, or that asks for a person, is not free.
 * Spec: rules R1 and R2, trace S12.
 */
export function lookedEnough(
  rules: ResendRules,
  effect: Effect,
  looked: Observation,
  target: string,
  now: number,
): boolean {
  const { attempts } = effect
  if (evidenceOf(effect).status !== 'FAILED' || personReason(effect) !== null) return false
  if (!attempts.every((one) => one.target === looked.target && includes(looked.covers, one.number))) return false
  if (closedBy(effect) === 'own_word') return saysNothingIsThere(looked)
  if (looked.target !== target && looked.proof !== 'terminal' && looked.proof !== 'cancelled') return false
  return looked.verdict === 'FAILED' && resendAllowed(rules, effect, looked.proof, now)
}

/**
 * From when on approvals count for a proposal that takes the effect over from another: since the last earlier attempt
 * that rests on evidence was closed. Null where all of them count, as they do for an own resend. Spec: rules R1.
 */
export function approvalsFrom(effect: Effect, claimant: Reference): number | null {
  if (effect.owner === null || effect.owner === claimant) return null
  const resting = effect.attempts.filter((attempt) => !closedByOwnWord(effect, attempt))
  const closedAt = resting.map((attempt) => firstClosedAt(effect, attempt)).filter(Number.isFinite)
  return closedAt.length === 0 ? null : Math.max(...closedAt)
}

// An answer without the right echo is stored as unavailable, so these are healthy. A refusal on record is no less than an
// absence.
function saysNothingIsThere({ answer }: Observation): boolean {
  return (
    answer === 'provisional_absence' ||
    answer === 'authoritative_final_absence' ||
    answer === 'verified_terminal_failure'
  )
}

// What a person had to settle was not closed by what had been said of it before.
function firstClosedAt(effect: Effect, attempt: Attempt): number {
  const { settlement } = effect
  if (settlement?.verdict === 'did_not_occur' && restsOnSettlement(effect, attempt.number)) return settlement.at
  return Math.min(...denialsOf(effect, attempt).map(({ endedAt }) => endedAt))
}

// That nothing was sent is no less true when it is recorded after the lease: the runtime itself may end an attempt so.
function closedByOwnWord(effect: Effect, { number, ending, leaseUntil }: Attempt): boolean {
  if (ending === null || ending.evidence !== 'FAILED' || restsOnSettlement(effect, number)) return false
  return ending.kind === 'not_sent' || ending.at < leaseUntil
}
