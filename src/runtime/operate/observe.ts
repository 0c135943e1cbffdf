// Observe: a service passes on what a provider announced. It is no evidence; it makes a look at the target due now.
import { announced, isAnnounced, type Announcement } from '../../effect/announcement.ts'
import type { Effect } from '../../effect/effect.ts'
import { isReference } from '../../effect/reference.ts'
import { MalformedReference, NotFound, NotPermitted } from '../../proposal/errors.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import { principalName } from '../../proposal/principal.ts'
import type { CallerSession } from '../../proposal/session.ts'
import { callerOf, may } from '../authority.ts'
import type { Core } from '../core.ts'
import { effectWrite } from '../effect-write.ts'
import type { LiveProposal } from '../ports.ts'
import { changeOf, commit, type Recorded } from '../record.ts'
import { LOST_RACE, untilStored } from '../rounds.ts'

/** What a provider announced. Spec: rules R7. */
export interface ObserveInput {
  /** The idempotency key that the executor handed to the provider. */
  readonly idempotencyKey: string
  /** The provider's id of the event; the same one twice is one. */
  readonly eventId: string
}

/** What became of an announcement, and nothing of the proposal behind it: to observe is not to read. */
export interface ObservationResult {
  /** `replayed` if the event was on record. */
  readonly outcome: 'observed' | 'replayed'
}

/**
 * Brings the verification of an effect forward. Only services may, and only with the right to observe. What is answered
 * without an error is stored. Spec: rules R7, trace S45.
 * @throws NotFound for a key that no attempt of this tenant carries, and to services that may neither observe nor read.
 */
export async function observe(core: Core, session: CallerSession, input: ObserveInput): Promise<ObservationResult> {
  const { idempotencyKey, eventId } = input
  if (!isReference(eventId)) throw new MalformedReference('/eventId')
  if (session.principal.kind !== 'service') throw new NotPermitted('observe')
  if (!isReference(idempotencyKey)) throw new NotFound()
  const key = await core.store.effectByIdempotencyKey(session.tenant, idempotencyKey)
  if (key === null) throw new NotFound()
  return untilStored(async () => {
    const effect = await core.store.effect(key)
    if (effect === null || effect.owner === null) throw new NotFound()
    const owner = await core.store.proposal(session.tenant, effect.owner)
    // What is erased cannot be looked into any more.
    if (owner?.kind !== 'live' || owner.proposal.erasure === 'pending') throw new NotFound()
    await demandObservation(core, session, effect, owner, idempotencyKey)
    if (isAnnounced(effect, eventId)) return { outcome: 'replayed' }
    return announce(core, session, effect, owner, { idempotencyKey, eventId })
  })
}

async function announce(
  core: Core,
  session: CallerSession,
  effect: Effect,
  owner: LiveProposal,
  announcement: Announcement,
): Promise<ObservationResult | typeof LOST_RACE> {
  const now = core.clock.now()
  const after = announced(effect, announcement, now)
  if (after === null) return { outcome: 'observed' }
  const { observation } = after
  const observed = observation === null ? null : { observation, facts: null, sealedFor: null }
  // What is not kept leaves no receipt either.
  const move = observation === null ? null : lifecycle.observe(owner.proposal, now)
  const actor = { participant: null, trigger: principalName(session.principal) }
  const moves: Recorded[] = move?.kind === 'move' ? [{ stored: owner, move, actor }] : []
  const write = effectWrite(after.effect, effect.version, { observed })
  const answer = await commit(core, changeOf(core, session.tenant, moves, { effect: write }))
  return answer.kind === 'committed' ? { outcome: 'observed' } : LOST_RACE
}

// Whose attempt carried the key says who may announce something about it, which may be another action than the owner's.
async function demandObservation(
  core: Core,
  session: CallerSession,
  effect: Effect,
  owner: LiveProposal,
  idempotencyKey: string,
): Promise<void> {
  const carrier = effect.attempts.findLast((attempt) => attempt.idempotencyKey === idempotencyKey)
  const registered = core.registry.permitting(carrier?.action ?? owner.proposal.action)
  if (registered === null) throw new NotFound()
  const { definition } = registered
  const about = { proposal: owner.proposal }
  const caller = callerOf(session)
  if (await may(core, definition, 'observe', caller, about)) return
  throw (await may(core, definition, 'read', caller, about)) ? new NotPermitted('observe') : new NotFound()
}
