// The tables, column by column: what each holds, in which form, and who may ever change it.
import type { Generated, Selectable } from 'kysely'
import type { DeliveriesTable, DeliveryEndpointsTable } from './delivery-tables.ts'
import type { RestoresTable, StoreCountsTable } from './restore-tables.ts'

/** Sealed or canonical bytes. */
export type Bytes = Uint8Array

/**
 * One row a proposal. Everything up to `expires_at` is fixed from its creation on. An erased proposal keeps only what its
 * tombstone lists; every other column is null then, and the database checks it.
 */
export interface ProposalsTable {
  tenant: string
  /** ULID; newest first is descending order. */
  ref: string
  /** `namespace/name@version`. */
  action: string
  /** `namespace/name`, by which lists find all versions. */
  action_name: string
  effect_domain: string
  effect_reference: string
  created_at: number
  /** Exclusive. */
  expires_at: number
  definition_digest: string | null
  subject: string | null
  /** `kind:id`, as the two below. */
  requester: string | null
  agent: string | null
  agent_owner: string | null
  replaces: string | null
  /** The frozen policy, canonical JSON. */
  policy: string | null
  command_fingerprint: string | null
  /** `c1_…`. */
  commitment: string | null

  status: string
  /** Grows by one with every stored change. */
  revision: number
  updated_at: number | null
  /** `none`, `requested`, `pending`, `erased`; never goes back. */
  erasure: string
  blocked_by: string | null
  /** Attention flags, canonical JSON. */
  attention: string | null
  /** The attempt under way or last made, where the status has one. */
  attempt: number | null
  /** Of the status; of the erasure once erased. */
  reason: string | null
  /** JSON Pointers, canonical JSON. */
  drift_paths: string | null
  replaced_by: string | null
  superseded_by: string | null
  settled_at: number | null
  closed_at: number | null

  /** The columns of a tombstone; null before erasure. */
  evidence: string | null
  attempt_count: number | null
  erased_at: number | null
  /** Names, canonical JSON. */
  met_requirements: string | null
  receipt_count: number | null
  last_hash: string | null

  /** Random, in the clear: salt of the receipts' hashes. */
  receipt_salt: Bytes | null
  /** Sealed; at the end of the row, so that lists do not read them. */
  snapshot: Bytes | null
  preview: Bytes | null
  result: Bytes | null
}

/** Decisions and revocations, in the order in which they were taken. Append-only; removed by erasure. */
export interface ApprovalsTable {
  tenant: string
  proposal: string
  /** From 1, without gaps within a proposal. */
  number: number
  approval_id: string
  /** `approve`, `reject`, or `revoke`: then only `decided_at` has a value besides the key. */
  decision: string
  commitment: string | null
  /** `kind:id`. */
  approver: string | null
  /** Canonical JSON. */
  roles: string | null
  /** Canonical JSON. */
  assurance: string | null
  decided_at: number
  /** Exclusive. */
  expires_at: number | null
  /** Sealed. */
  comment: Bytes | null
}

/** One row a claimed effect. Never deleted, whatever becomes of its proposals (rules R16). */
export interface EffectsTable {
  tenant: string
  domain: string
  reference: string
  /** `proposal` or `call`; a call's domain begins with `call:` and no other does (rules R17). */
  kind: string
  /** Strictly grows; every admission is conditional on it (rules R2). */
  version: number
  /** The proposal that holds the claim. */
  owner: string | null
  /** The fence; never comes down. */
  epoch: number
  verify_due_at: number | null
  /** The instance that verifies, and until when it is alone; for economy only. */
  verify_lease_holder: string | null
  verify_lease_until: number | null
  absences_spent: number
  unavailables_spent: number
  /** A person's settlement, canonical JSON; the erasure of a proposal behind it takes the names out. */
  settlement: string | null
}

/** One row a guarded call, beside its effect. All but state, holder and lease is fixed; it goes only when it is released. */
export interface CallsTable {
  tenant: string
  /** `call:` and the name. */
  domain: string
  /** The caller's idempotency key. */
  reference: string
  action_id: string
  /** Digest of the canonical request. */
  request_hash: string
  provider_reference: string | null
  risk: string | null
  /** The caller's metadata, canonical JSON; in the clear. */
  metadata: string
  /** `PENDING` or `COMPLETED`. */
  state: string
  /** Random; drawn by whoever claimed or took over. */
  holder: string
  lease_until: number
  created_at: number
  completed_at: number | null
}

/** One row an ended attempt of a guarded call; decided on once, never deleted. */
export interface CallAttemptsTable {
  tenant: string
  domain: string
  reference: string
  number: number
  /** What the operation threw, bounded; in the clear. */
  error: string | null
  /** 1 if the operation said that it may be tried again, else 0. */
  retryable: number
  /** `stop` or `retry`; null until it is decided. */
  decision: string | null
  next_attempt_at: number | null
}

/** One row a call of an executor. Opened before the call, ended once, never deleted. */
export interface AttemptsTable {
  tenant: string
  domain: string
  reference: string
  /** From 1, without gaps within an effect. */
  number: number
  /** Null for guarded calls. */
  proposal: string | null
  action: string
  target: string
  generation: number
  idempotency_key: string
  /** The fence under which it was admitted. */
  epoch: number
  /** Whoever ends the attempt must name it. */
  token: string
  started_at: number
  lease_until: number
  precondition: string | null
  /** How the call went; this and the next four are null while the attempt is open. */
  ending: string | null
  ending_evidence: string | null
  ended_at: number | null
  ending_reason: string | null
  external_reference: string | null
  /** The executor's result or the host's error text, sealed; removed by the erasure of its proposal. */
  detail: Bytes | null
}

/** One row a recorded look at the outside world. Append-only. */
export interface ObservationsTable {
  tenant: string
  domain: string
  reference: string
  /** From 1, without gaps within an effect. */
  sequence: number
  source: string
  answer: string
  verdict: string
  covers_from: number
  covers_to: number
  target: string
  proof: string | null
  /** Canonical JSON. */
  flags: string
  reason: string | null
  external_reference: string | null
  matches: number | null
  began_at: number
  ended_at: number
  /** The proposal under whose key the facts are sealed. */
  sealed_for: string | null
  /** Sealed; removed by the erasure of `sealed_for`, or of a proposal whose attempt is covered. */
  facts: Bytes | null
}

/** One row a stored change of a proposal. Append-only and chained; erasure leaves the links and removes what they say. */
export interface ReceiptsTable {
  tenant: string
  proposal: string
  /** The proposal's revision plus one. */
  sequence: number
  type: string | null
  at: number | null
  /** `kind:id`. */
  participant: string | null
  /** `kind:id` of who called the operation. */
  caller: string | null
  action: string | null
  status: string | null
  attempt: number | null
  reason: string | null
  external_reference: string | null
  /** Canonical JSON. */
  detail: string | null
  runtime_version: string | null
  /** Lower-case hex; the hash of the receipt before. */
  previous_hash: string
  hash: string
}

/** The wrapped data key of each live proposal; only its wrapping may change, and erasure deletes it. */
export interface KeysTable {
  tenant: string
  proposal: string
  kek_version: string
  wrapped: Bytes
}

/** Which proposal a request key was used for. Never changed, never deleted (rules R16). */
export interface RequestKeysTable {
  tenant: string
  /** HMAC of requester and key. */
  hash: string
  proposal: string
}

/** Erased proposals of which bytes may still be in the files; a row goes when they have been scrubbed. */
export interface UnscrubbedTable {
  tenant: string
  proposal: string
}

/** The outbox: a row exists exactly when its transition committed. Append-only. */
export interface EventsTable {
  /** Assigned under the write lock and never used again, so a reader who has seen one has seen all before it. */
  position: Generated<number>
  tenant: string
  type: string
  proposal: string
  status: string
  revision: number
  at: number
}

/** One row a change that landed, by which a repeated one is known. Append-only. */
export interface ChangesTable {
  tenant: string
  change_id: string
  /** The store's time of it. */
  at: number
}

/** Every effect domain that an action has ever used (rules R9). Append-only; the same for all tenants. */
export interface ActionDomainsTable {
  action_name: string
  domain: string
}

/** One row a migration that has run; what it did is known by its checksum. */
export interface SchemaInfoTable {
  migration: string
  /** SHA-256, hex, over the statements of the migration. */
  checksum: string
}

/** The one row that says which store this is. */
export interface StoreIdentityTable {
  /** Always 1. */
  id: number
  /** Random, drawn by the database when the store was made. */
  store_id: string
  /** Check value of the reference key; null until a runtime first opened the store. */
  reference_key_check: string | null
}

/** An event as it is read. */
export type EventColumns = Selectable<EventsTable>

/** All tables, as Kysely knows them. */
export interface Tables {
  proposals: ProposalsTable
  approvals: ApprovalsTable
  effects: EffectsTable
  calls: CallsTable
  call_attempts: CallAttemptsTable
  attempts: AttemptsTable
  observations: ObservationsTable
  receipts: ReceiptsTable
  keys: KeysTable
  request_keys: RequestKeysTable
  unscrubbed: UnscrubbedTable
  events: EventsTable
  delivery_endpoints: DeliveryEndpointsTable
  deliveries: DeliveriesTable
  changes: ChangesTable
  action_domains: ActionDomainsTable
  schema_info: SchemaInfoTable
  store_identity: StoreIdentityTable
  store_counts: StoreCountsTable
  restores: RestoresTable
}
