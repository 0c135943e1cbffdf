// Erase: content, keys and principals go, the tombstone and the claim stay; deferred while what happened is still open.
import type { Effect } from '../effect/effect.ts'
import { evidenceOf } from '../effect/effect-evidence.ts'
import { limits } from '../effect/limits.ts'
import { parseReasonCode, type ReasonCode, type Reference } from '../effect/reference.ts'
import type { Definition } from '../proposal/definition.ts'
import {
  AuthorizationUnavailable,
  ErasureHeld,
  MalformedReference,
  NotFound,
  NotPermitted,
} from '../proposal/errors.ts'
import { evaluatePolicy } from '../proposal/evaluate-policy.ts'
import { lifecycle } from '../proposal/lifecycle/lifecycle.ts'
import { reason } from '../proposal/lifecycle/verdict.ts'
import { principalName } from '../proposal/principal.ts'
import { chainReceipt } from '../proposal/receipt-chain.ts'
import type { CallerSession } from '../proposal/session.ts'
import type { Tombstone } from '../proposal/tombstone.ts'
import { callerOf, demand, may } from './authority.ts'
import type { Core } from './core.ts'
import { callHost } from './host-call.ts'
import { loadAny } from './load.ts'
import type { LiveProposal } from './ports.ts'
import { type Actor, changeOf, commitMove, receiptBody } from './record.ts'
import { LOST_RACE, untilStored } from './rounds.ts'

export interface EraseInput {
  /** A code, `[a-z0-9_.-]{1,64}`; it outlives the content. */
  readonly reason: string
}

/** What became of an erasure. */
export interface ErasureResult {
  readonly outcome: 'erased' | 'erasure_deferred'
  /** Why it is deferred: the effect is not settled, or a reader kept the files from being cleaned. */
  readonly reason: 'effect_unsettled' | 'files_in_use' | null
  readonly proposal: Reference
  /** Copies made before this hold what they held: with keys beside the data, an earlier copy opens (rules R19). */
  readonly backups: 'not_covered'
}

/** Erases a proposal, or marks that it is to be erased once its effect is settled. Spec: policy-and-protection 5. */
export async function erase(
  core: Core,
  session: CallerSession,
  ref: string,
  input: EraseInput,
): Promise<ErasureResult> {
  const why = codeOf(input.reason)
  const { stored, registered } = await loadAny(core, session, ref)
  if (session.principal.kind === 'agent') throw new NotPermitted()
  const { definition } = registered
  await demand(core, definition, 'erase', session, stored.kind === 'live' ? { proposal: stored.proposal } : {})
  if (stored.kind === 'erased') return cleaned(core, stored.tombstone.ref)
  await refuseHeld(core, definition, stored)
  const caller = principalName(session.principal)
  return eraseLive(core, session.tenant, stored.proposal.ref, why, { participant: caller, trigger: caller })
}

/** Carries out erasures that were deferred or interrupted, for whose actions the caller may erase. */
export async function eraseDue(
  core: Core,
  session: CallerSession,
  input: { readonly limit?: number } = {},
): Promise<readonly ErasureResult[]> {
  const results: ErasureResult[] = []
  const actor = { participant: null, trigger: principalName(session.principal) }
  for (const ref of await core.store.erasuresOpen(session.tenant, input.limit ?? limits.pageItems)) {
    const stored = await core.store.proposal(session.tenant, ref)
    if (stored?.kind !== 'live') continue
    const registered = core.registry.permitting(stored.proposal.action)
    if (registered === null) continue
    const about = { proposal: stored.proposal }
    if (!(await may(core, registered.definition, 'erase', callerOf(session), about))) continue
    results.push(await eraseLive(core, session.tenant, ref, await reasonGiven(core, stored), actor))
  }
  return results
}

async function eraseLive(
  core: Core,
  tenant: Reference,
  ref: Reference,
  why: ReasonCode,
  actor: Actor,
): Promise<ErasureResult> {
  const done = await untilStored(async () => {
    const stored = await core.store.proposal(tenant, ref)
    if (stored === null) throw new NotFound()
    if (stored.kind === 'erased') return true
    const { proposal } = stored
    const effect = await core.store.effect(proposal.effect)
    const verdict = lifecycle.erase(proposal, { reason: why, effect }, core.clock.now())
    if (verdict.kind === 'refused') throw new NotPermitted()
    if (verdict.kind === 'move') {
      const answer = await commitMove(core, { stored, move: verdict, actor })
      if (answer.kind === 'conflict') return LOST_RACE
      // Marked: from here on it is hidden, and whoever comes next goes on from the mark.
      return verdict.outcome === 'erased' ? LOST_RACE : false
    }
    if (verdict.outcome === 'erasure_deferred') return false
    return (await entomb(core, stored, effect, why, actor)) ? true : LOST_RACE
  })
  if (done) return cleaned(core, ref)
  return { outcome: 'erasure_deferred', reason: 'effect_unsettled', proposal: ref, backups: 'not_covered' }
}

// Only when what deleting left in the files is gone, too, is it erased.
async function cleaned(core: Core, proposal: Reference): Promise<ErasureResult> {
  const scrubbed = await core.store.scrub()
  if (scrubbed === 'done') return { outcome: 'erased', reason: null, proposal, backups: 'not_covered' }
  return { outcome: 'erasure_deferred', reason: 'files_in_use', proposal, backups: 'not_covered' }
}

async function entomb(
  core: Core,
  stored: LiveProposal,
  effect: Effect | null,
  why: ReasonCode,
  actor: Actor,
): Promise<boolean> {
  const { proposal, receiptSalt, lastHash } = stored
  const erasedAt = Math.max(core.clock.now(), proposal.updatedAt)
  const revision = proposal.revision + 1
  const body = receiptBody({ ...proposal, updatedAt: erasedAt }, { type: 'proposal.erased' }, actor, why)
  const head = { sequence: revision, hash: lastHash }
  const receipt = chainReceipt(receiptSalt, head, { tenant: proposal.tenant, proposal: proposal.ref, body })
  const tombstone: Tombstone = {
    ...keptOf(stored, effect),
    revision,
    erasedAt,
    reason: why,
    receiptCount: receipt.sequence,
    lastHash: receipt.hash,
  }
  const { tenant, ref, status } = proposal
  const change = changeOf(core, tenant, [], {
    inserts: [{ kind: 'erase', tombstone }],
    receipts: [receipt],
    events: [{ type: 'proposal.erased', proposal: ref, status, revision, at: erasedAt }],
  })
  return (await core.store.commit(change)).kind === 'committed'
}

function keptOf(
  { proposal, approvals }: LiveProposal,
  effect: Effect | null,
): Omit<Tombstone, 'revision' | 'erasedAt' | 'reason' | 'receiptCount' | 'lastHash'> {
  const attempts = effect?.attempts.filter((attempt) => attempt.proposal === proposal.ref) ?? []
  const at = { now: attempts.at(-1)?.startedAt ?? proposal.updatedAt, commitment: proposal.commitment }
  const { byRequirement } = evaluatePolicy(proposal.policy, approvals, at)
  return {
    tenant: proposal.tenant,
    ref: proposal.ref,
    action: proposal.action,
    effect: proposal.effect,
    status: proposal.status,
    evidence: effect === null || attempts.length === 0 ? null : evidenceOf(effect).status,
    attemptCount: attempts.length,
    createdAt: proposal.createdAt,
    expiresAt: proposal.expiresAt,
    settledAt: 'settledAt' in proposal ? proposal.settledAt : null,
    metRequirements: byRequirement.filter(({ missing }) => missing === 0).map(({ name }) => name),
    replacedBy: 'replacedBy' in proposal ? proposal.replacedBy : null,
    supersededBy: 'supersededBy' in proposal ? proposal.supersededBy : null,
  }
}

async function refuseHeld(
  core: Core,
  { action, hostTimeoutMs }: Definition,
  { proposal }: LiveProposal,
): Promise<void> {
  if (action.isHeld === undefined) return
  const { tenant, ref, requester, agent } = proposal
  const context = { tenant, proposal: ref, requester, agent }
  const call = await callHost(core.clock, hostTimeoutMs, (signal) => action.isHeld?.({ context, signal }))
  if (call.kind === 'threw') throw new AuthorizationUnavailable({ cause: call.error })
  if (call.kind === 'timed_out') throw new AuthorizationUnavailable()
  // Only an exact "no" lets content go.
  if (call.value !== false) throw new ErasureHeld()
}

// Why the erasure was asked for stands in the receipt of its mark.
async function reasonGiven(core: Core, { proposal }: LiveProposal): Promise<ReasonCode> {
  const chain = await core.store.receipts(proposal.tenant, proposal.ref)
  const mark = chain.findLast(({ body }) => body?.type === 'proposal.erased')
  return mark?.body?.reason ?? reason('erasure_resumed')
}

function codeOf(text: string): ReasonCode {
  try {
    return parseReasonCode(text, '/reason')
  } catch {
    throw new MalformedReference('/reason')
  }
}
