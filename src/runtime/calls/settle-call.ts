// Settling an attempt of a guarded call: how it ended is stored, and without a verifier also what follows from it.
import { ActionPersistenceError } from '../../effect/calls/action-error.ts'
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import { callStatuses } from '../../effect/calls/call-evidence.ts'
import type { CallInput } from '../../effect/calls/call-input.ts'
import { withProgress } from '../../effect/calls/call-changes.ts'
import type { CallProgress, GuardedCall } from '../../effect/calls/guarded-call.ts'
import { type JsonValue, parseCanonicalJson } from '../../effect/canonical-json.ts'
import { openAttempt } from '../../effect/effect-evidence.ts'
import type { Attempt, Effect } from '../../effect/effect.ts'
import { withEnded } from '../../effect/effect-changes.ts'
import { parseReasonCode } from '../../effect/reference.ts'
import { effectWrite } from '../effect-write.ts'
import { LOST_RACE } from '../rounds.ts'
import { type CallCore, callChange } from './call-core.ts'
import { decided } from './decide-retry.ts'
import type { OperationWord } from './operation-word.ts'
import { asked, demanded, untilWon } from './persistence.ts'
import { recordObservation } from './record-observation.ts'

/** The attempt that was called, and what its call said. */
export interface Ended {
  readonly input: CallInput
  readonly attempt: Attempt
  readonly word: OperationWord
  /** A verifier is asked next, so that nothing is decided yet. */
  readonly verified: boolean
}

/**
 * Stores how a call ended. If somebody has raised the fence meanwhile and ended the attempt, the word is late: kept as an
 * observation, in which only that something happened still counts (rules R4).
 * @throws ActionPersistenceError with what was seen; the claim stays PENDING, or is completed if only the answer was lost.
 */
export async function settleCall(core: CallCore, call: GuardedCall, ended: Ended): Promise<GuardedCall> {
  let known = call
  return untilWon(
    async () => {
      const { after, progress } = settling(core, known, ended)
      const effect = effectWrite(after, known.effect.version, {
        ended: { number: ended.attempt.number, token: ended.attempt.token, ending: ended.word.ending, detail: null },
      })
      const change = callChange(core, { effect, call: { kind: 'progress', ...progress } })
      const answer = await asked(() => core.store.commit(change))
      if (answer.kind === 'failed') throw persistenceError(known, after, ended, answer.cause)
      if (answer.value.kind === 'committed') return withProgress({ ...known, effect: after }, progress)
      const observed = { receipt: actionReceipt(known), ...seenOf(after, ended) }
      const read = await demanded(() => core.store.call(ended.input.key), 'yes', observed)
      if (read === null || openAttempt(read.effect)?.token !== ended.attempt.token) return recordLate(core, ended)
      known = read
      return LOST_RACE
    },
    'yes',
    { receipt: actionReceipt(call) },
  )
}

function settling(
  core: CallCore,
  { effect }: GuardedCall,
  { input, attempt, word, verified }: Ended,
): { readonly after: Effect; readonly progress: CallProgress } {
  const after = withEnded(effect, attempt.number, word.ending)
  const ended = { number: attempt.number, error: word.errorText, isRetryable: word.isRetryable }
  if (verified) return { after, progress: { ended, decided: [], completedAt: null } }
  return { after, progress: { ended, ...decided(core, input.policy, after, word.isRetryable) } }
}

/** Keeps a word that came after its attempt was ended. */
export async function recordLate(core: CallCore, { input, attempt, word }: Ended): Promise<GuardedCall> {
  const { evidence, kind, at, reason, externalReference } = word.ending
  return recordObservation(core, {
    key: input.key,
    observation: {
      source: 'executor',
      answer: kind,
      verdict: evidence === 'CONFIRMED' ? 'CONFIRMED' : 'UNKNOWN',
      covers: { from: attempt.number, to: attempt.number },
      target: attempt.target,
      proof: null,
      flags: ['late'],
      reason: evidence === 'FAILED' ? parseReasonCode('late_word', '') : reason,
      externalReference,
      matches: null,
      beganAt: attempt.startedAt,
      endedAt: at,
    },
    progress: () => null,
    invoked: 'yes',
  })
}

function persistenceError(known: GuardedCall, after: Effect, ended: Ended, cause: unknown): ActionPersistenceError {
  return new ActionPersistenceError('yes', { receipt: actionReceipt(known), ...seenOf(after, ended) }, cause)
}

// Diagnosis for whoever catches the error: under the reserved name of the receipt stands what was seen, and not stored.
function seenOf(
  after: Effect,
  { input, word }: Ended,
): Omit<ConstructorParameters<typeof ActionPersistenceError>[1], 'receipt'> {
  const observedStatus = callStatuses(after).final
  const metadata = parseCanonicalJson(input.metadata) as Readonly<Record<string, JsonValue>>
  const { externalReference } = word.ending
  const ids = externalReference === null ? {} : { provider_request_ids: [externalReference] }
  const isValue = observedStatus === 'CONFIRMED' && word.returned !== null
  return {
    observedStatus,
    observedMetadata: { ...metadata, ...ids },
    ...(isValue && word.returned !== null ? { value: word.returned } : {}),
  }
}
