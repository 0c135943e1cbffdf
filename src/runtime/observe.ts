// Observe: a service passes on what a provider announced. It is no evidence; it makes a look at the target due now.
import { withObserved, withVerificationDue } from '../effect/effect-changes.ts'
import type { Effect, Observation } from '../effect/effect.ts'
import { isReference, type Reference } from '../effect/reference.ts'
import { MalformedReference, NotFound, NotPermitted } from '../proposal/errors.ts'
import { lifecycle } from '../proposal/lifecycle/lifecycle.ts'
import { stay } from '../proposal/lifecycle/verdict.ts'
import { principalName } from '../proposal/principal.ts'
import type { CallerSession } from '../proposal/session.ts'
import { demand } from './authority.ts'
import type { Core } from './core.ts'
import { effectWrite } from './effect-write.ts'
import type { LiveProposal } from './ports.ts'
import { changeOf, type Recorded } from './record.ts'
import { type OperationResult, resultOf } from './result.ts'
import { LOST_RACE, untilStored } from './rounds.ts'

export interface ObserveInput {
  /** The idempotency key that the executor handed to the provider. */
  readonly idempotencyKey: string
  /** The provider's id of the event; the same one twice is one. */
  readonly eventId: string
}

/**
 * Brings the verification of an effect forward. Only services may, and only with the right to observe.
 * Spec: rules R7, trace S45.
 * @throws NotFound for a key that no attempt of this tenant carries.
 */
export async function observe(core: Core, session: CallerSession, input: ObserveInput): Promise<OperationResult> {
  const { idempotencyKey, eventId } = input
  if (!isReference(eventId)) throw new MalformedReference('/eventId')
  if (session.principal.kind !== 'service') throw new NotPermitted()
  const key = await core.store.effectByIdempotencyKey(session.tenant, idempotencyKey)
  if (key === null) throw new NotFound()
  return untilStored(async () => {
    const effect = await core.store.effect(key)
    const stored = effect?.owner == null ? null : await core.store.proposal(session.tenant, effect.owner)
    if (effect === null || stored?.kind !== 'live') throw new NotFound()
    const registered = core.registry.permitting(stored.proposal.action)
    if (registered === null) throw new NotFound()
    await demand(core, registered.definition, 'observe', session, { proposal: stored.proposal })
    if (isKnown(effect, eventId)) return resultOf(core, session, stored, stay('observed'))
    return announce(core, session, effect, stored, idempotencyKey, eventId)
  })
}

async function announce(
  core: Core,
  session: CallerSession,
  effect: Effect,
  stored: LiveProposal,
  idempotencyKey: string,
  eventId: Reference,
): Promise<OperationResult | typeof LOST_RACE> {
  const now = core.clock.now()
  const observed = withObserved(effect, announcement(effect, idempotencyKey, eventId, now))
  // A call that is under way is looked into when it has ended; nobody is asked before that.
  const due = withVerificationDue(observed, now, null)
  const observation = observed.observations.at(-1)
  if (observation === undefined) throw new Error('an observation was just added')
  const write = effectWrite(due, effect.version, { observed: { observation, facts: null, sealedFor: null } })
  const move = lifecycle.observe(stored.proposal, now)
  const actor = { participant: null, trigger: principalName(session.principal) }
  const moves: Recorded[] = move.kind === 'move' ? [{ stored, move, actor }] : []
  const answer = await core.store.commit(changeOf(core, session.tenant, moves, { effect: write }))
  if (answer.kind === 'conflict') return LOST_RACE
  const after = move.kind === 'move' ? { ...stored, proposal: move.proposal } : stored
  return resultOf(core, session, after, stay('observed'))
}

function isKnown(effect: Effect, eventId: Reference): boolean {
  return effect.observations.some(
    ({ source, externalReference }) => source === 'event' && externalReference === eventId,
  )
}

// Bound to the attempts that carried the key; it removes no world.
function announcement(
  effect: Effect,
  idempotencyKey: string,
  eventId: Reference,
  now: number,
): Omit<Observation, 'sequence'> {
  const attempts = effect.attempts.filter((attempt) => attempt.idempotencyKey === idempotencyKey)
  const [first, last] = [attempts[0], attempts.at(-1)]
  if (first === undefined || last === undefined) throw new Error('the key was found among the attempts')
  return {
    source: 'event',
    answer: 'announced',
    verdict: 'UNKNOWN',
    covers: { from: first.number, to: last.number },
    target: first.target,
    proof: null,
    flags: [],
    reason: null,
    externalReference: eventId,
    matches: null,
    beganAt: now,
    endedAt: now,
  }
}
