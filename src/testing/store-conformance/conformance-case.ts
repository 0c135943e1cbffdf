// What a conformance case is: a sentence about stores, and the steps that fail where it does not hold.
import assert from 'node:assert/strict'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { Effect } from '../../effect/effect.ts'
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../../proposal/errors.ts'
import type { Proposal, ProposalCore } from '../../proposal/proposal.ts'
import type { Status } from '../../proposal/status.ts'
import type { Change, Conflict, LiveProposal, ProposalInsert, Store } from '../../runtime/ports.ts'
import { inserting, updating } from './sample-changes.ts'
import { inStatus, sampleProposal } from './sample-proposals.ts'

/** What a store may be able to do beside the port. */
export type Ability = 'second' | 'reopen' | 'attack' | 'tamper'

/** A freshly opened, empty store with what can be done around it. Abilities that are missing throw. */
export interface Subject {
  readonly store: Store
  /** Another connection to the same data. */
  readonly second: () => Promise<Store>
  /** Closes the store and opens the same data again. */
  readonly reopen: () => Promise<Store>
  /** Runs SQL past the store, with every guard of the database in force; throws what the database throws. */
  readonly attack: (sql: string) => void
  /** Runs SQL past the store and past the guards, as a damaged disk or a careless repair would. */
  readonly tamper: (sql: string) => void
}

/** One case. It is registered only where the store has what it needs. */
export interface ConformanceCase {
  readonly title: string
  readonly needs?: readonly Ability[]
  readonly run: (subject: Subject) => Promise<void>
}

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
  assert.equal(read?.kind, 'live')
  return read as LiveProposal
}

/** The effect as it is stored. */
export async function effectOf(store: Store, key: EffectKey): Promise<Effect> {
  const effect = await store.effect(key)
  assert.notEqual(effect, null)
  return effect as Effect
}
