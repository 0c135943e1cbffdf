// A store in memory: the contract of the durable ones, for tests and trials. It forgets everything when it is dropped.
import type { GuardedCall } from '../effect/calls/guarded-call.ts'
import type { EffectKey } from '../effect/effect-key.ts'
import type { Attempt, Effect } from '../effect/effect.ts'
import type { Reference } from '../effect/reference.ts'
import { StoreUnavailable } from '../proposal/errors.ts'
import type { Proposal } from '../proposal/proposal.ts'
import type { Receipt } from '../proposal/receipts/receipt.ts'
import type {
  Change,
  Committed,
  Conflict,
  Deliveries,
  ErasedProposal,
  ErasedRef,
  ListQuery,
  LiveProposal,
  RestoreState,
  Sealed,
  Standing,
  Store,
  StoredEvent,
  StoredKey,
  StoreIdentity,
  WrappedKey,
  DueItem,
  DueQuery,
} from '../runtime/ports.ts'
import { assertChange } from './change-invariants.ts'
import { conflictOf } from './conflicts.ts'
import { callByIdInMemory, callInMemory } from './memory-calls.ts'
import { applyToMemory, findInMemory } from './memory-changes.ts'
import { MemoryDeliveries } from './memory-deliveries.ts'
import { dueInMemory } from './memory-due.ts'
import { erasuresOpenInMemory, keysNotUnderInMemory, listInMemory, standingInMemory } from './memory-queries.ts'
import {
  copyBytes,
  effectName,
  emptyTenant,
  frozenCopy,
  type LiveRecord,
  type TenantRecords,
} from './memory-records.ts'
import { type StoreTime, systemStoreTime } from './store-time.ts'

/** What a memory store may be given. */
export interface MemoryStoreOptions {
  /** The store's clock, which judges `notAfter` and `notBefore`; the machine's by default. */
  readonly clock?: StoreTime
}

/**
 * A store that keeps everything in this process: nothing survives it. It interprets the same changes, answers the same
 * conflicts and refuses the same broken invariants as the durable stores. Spec: store 2 and 3.
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options.clock ?? systemStoreTime)
}

class MemoryStore implements Store {
  readonly deliveries: Deliveries
  readonly #clock: StoreTime
  readonly #tenants = new Map<Reference, TenantRecords>()
  readonly #domains = new Map<string, Set<string>>()
  #referenceKeyCheck: string | null = null
  #eventPosition = 0
  #isClosed = false

  constructor(clock: StoreTime) {
    this.#clock = clock
    this.deliveries = new MemoryDeliveries((tenant) => this.#kept(tenant), clock)
  }

  async commit(change: Change): Promise<Committed | Conflict> {
    const records = this.#records(change.tenant)
    assertChange(change)
    const landedAt = records.changes.get(change.changeId)
    if (landedAt !== undefined) return { kind: 'committed', at: landedAt }
    const at = this.#clock.now()
    const on = conflictOf(change, findInMemory(records, change, at))
    if (on !== null) return { kind: 'conflict', on }
    applyToMemory(records, change)
    records.changes.set(change.changeId, at)
    for (const event of change.events) {
      this.#eventPosition += 1
      records.events.push(frozenCopy({ ...event, position: this.#eventPosition }))
    }
    this.#tenants.set(change.tenant, records)
    return { kind: 'committed', at }
  }

  async now(): Promise<number> {
    this.#assertOpen()
    return this.#clock.now()
  }

  async proposal(tenant: Reference, ref: Reference): Promise<LiveProposal | ErasedProposal | null> {
    const record = this.#records(tenant).proposals.get(ref)
    if (record === undefined) return null
    return record.kind === 'erased' ? { kind: 'erased', tombstone: record.tombstone } : readLive(record)
  }

  async effect(key: EffectKey): Promise<Effect | null> {
    return this.#records(key.tenant).effects.get(effectName(key))?.effect ?? null
  }

  async call(key: EffectKey): Promise<GuardedCall | null> {
    return callInMemory(this.#records(key.tenant), key)
  }

  async callById(tenant: Reference, actionId: Reference): Promise<EffectKey | null> {
    return callByIdInMemory(this.#records(tenant), actionId)
  }

  async attemptDetail(key: EffectKey, number: number): Promise<Sealed | null> {
    const detail = this.#records(key.tenant).effects.get(effectName(key))?.details.get(number)
    return detail === undefined ? null : copyBytes(detail)
  }

  async effectByIdempotencyKey(tenant: Reference, idempotencyKey: string): Promise<EffectKey | null> {
    const carriesIt = (attempt: Attempt): boolean => attempt.idempotencyKey === idempotencyKey
    const records = [...this.#records(tenant).effects.values()]
    return records.find(({ effect }) => effect.attempts.some(carriesIt))?.effect.key ?? null
  }

  async byRequestKey(tenant: Reference, requestKeyHash: string): Promise<Reference | null> {
    return this.#records(tenant).requestKeys.get(requestKeyHash) ?? null
  }

  async list(query: ListQuery): Promise<readonly Proposal[]> {
    return listInMemory(this.#records(query.tenant), query)
  }

  async due(query: DueQuery): Promise<readonly DueItem[]> {
    return dueInMemory(this.#records(query.tenant), query)
  }

  async erasuresOpen(tenant: Reference, after: Reference | null, limit: number): Promise<readonly Reference[]> {
    return erasuresOpenInMemory(this.#records(tenant), after, limit)
  }

  async receipts(tenant: Reference, ref: Reference): Promise<readonly Receipt[]> {
    return [...(this.#records(tenant).proposals.get(ref)?.receipts ?? [])]
  }

  async standing(tenant: Reference): Promise<Standing> {
    return standingInMemory(this.#records(tenant))
  }

  async events(tenant: Reference, after: number, limit: number): Promise<readonly StoredEvent[]> {
    return this.#records(tenant)
      .events.filter(({ position }) => position > after)
      .slice(0, limit)
  }

  async adopt(claims: Parameters<Store['adopt']>[0]): Promise<StoreIdentity> {
    this.#assertOpen()
    this.#referenceKeyCheck ??= claims.referenceKeyCheck
    for (const [action, domain] of Object.entries(claims.domains)) {
      const domains = this.#domains.get(action) ?? new Set()
      this.#domains.set(action, domains.add(domain))
    }
    return {
      storeId: 'memory',
      referenceKeyCheck: this.#referenceKeyCheck,
      domains: Object.fromEntries([...this.#domains].map(([action, domains]) => [action, [...domains].sort()])),
    }
  }

  // What is in memory alone is never put back.
  async restore(): Promise<RestoreState> {
    this.#assertOpen()
    return { open: null, last: null }
  }

  async acknowledgeRestore(): Promise<null> {
    this.#assertOpen()
    return null
  }

  async erasuresUndone(): Promise<readonly ErasedRef[]> {
    this.#assertOpen()
    return []
  }

  async tenants(): Promise<readonly Reference[]> {
    this.#assertOpen()
    return [...this.#tenants]
      .filter(([, { proposals }]) => proposals.size > 0)
      .map(([tenant]) => tenant)
      .sort()
  }

  async keysNotUnder(
    tenant: Reference,
    ...page: [kekVersion: string, after: Reference | null, limit: number]
  ): Promise<readonly StoredKey[]> {
    return keysNotUnderInMemory(this.#records(tenant), ...page)
  }

  async rewrap(tenant: Reference, proposal: Reference, old: WrappedKey, renewed: WrappedKey): Promise<boolean> {
    const { proposals } = this.#records(tenant)
    const record = proposals.get(proposal)
    if (record?.kind !== 'live') return false
    if (isSameKey(record.key, renewed)) return true
    if (!isSameKey(record.key, old)) return false
    proposals.set(proposal, { ...record, key: { ...renewed, wrapped: copyBytes(renewed.wrapped) } })
    return true
  }

  // Nothing is left behind in memory that anybody could read; the list is kept as the other stores keep it.
  async scrub(): Promise<'done' | 'busy'> {
    this.#assertOpen()
    for (const { unscrubbed } of this.#tenants.values()) unscrubbed.clear()
    return 'done'
  }

  async health(): Promise<void> {
    this.#assertOpen()
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #records(tenant: Reference): TenantRecords {
    this.#assertOpen()
    return this.#tenants.get(tenant) ?? emptyTenant()
  }

  /** The records of a tenant that keep what is written to them, whether or not it has a proposal. */
  #kept(tenant: Reference): TenantRecords {
    const records = this.#records(tenant)
    this.#tenants.set(tenant, records)
    return records
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable('The store is closed.')
  }
}

function isSameKey(a: WrappedKey, b: WrappedKey): boolean {
  return a.kekVersion === b.kekVersion && Buffer.from(a.wrapped).equals(b.wrapped)
}

function readLive(record: LiveRecord): LiveProposal {
  return {
    kind: 'live',
    proposal: record.proposal,
    approvals: [...record.approvals],
    comments: new Map([...record.comments].map(([approvalId, comment]) => [approvalId, copyBytes(comment)])),
    content: { snapshot: copyBytes(record.content.snapshot), preview: copyBytes(record.content.preview) },
    result: record.result === null ? null : copyBytes(record.result),
    key: { kekVersion: record.key.kekVersion, wrapped: copyBytes(record.key.wrapped) },
    receiptSalt: copyBytes(record.receiptSalt),
    lastHash: record.receipts.at(-1)?.hash ?? '',
  }
}
