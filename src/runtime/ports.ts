// The ports: what the runtime asks of time, chance, keys and storage, and nothing more.
import type { CallClaim, CallProgress, GuardedCall } from '../effect/calls/guarded-call.ts'
import type { EffectKey } from '../effect/effect-key.ts'
import type { Attempt, AttemptEnding, Effect, Observation } from '../effect/effect.ts'
import type { ReasonCode, Reference } from '../effect/reference.ts'
import type { Approval } from '../proposal/approval.ts'
import type { EventDraft, EventType } from '../proposal/event.ts'
import type { Proposal } from '../proposal/proposal.ts'
import type { Receipt } from '../proposal/receipts/receipt.ts'
import type { Status } from '../proposal/status.ts'
import type { Tombstone } from '../proposal/tombstone.ts'
import type {
  Claimed,
  DeadLetter,
  Deliveries,
  Delivery,
  DeliveryOutcome,
  EndpointProgress,
  StoredEvent,
} from './deliver/deliveries.ts'
import type { DueItem, DueQuery } from './due.ts'
import type { ErasedRef, Restore, RestoreState, Witness } from './restores.ts'

/** Time. Instants are integer milliseconds UTC; durations are taken from `monotonic`. Spec: design D11. */
export interface Clock {
  now(): number
  /** Milliseconds that never go back, from an arbitrary start. */
  monotonic(): number
  /** Calls `fire` once after `ms`; the answer cancels it. */
  timer(ms: number, fire: () => void): () => void
}

/** Chance. Unpredictable in production, seeded in tests. */
export interface Ids {
  /** A sortable, unique reference (ULID). Never a secret. */
  reference(): Reference
  /** 128 random bits, as text. */
  token(): string
  /** A number in [0, 1), for jitter. */
  fraction(): number
}

/** A key that wraps data keys. A key service is one small class. Spec: policy-and-protection 4. */
export interface KeyEncryptionKey {
  /** `[a-z0-9_.-]{1,64}`, stored beside what it wrapped. */
  readonly version: string
  wrap(dataKey: Uint8Array, context: Uint8Array): Promise<Uint8Array>
  unwrap(wrapped: Uint8Array, context: Uint8Array): Promise<Uint8Array>
}

/**
 * The keys. `resolve` answers null only when the key is known not to exist any more; a key that is denied or cannot be
 * reached is a `KeyUnavailable` error, which never counts as erased (invariant I28).
 */
export interface Keyring {
  current(): Promise<KeyEncryptionKey>
  resolve(version: string): Promise<KeyEncryptionKey | null>
  /** 32 bytes from which effect references and fingerprints are derived; it never rotates. */
  referenceKey(): Promise<Uint8Array>
}

/** A data key of one proposal, wrapped. */
export interface WrappedKey {
  readonly kekVersion: string
  readonly wrapped: Uint8Array
}

/** A wrapped key, and whose it is. */
export interface StoredKey extends WrappedKey {
  readonly proposal: Reference
}

/** Sealed bytes: AES-256-GCM under the proposal's data key. Never parsed by a store. */
export type Sealed = Uint8Array

/** What is sealed of a proposal from its creation on. */
export interface SealedContent {
  readonly snapshot: Sealed
  readonly preview: Sealed
}

/** A proposal as it is read: with its decisions, its sealed content, its key and the head of its chain. */
export interface LiveProposal {
  readonly kind: 'live'
  readonly proposal: Proposal
  readonly approvals: readonly Approval[]
  /** By approval id, where there is a comment. */
  readonly comments: ReadonlyMap<Reference, Sealed>
  readonly content: SealedContent
  readonly result: Sealed | null
  readonly key: WrappedKey
  /** Random bytes of the receipts' hashes, in the clear; gone after erasure. */
  readonly receiptSalt: Uint8Array
  readonly lastHash: string
}

/** An erased proposal as it is read. */
export interface ErasedProposal {
  readonly kind: 'erased'
  readonly tombstone: Tombstone
}

/** An effect without its attempts and observations, which are written as rows of their own. */
export type EffectRow = Omit<Effect, 'attempts' | 'observations'>

/** A new proposal in a change. */
export interface ProposalInsert {
  readonly kind: 'insert'
  readonly proposal: Proposal
  readonly content: SealedContent
  readonly key: WrappedKey
  readonly receiptSalt: Uint8Array
  /** HMAC of requester and request key; the store refuses a second one with `request_key`. Never deleted (rules R16). */
  readonly requestKeyHash: string | null
}

/** A changed proposal; applied only at `proposal.revision - 1`. */
export interface ProposalUpdate {
  readonly kind: 'update'
  readonly proposal: Proposal
  /** The sealed result, once there is one; it is kept when absent. */
  readonly result?: Sealed
}

/** The removal of all content, keys, principals and comments; applied only at `tombstone.revision - 1`. */
export interface ProposalErase {
  readonly kind: 'erase'
  readonly tombstone: Tombstone
}

/** What a change does to its effect. */
export interface EffectWrite {
  readonly row: EffectRow
  /** The version at which the effect was read; `absent` claims it for the first time. */
  readonly expect: 'absent' | number
  /** Keys of former domains that must have no effect, judged in the same transaction (rules R9). */
  readonly formerKeys: readonly EffectKey[]
  readonly opened: Attempt | null
  /** Ends the open attempt that carries this token; another one is `fenced`. */
  readonly ended: AttemptEnd | null
  readonly observed: ObservationInsert | null
}

export interface AttemptEnd {
  readonly number: number
  readonly token: string
  readonly ending: AttemptEnding
  /** The executor's result or the host's error text, sealed under the key of the attempt's proposal. */
  readonly detail: Sealed | null
}

export interface ObservationInsert {
  readonly observation: Observation
  /** The facts that the verifier returned, sealed under the key of `sealedFor`. */
  readonly facts: Sealed | null
  readonly sealedFor: Reference | null
}

/**
 * What a change does to a guarded call. All but a release go with the write of its effect and under its guards: `claim`
 * with the effect's first row, `take_over` with a raised fence and only once the lease of the claim has ended by the store's
 * clock (else `leased`), `progress` with whatever was added. A release removes a claim that was never started, and the
 * effect with it; nothing else ever removes one. Spec: harness 1 and 4 a, rules R16.
 */
export type CallWrite =
  | { readonly kind: 'claim'; readonly claim: CallClaim }
  | { readonly kind: 'take_over'; readonly holder: string; readonly leaseUntil: number }
  | ({ readonly kind: 'progress' } & CallProgress)
  | { readonly kind: 'release'; readonly key: EffectKey; readonly version: number }

/** A decision or the taking back of one. */
export type ApprovalWrite =
  | {
      readonly kind: 'decided'
      readonly proposal: Reference
      readonly approval: Approval
      readonly comment: Sealed | null
    }
  | {
      readonly kind: 'revoked'
      readonly proposal: Reference
      readonly approvalId: Reference
      readonly revokedAt: number
    }

/**
 * A change is plain data, applied in one transaction or not at all. The change id makes it land exactly once, however
 * often and late it is tried. Spec: store 1.
 */
export interface Change {
  readonly changeId: string
  readonly tenant: Reference
  /** Judged by the store's clock, exclusive: at or after it the change is refused with `too_late`. */
  readonly notAfter: number | null
  /** Likewise: before it the change is refused with `too_early`. A lease is over when the store's clock says so. */
  readonly notBefore: number | null
  readonly proposals: readonly (ProposalInsert | ProposalUpdate | ProposalErase)[]
  readonly effect: EffectWrite | null
  readonly call: CallWrite | null
  readonly approvals: readonly ApprovalWrite[]
  /** Exactly one for every proposal that is written. */
  readonly receipts: readonly Receipt[]
  readonly events: readonly EventDraft[]
}

/** The change is durable; `at` is the store's time of it, also when it had landed before. */
export interface Committed {
  readonly kind: 'committed'
  readonly at: number
}

/** Nothing of the change was applied. */
export interface Conflict {
  readonly kind: 'conflict'
  readonly on:
    | 'revision'
    | 'effect'
    | 'exists'
    | 'request_key'
    | 'fenced'
    | 'leased'
    | 'too_late'
    | 'too_early'
    | 'erased'
    | 'held'
}

export type { DueItem, DueQuery, ErasedRef, EventDraft, EventType, Restore, RestoreState, Witness }
export type { Claimed, DeadLetter, Deliveries, Delivery, DeliveryOutcome, EndpointProgress, StoredEvent }

/** What `list` finds, newest first unless `order` says otherwise; every filter narrows. */
export interface ListQuery {
  readonly tenant: Reference
  readonly statuses?: readonly Status[]
  /** `namespace/name`, over all versions. */
  readonly actionName?: string
  readonly requester?: string
  readonly effect?: EffectKey
  readonly subject?: Reference
  /** Open proposals that have expired, and effects whose verification or lease is due, by this instant. */
  readonly dueAt?: number
  /** Proposals that are `verification_unresolved` or carry an attention flag. */
  readonly needsPerson?: true
  /** Proposals that this principal, `kind:id`, decided on, also where it was taken back. */
  readonly decidedBy?: string
  /** `oldest`: as they were prepared. `expiry`: open proposals alone, nearest to their end first. */
  readonly order?: 'oldest' | 'expiry'
  /** Keyset: only proposals that come after this one in the order. */
  readonly after?: Reference
  readonly limit: number
}

/** What a store remembers about those who use it. */
export interface StoreIdentity {
  readonly storeId: string
  /** A check value of the reference key; another one means other effect references. */
  readonly referenceKeyCheck: string
  /** Every effect domain that each action name has ever used (rules R9). */
  readonly domains: Readonly<Record<string, readonly string[]>>
}

/** How many proposals of a tenant wait for something, as figures for whoever watches over the service. */
export interface Standing {
  /** Those that wait for approval or execution, expired or not. */
  readonly open: number
  /** Those whose effect may be happening or may have happened. */
  readonly inDoubt: number
  /** When the oldest attempt of those in doubt was started; null where none is. */
  readonly inDoubtSince: number | null
  /** Those that are `verification_unresolved` or carry an attention flag. */
  readonly needsPerson: number
}

/**
 * Storage: one writer and a handful of reads. Every store passes `storeConformance`. Reads throw `StoreUnavailable` when
 * nothing could be read; `commit` throws `StoreUnavailable` when nothing was stored and `PersistenceOutcomeUnknown` when
 * the change may have landed. Spec: store.
 */
export interface Store {
  /** What is still to be delivered of the outbox. */
  readonly deliveries: Deliveries
  /** The store's clock, an instant: by it `notAfter` and `notBefore` are judged. */
  now(): Promise<number>
  commit(change: Change): Promise<Committed | Conflict>
  proposal(tenant: Reference, ref: Reference): Promise<LiveProposal | ErasedProposal | null>
  effect(key: EffectKey): Promise<Effect | null>
  /** A guarded call with its effect, read at one moment. */
  call(key: EffectKey): Promise<GuardedCall | null>
  /** Which call an action id names; null also for one that was released. */
  callById(tenant: Reference, actionId: Reference): Promise<EffectKey | null>
  /** The sealed detail of an ended attempt. */
  attemptDetail(key: EffectKey, number: number): Promise<Sealed | null>
  /** The effect of whose attempts one carries this idempotency key. */
  effectByIdempotencyKey(tenant: Reference, idempotencyKey: string): Promise<EffectKey | null>
  byRequestKey(tenant: Reference, requestKeyHash: string): Promise<Reference | null>
  /** Live proposals only, without those whose erasure is pending. */
  list(query: ListQuery): Promise<readonly Proposal[]>
  /** A page of what is due, by `at` and then by reference; rows that cannot be read are in it like all others. */
  due(query: DueQuery): Promise<readonly DueItem[]>
  /**
   * Proposals whose erasure was asked for and is not done: deferred, interrupted, or erased since the last scrub that was
   * done. In the order in which they were prepared, from the one after `after`.
   */
  erasuresOpen(tenant: Reference, after: Reference | null, limit: number): Promise<readonly Reference[]>
  receipts(tenant: Reference, ref: Reference): Promise<readonly Receipt[]>
  standing(tenant: Reference): Promise<Standing>
  events(tenant: Reference, after: number, limit: number): Promise<readonly StoredEvent[]>
  /** Remembers what is new and answers what is then remembered; whoever calls compares. */
  adopt(claims: {
    readonly referenceKeyCheck: string
    readonly domains: Readonly<Record<string, string>>
  }): Promise<StoreIdentity>
  /** Whether anything is admitted, after the store was compared with its witness, if it has one. Spec: rules R15. */
  restore(): Promise<RestoreState>
  /**
   * Opens the gate again, or answers null where it is not closed. From then on what the store now knows is what its witness
   * knows.
   */
  acknowledgeRestore(by: Reference, reason: ReasonCode): Promise<Restore | null>
  /** Proposals that the witness knows to have been erased and that have their content again. Spec: rules R19. */
  erasuresUndone(): Promise<readonly ErasedRef[]>
  /** Every tenant that has a proposal. */
  tenants(): Promise<readonly Reference[]>
  /** Keys of a tenant that are wrapped under another version than this one, by proposal, from the one after `after`. */
  keysNotUnder(
    tenant: Reference,
    kekVersion: string,
    after: Reference | null,
    limit: number,
  ): Promise<readonly StoredKey[]>
  /**
   * Replaces a wrapped key if it is still the old one, and says whether the renewed one is stored now. A key that erasure
   * destroyed is never brought back.
   */
  rewrap(tenant: Reference, proposal: Reference, old: WrappedKey, renewed: WrappedKey): Promise<boolean>
  /** Removes from files what the erasures before left behind in them; `busy` when another reader prevented it. */
  scrub(): Promise<'done' | 'busy'>
  health(): Promise<void>
  close(): Promise<void>
}

/** Any logger of this shape will do; only codes and references are handed to it. */
export interface Logger {
  info(fields: Readonly<Record<string, string | number | null>>, message: string): void
  warn(fields: Readonly<Record<string, string | number | null>>, message: string): void
  error(fields: Readonly<Record<string, string | number | null>>, message: string): void
}
