// Reconcile: an effect in doubt is looked into, by verification only; a lapsed lease is never evidence.
import { withEnded, withFenceRaised, withVerificationDue } from '../../effect/effect-changes.ts'
import { evidenceOf, openAttempt } from '../../effect/effect-evidence.ts'
import type { Attempt, AttemptEnding, Effect } from '../../effect/effect.ts'
import { ContentUnavailable, NotFound } from '../../proposal/errors.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import { outcomeOf, reason, stay, type Verdict } from '../../proposal/lifecycle/verdict.ts'
import { principalName } from '../../proposal/principal.ts'
import type { CallerSession } from '../../proposal/session.ts'
import { isInDoubt } from '../../proposal/status.ts'
import { callerOf, demand, may } from '../authority.ts'
import { claimedEffect } from '../claimed-effect.ts'
import { settlingMs } from '../clock-watch.ts'
import type { Core } from '../core.ts'
import { effectWrite } from '../effect-write.ts'
import { stopLapsed } from './stop-lapsed.ts'
import { load, type Loaded } from '../load.ts'
import type { LiveProposal } from '../ports.ts'
import { type Actor, changeOf, commit } from '../record.ts'
import type { Registered } from '../registry.ts'
import { type OperationResult, resultOf } from '../result.ts'
import { LOST_RACE, untilSettled } from '../rounds.ts'
import { verifyEffect } from './verify.ts'

/** How long past the verifier's own limit nobody else verifies. */
const LEASE_MARGIN_MS = 5_000

/** When to look, and at which revision. */
export interface ReconcileInput {
  /** Look now, even if it is not due; for operators. */
  readonly now?: boolean
  readonly ifRevision?: number
}

/** Verifies the effect behind a proposal, if that is due. Spec: lifecycle 7. */
export async function reconcile(
  core: Core,
  session: CallerSession,
  ref: string,
  input: ReconcileInput = {},
): Promise<OperationResult> {
  const loaded = await load(core, session, ref, input.ifRevision)
  const { definition } = loaded.registered
  const about = { proposal: loaded.stored.proposal }
  const operator = input.now === true && (await may(core, definition, 'operate', callerOf(session), about))
  if (!operator) await demand(core, definition, 'reconcile', session, about)
  const caller = principalName(session.principal)
  const actor = { participant: null, trigger: caller }
  return reconcileStored(core, session, loaded, actor, operator ? 'now' : 'when_due')
}

/** Likewise, for a caller whose right has been judged. */
export async function reconcileStored(
  core: Core,
  session: CallerSession,
  { stored }: Pick<Loaded, 'stored'>,
  actor: Actor,
  when: 'now' | 'when_due',
): Promise<OperationResult> {
  const { tenant, ref } = stored.proposal
  const current = async (): Promise<LiveProposal> => {
    const now = await core.store.proposal(tenant, ref)
    // Erased, or hidden, in between: nobody is asked about it any more.
    if (now?.kind !== 'live' || now.proposal.erasure === 'pending') throw new NotFound()
    return now
  }
  return untilSettled(
    async () => {
      // The effect first: read the other way round, a proposal could be older than its effect and be looked into again.
      const effect = await core.store.effect(stored.proposal.effect)
      return reconcileRound({ core, session, actor, when, stored: await current() }, effect)
    },
    async () => resultOf(core, session, await current(), stay('conflict', 'lost_race')),
  )
}

interface Reconciliation {
  readonly core: Core
  readonly session: CallerSession
  readonly actor: Actor
  readonly when: 'now' | 'when_due'
  readonly stored: LiveProposal
}

type Round = OperationResult | typeof LOST_RACE

async function reconcileRound(round: Reconciliation, effect: Effect | null): Promise<Round> {
  const { core, stored } = round
  const mine = effect?.attempts.some(({ proposal }) => proposal === stored.proposal.ref) ?? false
  if (effect === null || !mine) return answer(round, stay(outcomeOf(stored.proposal.status)))

  const open = openAttempt(effect)
  if (open !== null && core.storeClock.earliest() < open.leaseUntil) return answer(round, stay('in_progress'))
  if (open !== null && mayBeLive(core, open)) return answer(round, stay('in_progress', 'clock_unsettled'))
  if (open !== null) return lapse(round, effect, open)
  const wait = mustWait(round, effect)
  if (wait !== null) return answer(round, wait)
  return look(round, effect)
}

// A clock that jumped over the end of a lease proves nothing about who works under it.
function mayBeLive({ clock, registry }: Core, open: Attempt): boolean {
  const inFlightMs = registry.verifying(open.action)?.definition.inFlightMs ?? 0
  return clock.isUnsettled(settlingMs({ leaseMs: 0, inFlightMs }, [open]))
}

// Nobody reported within the lease. That proves nothing, but from now on nobody below the raised fence is heard.
async function lapse(round: Reconciliation, effect: Effect, open: Attempt): Promise<Round> {
  const { core, stored, actor } = round
  const now = core.clock.now()
  const ending: AttemptEnding = {
    kind: 'lease_lapsed',
    evidence: 'UNKNOWN',
    at: now,
    reason: reason('lease_lapsed'),
    externalReference: null,
  }
  const fenced = withFenceRaised(withEnded(effect, open.number, ending))
  const write = effectWrite(withVerificationDue(fenced, now, null), effect.version, {
    ended: { number: open.number, token: open.token, ending, detail: null },
  })
  const end = { attempt: open.number, ending, effect: fenced, policyMet: false }
  // Whoever asks may be a former owner: the attempt is the owner's.
  const owner = await ownerOf(core, effect, stored)
  const move = lifecycle.settleCall(owner.proposal, end, now)
  const moves = move.kind === 'move' ? [{ stored: owner, move, actor }] : []
  // The store has the last word on time (design D11): by its clock, too, the lease is over.
  const change = changeOf(core, effect.key.tenant, moves, { effect: write, notBefore: open.leaseUntil })
  const committed = await commit(core, change)
  if (committed.kind === 'conflict' && committed.on === 'too_early') return answer(round, stay('in_progress'))
  // Whether this change won or another one did: the effect is looked at afresh.
  return LOST_RACE
}

/** Whether there is nothing to look at, or not yet. */
function mustWait({ core, stored, when }: Reconciliation, effect: Effect): Verdict | null {
  const now = core.clock.now()
  const own = stay(outcomeOf(stored.proposal.status))
  const { verifyDueAt, verifyLease } = effect
  if (when === 'when_due' && (verifyDueAt === null || now < verifyDueAt)) {
    return isUnsettledOwner(stored, effect) && verifyDueAt === null ? null : own
  }
  const leased = verifyLease !== null && verifyLease.holder !== core.instance && now < verifyLease.until
  return leased || core.verifying.has(leaseName(effect)) ? own : null
}

// Evidence that could not take its status along (rules R3) leaves an owner in doubt with nothing due: it is looked at.
function isUnsettledOwner({ proposal }: LiveProposal, effect: Effect): boolean {
  return effect.owner === proposal.ref && isInDoubt(proposal.status) && evidenceOf(effect).settled === null
}

async function look(round: Reconciliation, effect: Effect): Promise<Round> {
  const { core, stored, actor } = round
  const owner = await ownerOf(core, effect, stored)
  const registered = core.registry.verifying(owner.proposal.action)
  if (registered === null) return giveUp(round, owner, 'definition_missing')
  const leased = await takeLease(core, registered, effect)
  if (leased === null) return LOST_RACE
  const name = leaseName(effect)
  core.verifying.add(name)
  try {
    const stopped = await stopLapsed(core, registered, leased, owner)
    const seen = await verifyEffect(core, registered, stopped, owner, actor)
    if (seen === null) return await giveUp(round, owner, 'definition_missing')
    const after = await core.store.proposal(stored.proposal.tenant, stored.proposal.ref)
    if (after?.kind !== 'live') return LOST_RACE
    const said = seen.moves.get(after.proposal.ref) ?? stay(outcomeOf(after.proposal.status))
    // Where there is nothing more to say, what the look itself met with: the verifier threw, say, or a fact was missing.
    const why = said.reason ?? seen.observation.reason
    return await resultOf(core, round.session, after, { ...said, reason: why })
  } catch (error) {
    if (!(error instanceof ContentUnavailable)) throw error
    const passing = error.answer === 'denied' || error.answer === 'unavailable'
    if (passing) return await answer(round, stay('blocked', 'content_unavailable'))
    return await giveUp(round, owner, 'content_unavailable')
  } finally {
    core.verifying.delete(name)
  }
}

async function ownerOf(core: Core, effect: Effect, stored: LiveProposal): Promise<LiveProposal> {
  if (effect.owner === null || effect.owner === stored.proposal.ref) return stored
  const owner = await core.store.proposal(stored.proposal.tenant, effect.owner)
  return owner?.kind === 'live' ? owner : stored
}

/** The effect with this instance's lease on it, or null if somebody else changed it first. */
async function takeLease(core: Core, { definition }: Registered, effect: Effect): Promise<Effect | null> {
  const now = core.clock.now()
  const { verifyLease } = effect
  if (verifyLease !== null && verifyLease.holder === core.instance && now < verifyLease.until) return effect
  const until = now + definition.verifyTimeoutMs + LEASE_MARGIN_MS
  const leased = { ...effect, version: effect.version + 1, verifyLease: { holder: core.instance, until } }
  const change = changeOf(core, effect.key.tenant, [], { effect: effectWrite(leased, effect.version) })
  const committed = await commit(core, change)
  return committed.kind === 'committed' ? leased : null
}

async function giveUp(
  round: Reconciliation,
  owner: LiveProposal,
  why: 'definition_missing' | 'content_unavailable',
): Promise<Round> {
  const { core, stored, actor } = round
  const verdict = lifecycle.giveUp(owner.proposal, why, core.clock.now())
  const effect = await claimedEffect(core, owner.proposal.effect)
  // Nothing is due any more: asking again by itself would change nothing (rules R18).
  const undue = { ...withVerificationDue(effect, null, null), version: effect.version + 1 }
  const moves = verdict.kind === 'move' ? [{ stored: owner, move: verdict, actor }] : []
  const change = changeOf(core, effect.key.tenant, moves, { effect: effectWrite(undue, effect.version) })
  const committed = await commit(core, change)
  if (committed.kind === 'conflict') return LOST_RACE
  if (verdict.kind === 'move' && owner.proposal.ref === stored.proposal.ref) {
    return answer({ ...round, stored: { ...stored, proposal: verdict.proposal } }, verdict)
  }
  return answer(round, stay(outcomeOf(stored.proposal.status), why))
}

async function answer({ core, session, stored }: Reconciliation, verdict: Verdict): Promise<OperationResult> {
  if (verdict.kind === 'refused') throw new Error(`reconciliation does not refuse with ${verdict.code}`)
  return resultOf(core, session, stored, verdict)
}

function leaseName({ key }: Effect): string {
  return JSON.stringify([key.tenant, key.domain, key.reference])
}
