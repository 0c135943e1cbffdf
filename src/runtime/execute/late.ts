// Late words: what an executor said after its attempt was ended by somebody else is kept, and proves nothing negative.
import { mayHaveOccurred } from '../../effect/effect-evidence.ts'
import type { Effect, ObservationFlag } from '../../effect/effect.ts'
import type { ExecutorWord } from '../../proposal/answers/executor-word.ts'
import { claimedEffect } from '../claimed-effect.ts'
import type { Core } from '../core.ts'
import { isErased } from '../verify/neighbour.ts'
import { recordEvidence } from '../verify/record-evidence.ts'
import type { Admitted } from './settle-attempt.ts'

/** Listens to a call that outlived its lease; the runtime holds on to what it listens to, and nobody else waits for it. */
export function hearLate(core: Core, admitted: Admitted, word: Promise<ExecutorWord>): void {
  core.hearing.set(admitted.attempt.token, hear(core, admitted, word))
}

async function hear(core: Core, admitted: Admitted, word: Promise<ExecutorWord>): Promise<void> {
  const { proposal, attempt } = admitted
  try {
    await recordLate(core, admitted, await word)
  } catch {
    // Nobody is left to be told; reconciliation finds out what the call did.
    const fields = { proposal: proposal.ref, attempt: attempt.number }
    core.logger.error(fields, 'a late word of an executor could not be stored')
  } finally {
    core.hearing.delete(attempt.token)
  }
}

/**
 * Keeps a late word as an observation of its attempt, and a receipt `late`. A reference for an attempt that was closed as
 * having had no effect, or another reference than the confirmed one, asks for a look at once. Spec: rules R4 and R11.
 */
export async function recordLate(core: Core, admitted: Admitted, word: ExecutorWord): Promise<void> {
  const { attempt, effect: key, actor } = admitted
  const effect = await claimedEffect(core, key)
  const { ending } = word
  // After erasure a late word is kept as what was said and when, and as nothing that names anything (rules R19).
  const isGone = await isErased(core, key.tenant, admitted.proposal.ref)
  const surprising = isSurprising(effect, admitted, word)
  const flags: readonly ObservationFlag[] = surprising ? ['late', 'reference_differs'] : ['late']
  await recordEvidence(core, {
    key,
    observation: {
      source: 'executor',
      answer: ending.kind,
      verdict: 'UNKNOWN',
      covers: { from: attempt.number, to: attempt.number },
      target: attempt.target,
      proof: null,
      flags,
      reason: isGone ? null : ending.reason,
      externalReference: isGone ? null : ending.externalReference,
      matches: null,
      beganAt: attempt.startedAt,
      endedAt: ending.at,
    },
    spends: null,
    inFlightMs: admitted.registered.definition.inFlightMs,
    receipt: 'execution.late',
    follow: () => ({ givenUp: null, resendAllowed: false }),
    dueAt: (after) => (surprising ? core.clock.now() : after.verifyDueAt),
    sealFacts: null,
    sealedFor: null,
    result: null,
    actor,
  })
}

function isSurprising(effect: Effect, { attempt }: Admitted, { ending }: ExecutorWord): boolean {
  if (ending.kind !== 'accepted') return false
  if (!mayHaveOccurred(effect, attempt)) return true
  const confirmed = effect.observations.filter(({ verdict }) => verdict === 'CONFIRMED')
  return confirmed.some(
    ({ externalReference }) =>
      externalReference !== null && ending.externalReference !== null && externalReference !== ending.externalReference,
  )
}
