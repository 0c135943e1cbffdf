// Recording evidence: facts first. An observation and the status that follows from it go in one change while both guards hold.
import { coverageWhenStored } from '../../effect/coverage.ts'
import type { Effect, Observation } from '../../effect/effect.ts'
import { type Spent, withObserved, withVerificationDue } from '../../effect/effect-changes.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { Reference } from '../../effect/reference.ts'
import { verdictWhenStored } from '../../effect/settling-boundary.ts'
import { isWorthKeeping } from '../../effect/thinning.ts'
import { Refusal } from '../../proposal/errors.ts'
import type { Evidenced } from '../../proposal/lifecycle/follow-evidence.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import type { Move } from '../../proposal/lifecycle/verdict.ts'
import type { Proposal } from '../../proposal/proposal.ts'
import { proposalsBehind } from './behind.ts'
import { claimedEffect } from '../claimed-effect.ts'
import type { Core } from '../core.ts'
import { effectWrite } from '../effect-write.ts'
import type { LiveProposal, ObservationInsert, Sealed } from '../ports.ts'
import { type Actor, changeOf, commitTried, type Recorded } from '../record.ts'
import { LOST_RACE, untilStored } from '../rounds.ts'

/** Something that was seen of an effect, to be stored whatever stands in the way. */
export interface Seen {
  readonly key: EffectKey
  readonly observation: Omit<Observation, 'sequence'>
  readonly spends: Spent
  /** The target's time in flight, by which a failure may turn out to have been read too early. */
  readonly inFlightMs: number
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
  let together: RecordedEvidence | null
  try {
    together = await untilStored(() => recordTogether(core, seen))
  } catch (error) {
    // A store out of reach takes nothing; what a status or a trigger refuses must not take the evidence with it.
    if (!(error instanceof Refusal)) await appendAlone(core, seen)
    throw error
  }
  return together ?? followLater(core, seen, await appendAlone(core, seen))
}

/** Null where a proposal is in the way; nothing was stored then. */
async function recordTogether(core: Core, seen: Seen): Promise<RecordedEvidence | null | typeof LOST_RACE> {
  const effect = await claimedEffect(core, seen.key)
  const grown = grownBy(effect, seen)
  const proposals = await proposalsBehind(core, grown.effect)
  const moves = movesAfter(core, grown.effect, proposals, seen)
  const owner = ownerAfter(grown.effect, proposals, moves)
  const after = { ...grown.effect, verifyDueAt: owner === null ? null : seen.dueAt(grown.effect, owner) }
  const write = effectWrite(after, effect.version, { observed: grown.inserted })
  const answer = await commitTried(core, changeOf(core, seen.key.tenant, moves, { effect: write }))
  if (answer.kind === 'committed') return recorded(after, grown.observation, moves)
  return answer.on === 'effect' ? LOST_RACE : null
}

async function appendAlone(core: Core, seen: Seen): Promise<Observation> {
  return untilStored(async () => {
    const effect = await claimedEffect(core, seen.key)
    const grown = grownBy(effect, seen)
    // Due at once: should nobody get to follow it up, the next look does.
    const due = { ...grown.effect, verifyDueAt: core.clock.now() }
    const write = effectWrite(due, effect.version, { observed: grown.inserted })
    const answer = await commitTried(core, changeOf(core, seen.key.tenant, [], { effect: write }))
    return answer.kind === 'committed' ? grown.observation : LOST_RACE
  })
}

// Once the evidence is stored, the status is followed up until it, too, is.
async function followLater(core: Core, seen: Seen, observation: Observation): Promise<RecordedEvidence> {
  return untilStored(async () => {
    const effect = await claimedEffect(core, seen.key)
    const proposals = await proposalsBehind(core, effect)
    const moves = movesAfter(core, effect, proposals, seen)
    const owner = ownerAfter(effect, proposals, moves)
    const dueAt = owner === null ? null : seen.dueAt(effect, owner)
    const after = { ...effect, version: effect.version + 1, verifyDueAt: dueAt }
    const write = effectWrite(after, effect.version)
    const answer = await commitTried(core, changeOf(core, seen.key.tenant, moves, { effect: write }))
    return answer.kind === 'committed' ? recorded(after, observation, moves) : LOST_RACE
  })
}

interface Grown {
  /** With what was seen counted against its budget; the next look is still due when it was. */
  readonly effect: Effect
  readonly observation: Observation
  /** Null where it says nothing new beyond the limit of what is kept. */
  readonly inserted: ObservationInsert | null
}

function grownBy(before: Effect, { observation: told, spends, inFlightMs, sealFacts, sealedFor }: Seen): Grown {
  const seen = {
    ...told,
    verdict: verdictWhenStored(before, told, inFlightMs),
    covers: coverageWhenStored(before.attempts, told),
  }
  const observation = { ...seen, sequence: before.observations.length + 1 }
  const isKept = isWorthKeeping(before, seen)
  const effect = isKept ? withObserved(before, seen) : { ...before, version: before.version + 1 }
  const facts = sealFacts === null ? null : sealFacts(observation.sequence)
  return {
    effect: withVerificationDue(effect, before.verifyDueAt, spends),
    observation,
    inserted: isKept ? { observation, facts, sealedFor } : null,
  }
}

function movesAfter(core: Core, effect: Effect, proposals: readonly LiveProposal[], seen: Seen): readonly Recorded[] {
  const { observation, receipt, actor, result } = seen
  const { answer, externalReference } = observation
  const follow = seen.follow(effect)
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

function recorded(effect: Effect, observation: Observation, moves: readonly Recorded[]): RecordedEvidence {
  return { effect, observation, moves: new Map(moves.map(({ move }) => [move.proposal.ref, move])) }
}
