// Looking again: before another attempt is admitted, the target is asked once more about the earlier ones.
import type { Effect } from '../../effect/effect.ts'
import { ContentUnavailable } from '../../proposal/errors.ts'
import { outcomeOf } from '../../proposal/lifecycle/verdict.ts'
import { lookedEnough } from '../../proposal/claim/resend.ts'
import { blocked, type Execution, type Round } from './execution.ts'
import type { LiveProposal } from '../ports.ts'
import type { RecordedEvidence } from '../verify/record-evidence.ts'
import { resultOf } from '../result.ts'
import { LOST_RACE } from '../rounds.ts'
import { attemptsOfTarget } from '../verify/look.ts'
import { verifyEffect } from '../verify/verify.ts'

/** Either the execution ends here, or the effect and the claimant as they now are. */
export type LookedAgain =
  | { readonly kind: 'answered'; readonly answer: Round }
  | { readonly kind: 'clear'; readonly stored: LiveProposal; readonly effect: Effect }

/**
 * Asks the verifier of the earlier attempts once, after this execution's resolution. Its answer is stored and the owner's
 * status follows; only an absence as strong as the rules ask for lets another attempt through. Spec: rules R1.
 */
export async function lookAgain(execution: Execution, effect: Effect): Promise<LookedAgain> {
  const { core, stored, registered } = execution
  const { tenant, ref } = stored.proposal
  const owner = effect.owner === ref ? stored : await core.store.proposal(tenant, effect.owner ?? ref)
  const looked = owner?.kind === 'live' ? await lookOnce(execution, effect, owner) : null
  const now = await core.store.proposal(tenant, ref)
  if (now?.kind !== 'live') return { kind: 'answered', answer: LOST_RACE }
  const claimant = { ...execution, stored: now }
  if (now.proposal.status !== 'approved') {
    const moved = looked?.moves.get(ref)
    const said = moved ?? { outcome: outcomeOf(now.proposal.status), reason: null }
    return { kind: 'answered', answer: await resultOf(core, execution.session, now, said) }
  }
  if (looked === null || !isClear(registered.definition, looked, core.storeClock.latest())) {
    return { kind: 'answered', answer: await blocked(claimant, 'earlier_attempt') }
  }
  return { kind: 'clear', stored: now, effect: looked.effect }
}

function isClear(
  definition: Execution['registered']['definition'],
  { effect, observation }: RecordedEvidence,
  now: number,
): boolean {
  return lookedEnough(definition, effect, observation, definition.target.name, now)
}

// Only a verifier that can speak of every earlier attempt clears them: attempts at several targets are for a person.
async function lookOnce(execution: Execution, effect: Effect, owner: LiveProposal): Promise<RecordedEvidence | null> {
  const { core, actor } = execution
  const verifying = core.registry.verifying(owner.proposal.action)
  if (verifying === null || attemptsOfTarget(verifying, effect).length < effect.attempts.length) return null
  try {
    return await verifyEffect(core, verifying, effect, owner, actor)
  } catch (error) {
    if (error instanceof ContentUnavailable) return null
    throw error
  }
}
