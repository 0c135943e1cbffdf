// The steps of conformance cases: what a store is told to do, and what it must answer.
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { Effect } from '../../effect/effect.ts'
import type { Approval } from '../../proposal/approval.ts'
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../../proposal/errors.ts'
import type { Proposal, ProposalCore } from '../../proposal/proposal.ts'
import type { Status } from '../../proposal/status.ts'
import type {
  ApprovalWrite,
  Change,
  Conflict,
  EffectWrite,
  LiveProposal,
  ProposalInsert,
  Store,
} from '../../runtime/ports.ts'
import type { Subject } from './conformance-case.ts'
import { emptyChange, inserting, updating } from './sample-changes.ts'
import { claiming } from './sample-effects.ts'
import { inStatus, nextRef, reference, SAMPLE_START, sampleProposal } from './sample-proposals.ts'

const SCRUBS_MAX = 100
const SCRUB_PAUSE_MS = 20

/** Commits and answers the store's time. */
export async function commits(store: Store, change: Change): Promise<number> {
  const answer = await store.commit(change)
  assert.equal(answer.kind, 'committed', JSON.stringify(answer))
  return answer.kind === 'committed' ? answer.at : Number.NaN
}

/** The change meets this conflict. */
export async function conflicts(store: Store, change: Change, on: Conflict['on']): Promise<void> {
  assert.deepEqual(await store.commit(change), { kind: 'conflict', on })
}

/** The change is refused as one that no correct runtime makes; that is neither an outage nor a conflict. */
export async function breaks(store: Store, change: Change, why: string): Promise<void> {
  await assert.rejects(
    store.commit(change),
    (error) => !(error instanceof StoreUnavailable) && !(error instanceof PersistenceOutcomeUnknown),
    why,
  )
}

/** Stores a new sample proposal. */
export async function prepared(
  store: Store,
  overrides: Partial<ProposalCore> = {},
  insert: Partial<ProposalInsert> = {},
): Promise<LiveProposal> {
  const proposal = sampleProposal(overrides)
  await commits(store, inserting(proposal, insert))
  return liveOf(store, proposal)
}

/** Stores the next revision of a proposal in a status, with whatever else is in the change. */
export async function moved(
  store: Store,
  before: LiveProposal,
  status: Status,
  extra: { readonly core?: Partial<ProposalCore>; readonly change?: Partial<Change> } = {},
): Promise<LiveProposal> {
  const after = inStatus(before.proposal, status, extra.core)
  await commits(store, updating(before, after, extra.change))
  return liveOf(store, after)
}

/** The live proposal as it is stored. */
export async function liveOf(store: Store, { tenant, ref }: Pick<Proposal, 'tenant' | 'ref'>): Promise<LiveProposal> {
  const read = await store.proposal(tenant, ref)
  assert(read?.kind === 'live', `${ref} is not live`)
  return read
}

/** The effect as it is stored. */
export async function effectOf(store: Store, key: EffectKey): Promise<Effect> {
  const effect = await store.effect(key)
  assert(effect !== null, 'the effect is not stored')
  return effect
}

/** Scrubs until it is done: on a server that is shared, somebody who just connects may be in the way for a moment. */
export async function scrubs(store: Store): Promise<void> {
  for (let tries = 1; (await store.scrub()) !== 'done'; tries++) {
    assert.ok(tries < SCRUBS_MAX, 'scrubbing is not done although nobody reads')
    await setTimeout(SCRUB_PAUSE_MS)
  }
}

/** The database refuses the statement. */
export async function refuses(attack: Subject['attack'], statements: readonly string[]): Promise<void> {
  for (const sql of statements) await assert.rejects(async () => attack(sql), Error, sql)
}

/** A change of the effect alone: evidence that no proposal stands in the way of. */
export function evidence(effect: EffectWrite): Change {
  return { ...emptyChange(effect.row.key.tenant), effect }
}

/** A proposal whose first attempt is open. */
export async function attempted(store: Store): Promise<{ readonly live: LiveProposal; readonly effect: Effect }> {
  const live = await moved(store, await prepared(store), 'approved')
  const change = { effect: claiming(live.proposal, null) }
  return {
    live: await moved(store, live, 'executing', { change }),
    effect: await effectOf(store, live.proposal.effect),
  }
}

/** An approval of a proposal. */
export function approval({ proposal }: Pick<LiveProposal, 'proposal'>, overrides: Partial<Approval> = {}): Approval {
  return {
    approvalId: nextRef(),
    decision: 'approve',
    commitment: proposal.commitment,
    approver: { kind: 'user', id: reference('bob') },
    rolesAtDecision: ['finance-manager'],
    assurance: ['mfa', 'authenticated_session'],
    decidedAt: SAMPLE_START + 1,
    expiresAt: SAMPLE_START + 1000,
    revokedAt: null,
    ...overrides,
  }
}

/** The change that records decisions. */
export function deciding(
  live: LiveProposal,
  approvals: readonly ApprovalWrite[],
  status: 'approved' | 'verification_pending' = 'approved',
): Change {
  return updating(live, inStatus(live.proposal, status), { approvals })
}

/** Stores decisions. */
export async function decided(
  store: Store,
  live: LiveProposal,
  approvals: readonly ApprovalWrite[],
  status: 'approved' | 'verification_pending' = 'approved',
): Promise<LiveProposal> {
  await commits(store, deciding(live, approvals, status))
  return liveOf(store, live.proposal)
}
