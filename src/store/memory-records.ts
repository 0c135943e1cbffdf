// What a memory store keeps: the records of one tenant, and the copies that go in and out.
import { deepFreeze } from '../effect/canonical-json.ts'
import type { CallAttempt, CallClaim } from '../effect/calls/guarded-call.ts'
import type { EffectKey } from '../effect/effect-key.ts'
import type { Effect } from '../effect/effect.ts'
import type { ReasonCode, Reference } from '../effect/reference.ts'
import type { Approval } from '../proposal/approval.ts'
import type { Proposal } from '../proposal/proposal.ts'
import type { Receipt } from '../proposal/receipts/receipt.ts'
import type { Tombstone } from '../proposal/tombstone.ts'
import type { Delivery, EndpointProgress, Sealed, SealedContent, StoredEvent, WrappedKey } from '../runtime/ports.ts'

/** A live proposal with all that hangs on it. */
export interface LiveRecord {
  readonly kind: 'live'
  readonly proposal: Proposal
  readonly approvals: readonly Approval[]
  readonly comments: ReadonlyMap<Reference, Sealed>
  readonly content: SealedContent
  readonly result: Sealed | null
  readonly key: WrappedKey
  readonly receiptSalt: Uint8Array
  readonly receipts: readonly Receipt[]
}

/** What is left of an erased one. */
export interface ErasedRecord {
  readonly kind: 'erased'
  readonly tombstone: Tombstone
  readonly receipts: readonly Receipt[]
}

/** An effect with the sealed bytes of its rows, by number and sequence. */
export interface EffectRecord {
  readonly effect: Effect
  readonly details: ReadonlyMap<number, Sealed>
  readonly facts: ReadonlyMap<number, { readonly sealedFor: Reference | null; readonly sealed: Sealed }>
}

/** What is kept of a guarded call beside its effect. */
export interface CallRecord {
  readonly claim: CallClaim
  readonly attempts: readonly CallAttempt[]
}

/** A queue of deliveries: when it is tried, by whom it is claimed, and why it is not tried any more. */
export interface QueueRecord extends Delivery {
  readonly dueAt: number
  readonly holder: string | null
  readonly dead: { readonly reason: ReasonCode; readonly deadAt: number } | null
}

/** Everything of one tenant. Records are replaced and never altered, so a read is a read of one moment. */
export interface TenantRecords {
  readonly changes: Map<string, number>
  readonly proposals: Map<Reference, LiveRecord | ErasedRecord>
  readonly requestKeys: Map<string, Reference>
  /** By {@link effectName}. */
  readonly effects: Map<string, EffectRecord>
  /** By {@link effectName}. */
  readonly calls: Map<string, CallRecord>
  /** Erased proposals since the last scrub. */
  readonly unscrubbed: Set<Reference>
  readonly events: StoredEvent[]
  readonly endpoints: Map<Reference, EndpointProgress>
  /** By endpoint and proposal. */
  readonly queues: Map<string, QueueRecord>
}

/** A tenant of which nothing is stored yet. */
export function emptyTenant(): TenantRecords {
  return {
    changes: new Map(),
    proposals: new Map(),
    requestKeys: new Map(),
    effects: new Map(),
    calls: new Map(),
    unscrubbed: new Set(),
    events: [],
    endpoints: new Map(),
    queues: new Map(),
  }
}

/** The key of an effect inside its tenant. */
export function effectName({ domain, reference }: Pick<EffectKey, 'domain' | 'reference'>): string {
  return JSON.stringify([domain, reference])
}

/** A deeply frozen copy of plain data without bytes. */
export function frozenCopy<T>(value: T): T {
  return deepFreeze(structuredClone(value))
}

/** A copy of sealed bytes; bytes cannot be frozen, so they are copied on the way in and on the way out. */
export function copyBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
