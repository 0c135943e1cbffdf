// What is left of an erased proposal in its row: the tombstone and nothing else.
import type { Tombstone } from '../../proposal/tombstone.ts'
import { STATUSES } from '../../proposal/status.ts'
import { canonicalText } from '../canonical-text.ts'
import type { ProposalsTable } from '../tables.ts'
import { EVIDENCES } from './codes.ts'
import { RowReader } from './row-reader.ts'

/** The columns that a tombstone shares with the proposal that it was. */
export type KeptIdentity = Pick<
  ProposalsTable,
  'tenant' | 'ref' | 'action' | 'effect_domain' | 'effect_reference' | 'created_at' | 'expires_at'
>

/** The columns that erasure writes, those that it blanks included. */
export type TombstoneState = Omit<ProposalsTable, keyof KeptIdentity | 'action_name'>

/** What erasure does not touch. */
export function keptIdentity(tombstone: Tombstone): KeptIdentity {
  return {
    tenant: tombstone.tenant,
    ref: tombstone.ref,
    action: tombstone.action,
    effect_domain: tombstone.effect.domain,
    effect_reference: tombstone.effect.reference,
    created_at: tombstone.createdAt,
    expires_at: tombstone.expiresAt,
  }
}

/** What the row of a proposal becomes. */
export function tombstoneState(tombstone: Tombstone): TombstoneState {
  return {
    status: tombstone.status,
    revision: tombstone.revision,
    erasure: 'erased',
    reason: tombstone.reason,
    replaced_by: tombstone.replacedBy,
    superseded_by: tombstone.supersededBy,
    settled_at: tombstone.settledAt,
    evidence: tombstone.evidence,
    attempt_count: tombstone.attemptCount,
    erased_at: tombstone.erasedAt,
    met_requirements: canonicalText(tombstone.metRequirements),
    receipt_count: tombstone.receiptCount,
    last_hash: tombstone.lastHash,
    definition_digest: null,
    subject: null,
    requester: null,
    agent: null,
    agent_owner: null,
    replaces: null,
    policy: null,
    command_fingerprint: null,
    commitment: null,
    updated_at: null,
    blocked_by: null,
    attention: null,
    attempt: null,
    drift_paths: null,
    closed_at: null,
    receipt_salt: null,
    snapshot: null,
    preview: null,
    result: null,
  }
}

/** @throws StoredDataCorrupt */
export function parseTombstone(stored: ProposalsTable): Tombstone {
  const row = new RowReader(stored, 'proposals', [stored.tenant, stored.ref])
  return {
    tenant: row.reference('tenant'),
    ref: row.reference('ref'),
    action: row.text('action'),
    effect: {
      tenant: row.reference('tenant'),
      domain: row.text('effect_domain'),
      reference: row.reference('effect_reference'),
    },
    status: row.oneOf('status', STATUSES),
    evidence: row.maybe('evidence', (column) => row.oneOf(column, EVIDENCES)),
    attemptCount: row.integer('attempt_count'),
    revision: row.integer('revision'),
    createdAt: row.integer('created_at'),
    expiresAt: row.integer('expires_at'),
    settledAt: row.maybe('settled_at', (column) => row.integer(column)),
    erasedAt: row.integer('erased_at'),
    reason: row.reasonCode('reason'),
    metRequirements: row.texts('met_requirements'),
    replacedBy: row.maybe('replaced_by', (column) => row.reference(column)),
    supersededBy: row.maybe('superseded_by', (column) => row.reference(column)),
    receiptCount: row.integer('receipt_count'),
    lastHash: row.text('last_hash'),
  }
}
