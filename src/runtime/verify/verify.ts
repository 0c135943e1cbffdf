// Verifying: one look at the target, recorded, with what follows from it for the proposals behind the effect.
import { isAnnouncedAfter } from '../../effect/announcement.ts'
import type { Effect } from '../../effect/effect.ts'
import type { Judged } from '../../proposal/answers/judge-verification.ts'
import type { ReceiptType } from '../../proposal/receipts/receipt.ts'
import { resendAllowed } from '../../proposal/claim/resend.ts'
import { budgetSpent, nextLookAt } from '../../proposal/answers/verification-schedule.ts'
import { attemptResult } from '../execute/attempt-detail.ts'
import { type Core, openKey } from '../core.ts'
import { lookAtTarget } from './look.ts'
import { isErased } from './neighbour.ts'
import type { LiveProposal } from '../ports.ts'
import type { Actor } from '../record.ts'
import { type RecordedEvidence, recordEvidence } from './record-evidence.ts'
import type { Registered } from '../registry.ts'
import type { ProposalKey } from '../keys/sealing.ts'

/**
 * Looks once and records what was seen. Null if the definition's target was never called for this effect, so that there
 * is nothing its verifier could say.
 * @throws ContentUnavailable when the owner's content cannot be opened; nothing was asked then.
 */
export async function verifyEffect(
  core: Core,
  registered: Registered,
  effect: Effect,
  owner: LiveProposal,
  actor: Actor,
): Promise<RecordedEvidence | null> {
  const { definition } = registered
  const judged = await lookAtTarget(core, registered, effect, owner)
  if (judged === null) return null
  const key = await openKey(core, owner)
  const { observation, factsText } = await asItMayBeKept(core, owner, judged)
  return recordEvidence(core, {
    key: effect.key,
    observation,
    spends: judged.spends,
    inFlightMs: definition.inFlightMs,
    receipt: `verification.${observation.answer}` as Extract<ReceiptType, `verification.${string}`>,
    follow: (after) => ({
      givenUp: budgetSpent(definition, after),
      resendAllowed:
        observation.answer === 'authoritative_final_absence' &&
        resendAllowed(definition, after, observation.proof, core.storeClock.latest()),
    }),
    dueAt: (after, moved) => {
      const now = core.clock.now()
      // What the provider announced while this look was under way may have come after what it saw.
      if (isAnnouncedAfter(after, effect.observations.length)) return now
      return nextLookAt(definition, after, moved, now, core.ids.fraction())
    },
    sealFacts: factsText === null ? null : (sequence) => key.seal(`facts:${sequence}`, factsText),
    sealedFor: factsText === null ? null : owner.proposal.ref,
    result: await sealedResult(core, effect, owner, judged, key),
    actor,
  })
}

// Erased while it was being looked at: what remains is the verdict, the attempts and the time (rules R19).
async function asItMayBeKept(core: Core, { proposal }: LiveProposal, judged: Judged): Promise<Judged> {
  if (!(await isErased(core, proposal.tenant, proposal.ref))) return judged
  const observation = { ...judged.observation, reason: null, externalReference: null }
  return { ...judged, observation, factsText: null, resultText: null }
}

// The verifier's result; without one the executor's, but only if both speak of the same thing at the target.
async function sealedResult(
  core: Core,
  effect: Effect,
  owner: LiveProposal,
  { observation, resultText }: Judged,
  key: ProposalKey,
): Promise<Uint8Array | null> {
  if (observation.verdict !== 'CONFIRMED') return null
  const text = resultText ?? (await attemptResult(core, effect, owner.proposal.ref, observation.externalReference, key))
  return text === null ? null : key.seal('result', text)
}
