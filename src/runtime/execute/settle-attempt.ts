// Settling an attempt: how the call went is stored, and what the proposal is from then on.
import { withEnded, withVerificationDue } from '../../effect/effect-changes.ts'
import type { Attempt, AttemptEnding, Effect } from '../../effect/effect.ts'
import { openAttempt } from '../../effect/effect-evidence.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import { Refusal, PersistenceOutcomeUnknown } from '../../proposal/errors.ts'
import { evaluatePolicy } from '../../proposal/policy/evaluate-policy.ts'
import type { ExecutorWord } from '../../proposal/answers/executor-word.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import type { Move } from '../../proposal/lifecycle/verdict.ts'
import type { Proposal } from '../../proposal/proposal.ts'
import type { Core } from '../core.ts'
import { effectWrite } from '../effect-write.ts'
import { recordLate } from './late.ts'
import type { LiveProposal } from '../ports.ts'
import { type Actor, changeOf, commitTried, type Recorded } from '../record.ts'
import type { Registered } from '../registry.ts'
import { LOST_RACE, tried, untilStored } from '../rounds.ts'
import { sealDetail } from './attempt-detail.ts'
import type { ProposalKey } from '../keys/sealing.ts'

/** For so long after it is due only the instance that made the call verifies it, so that nobody needs a commit for it. */
const FIRST_LOOK_GRACE_MS = 5_000

/** The attempt of an admitted proposal, and what is needed to settle it. */
export interface Admitted {
  readonly registered: Registered
  readonly proposal: Proposal
  readonly effect: EffectKey
  readonly attempt: Attempt
  readonly key: ProposalKey
  readonly actor: Actor
}

/** How the proposal was moved; null where it was not: a word that comes too late leaves the status to the evidence. */
export interface Settled {
  readonly move: Move | null
}

/**
 * Stores how the call of an attempt ended.
 * @throws PersistenceOutcomeUnknown, with what was seen of the call, when the store stays out of reach; nothing is called
 * again, and reconciliation finds out.
 */
export async function settleAttempt(core: Core, admitted: Admitted, word: ExecutorWord): Promise<Settled> {
  try {
    return await untilStored(() => settleOnce(core, admitted, word))
  } catch (cause) {
    throw outcomeUnknown(admitted, word, cause)
  }
}

/** What is thrown once a call was made whose end could not be stored or read; a fault of our own stays what it is. */
export function outcomeUnknown({ attempt }: Admitted, { ending }: ExecutorWord, cause: unknown): unknown {
  if (!(cause instanceof Refusal)) return cause
  return new PersistenceOutcomeUnknown({ attempt: attempt.number, ending: ending.kind }, { cause })
}

async function settleOnce(core: Core, admitted: Admitted, word: ExecutorWord): Promise<Settled | typeof LOST_RACE> {
  const { attempt, effect: key, registered } = admitted
  const effect = await tried(() => core.store.effect(key))
  if (effect === null || openAttempt(effect)?.token !== attempt.token) return late(core, admitted, word)

  const after = withFirstLook(core, withEnded(effect, attempt.number, word.ending), registered, word.ending)
  const ended = {
    number: attempt.number,
    token: attempt.token,
    ending: word.ending,
    detail: sealDetail(admitted.key, attempt.number, word),
  }
  const write = effectWrite(after, effect.version, { ended })
  const recorded = await recordedMove(core, admitted, after, word.ending)
  const moves = recorded === null ? [] : [recorded]
  const answer = await commitTried(core, changeOf(core, key.tenant, moves, { effect: write }))
  if (answer.kind === 'committed') return { move: recorded?.move ?? null }
  if (answer.on === 'fenced') return late(core, admitted, word)
  if (answer.on === 'effect') return LOST_RACE

  // A proposal is in the way: the fact alone at once, the status after it (rules R3).
  const alone = await commitTried(core, changeOf(core, key.tenant, [], { effect: write }))
  if (alone.kind === 'conflict') return LOST_RACE
  return untilStored(() => followOnce(core, admitted, after, word.ending))
}

async function followOnce(
  core: Core,
  admitted: Admitted,
  effect: Effect,
  ending: AttemptEnding,
): Promise<Settled | typeof LOST_RACE> {
  const recorded = await recordedMove(core, admitted, effect, ending)
  if (recorded === null) return { move: null }
  const answer = await commitTried(core, changeOf(core, effect.key.tenant, [recorded]))
  return answer.kind === 'committed' ? { move: recorded.move } : LOST_RACE
}

async function recordedMove(
  core: Core,
  { proposal, attempt, actor }: Admitted,
  effect: Effect,
  ending: AttemptEnding,
): Promise<Recorded | null> {
  const stored = await tried(() => core.store.proposal(proposal.tenant, proposal.ref))
  if (stored?.kind !== 'live') return null
  const now = core.clock.now()
  const end = { attempt: attempt.number, ending, effect, policyMet: isPolicyMet(stored, now) }
  const move = lifecycle.settleCall(stored.proposal, end, now)
  return move.kind === 'move' ? { stored, move, actor } : null
}

function isPolicyMet({ proposal, approvals }: LiveProposal, now: number): boolean {
  return evaluatePolicy(proposal.policy, approvals, { now, commitment: proposal.commitment }).met
}

// What was accepted needs a moment to become visible; what ended without proof, or was announced meanwhile, is looked into
// at once.
function withFirstLook(core: Core, effect: Effect, { definition }: Registered, ending: AttemptEnding): Effect {
  const isAnnounced = effect.verifyDueAt !== null
  if (ending.evidence === 'FAILED' && !isAnnounced) return withVerificationDue(effect, null, null)
  const isSoonVisible = ending.kind === 'accepted' && !isAnnounced
  const dueAt = core.clock.now() + (isSoonVisible ? definition.verification.delayMs : 0)
  const verifyLease = { holder: core.instance, until: dueAt + FIRST_LOOK_GRACE_MS }
  return { ...withVerificationDue(effect, dueAt, null), verifyLease }
}

async function late(core: Core, admitted: Admitted, word: ExecutorWord): Promise<Settled> {
  await recordLate(core, admitted, word)
  return { move: null }
}
