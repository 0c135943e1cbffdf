// Recording evidence: facts first. An observation and the status that follows from it go in one change while both guards hold.
import type { Effect, Observation } from '../effect/effect.ts'
import { type Spent, withObserved, withVerificationDue } from '../effect/effect-changes.ts'
import type { EffectKey } from '../effect/effect-key.ts'
import type { Reference } from '../effect/reference.ts'
import type { Evidenced } from '../proposal/lifecycle/follow-evidence.ts'
import { lifecycle } from '../proposal/lifecycle/lifecycle.ts'
import type { Move } from '../proposal/lifecycle/verdict.ts'
import type { Proposal } from '../proposal/proposal.ts'
import { proposalsBehind } from './behind.ts'
import type { Core } from './core.ts'
import { effectWrite } from './effect-write.ts'
import type { LiveProposal, ObservationInsert, Sealed } from './ports.ts'
import { type Actor, changeOf, type Recorded } from './record.ts'
import { LOST_RACE, untilStored } from './rounds.ts'

/** Something that was seen of an effect, to be stored whatever stands in the way. */
export interface Seen {
  readonly key: EffectKey
  readonly observation: Omit<Observation, 'sequence'>
  readonly spends: Spent
  readonly receipt: Evidenced['receipt']
  /** What the status needs to know, once the observation is in the effect. */
  readonly follow: (effect: Effect) => Pick<Evidenced, 'givenUp' | 'resendAllowed'>
  /** When to look again, given the effect and its owner after this. */
  readonly dueAt: (effect: Effect, owner: Proposal) => number | null
  /** The facts as they were returned, sealed for the sequence that they get. */
  readonly sealFacts: ((sequence: number) => Sealed) | null
  readonly sealedFor: Reference | null
  /** The result, for the owner should this verify it. */
  readonly result: Sealed | null
  readonly actor: Actor
}

/** The effect with the observation in it, and the verdict on the proposal asked about, if it was moved. */
export interface RecordedEvidence {
  readonly effect: Effect
  /** The observation as it was stored. */
  readonly observation: Observation
  readonly moves: ReadonlyMap<Reference, Move>
}

/**
 * Stores an observation and moves the proposals behind the effect. If a proposal is in the way, the evidence alone is
 * stored at once and the status follows in a change of its own; no status can make evidence fail. Spec: rules R3.
 */
export async function recordEvidence(core: Core, seen: Seen): Promise<RecordedEvidence> {
  const { key, observation, spends } = seen
  const together = async (): Promise<RecordedEvidence | typeof LOST_RACE> => {
    const effect = await currentEffect(core, key)
    const observed = withObserved(effect, observation)
    const proposals = await proposalsBehind(core, observed)
    const moves = movesAfter(core, observed, proposals, seen)
    const owner = ownerAfter(observed, proposals, moves)
    const dueAt = owner === null ? null : seen.dueAt(counted(observed, seen), owner)
    const after = withVerificationDue(observed, dueAt, spends)
    const write = effectWrite(after, effect.version, { observed: insertOf(observed, seen) })
    const answer = await core.store.commit(changeOf(core, key.tenant, moves, { effect: write }))
    if (answer.kind === 'committed') return recorded(after, newest(after), moves)
    if (answer.on === 'effect') return LOST_RACE
    return followLater(core, seen, await appendAlone(core, seen))
  }
  return untilStored(together)
}

function appendAlone(core: Core, seen: Seen): Promise<Observation> {
  return untilStored(async () => {
    const effect = await currentEffect(core, seen.key)
    const observed = withObserved(effect, seen.observation)
    const after = withVerificationDue(observed, effect.verifyDueAt, seen.spends)
    const write = effectWrite(after, effect.version, { observed: insertOf(observed, seen) })
    const answer = await core.store.commit(changeOf(core, seen.key.tenant, [], { effect: write }))
    return answer.kind === 'committed' ? newest(after) : LOST_RACE
  })
}

// Once the evidence is stored, the status is followed up until it, too, is.
function followLater(core: Core, seen: Seen, observation: Observation): Promise<RecordedEvidence> {
  return untilStored(async () => {
    const effect = await currentEffect(core, seen.key)
    const moves = movesAfter(core, effect, await proposalsBehind(core, effect), seen)
    const answer = await core.store.commit(changeOf(core, seen.key.tenant, moves))
    return answer.kind === 'committed' ? recorded(effect, observation, moves) : LOST_RACE
  })
}

function movesAfter(core: Core, effect: Effect, proposals: readonly LiveProposal[], seen: Seen): readonly Recorded[] {
  const { observation, receipt, actor, result } = seen
  const { answer, externalReference } = observation
  const follow = seen.follow(counted(effect, seen))
  const now = core.clock.now()
  return proposals.flatMap((stored) => {
    const evidenced = { effect, receipt, answer, externalReference, ...follow }
    const move = lifecycle.followEvidence(stored.proposal, evidenced, now)
    if (move.kind !== 'move') return []
    const isOwner = effect.owner === stored.proposal.ref
    // A former owner is touched only if the evidence changes something about it.
    if (!isOwner && !differs(stored.proposal, move.proposal)) return []
    const withResult = isOwner && move.proposal.status === 'verified' && result !== null
    return [{ stored, move, actor, ...(withResult ? { result } : {}) }]
  })
}

function differs(before: Proposal, after: Proposal): boolean {
  return before.status !== after.status || before.attention.join() !== after.attention.join()
}

function ownerAfter(effect: Effect, proposals: readonly LiveProposal[], moves: readonly Recorded[]): Proposal | null {
  const moved = moves.find(({ stored }) => stored.proposal.ref === effect.owner)
  if (moved !== undefined) return moved.move.proposal
  return proposals.find(({ proposal }) => proposal.ref === effect.owner)?.proposal ?? null
}

// The effect as it will be once the answer has been counted against its budget.
function counted(effect: Effect, { spends }: Seen): Effect {
  return withVerificationDue(effect, effect.verifyDueAt, spends)
}

function insertOf(effect: Effect, { sealFacts, sealedFor }: Seen): ObservationInsert {
  const observation = newest(effect)
  return { observation, facts: sealFacts === null ? null : sealFacts(observation.sequence), sealedFor }
}

function newest(effect: Effect): Observation {
  const observation = effect.observations.at(-1)
  if (observation === undefined) throw new Error('an observation was just added')
  return observation
}

function recorded(effect: Effect, observation: Observation, moves: readonly Recorded[]): RecordedEvidence {
  return { effect, observation, moves: new Map(moves.map(({ move }) => [move.proposal.ref, move])) }
}

async function currentEffect(core: Core, key: EffectKey): Promise<Effect> {
  const effect = await core.store.effect(key)
  if (effect === null) throw new Error('a claimed effect is never deleted')
  return effect
}
