// The first tables of proposals and of what hangs on them: decisions, receipts, keys.
import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { STATUSES } from '../../proposal/status.ts'
import type { Capabilities } from '../capabilities.ts'
import {
  erasureIsOpen,
  isApproved,
  isClosedAndKept,
  isSettledAndKept,
  needsPerson,
  statusIsInDoubt,
  statusIsOpen,
} from '../partial-conditions.ts'
import { clusteredTable, table } from './table-form.ts'

const notNull = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull()

/** Columns that every live proposal has and no tombstone may have. */
const content = [
  'definition_digest',
  'requester',
  'policy',
  'commitment',
  'updated_at',
  'attention',
  'receipt_salt',
  'snapshot',
  'preview',
] as const

/** Columns that a live proposal may have and no tombstone may have. */
const optionalContent = [
  'subject',
  'agent',
  'agent_owner',
  'replaces',
  'command_fingerprint',
  'blocked_by',
  'attempt',
  'drift_paths',
  'closed_at',
  'result',
] as const

/** Columns that every tombstone has and no live proposal may have; `evidence` may be missing of a tombstone. */
const tombstone = ['attempt_count', 'erased_at', 'met_requirements', 'receipt_count', 'last_hash'] as const

function all(columns: readonly string[], state: 'null' | 'not null'): RawBuilder<SqlBool> {
  const is = state === 'null' ? sql`is null` : sql`is not null`
  return sql<SqlBool>`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} ${is}`),
    sql` and `,
  )})`
}

const isLive = sql<SqlBool>`(${all(content, 'not null')} and ${all([...tombstone, 'evidence'], 'null')})`

// What only some statuses have is there exactly in those.
const fitsStatus = sql<SqlBool>`
  (attempt is not null) = (status in ('executing', 'verification_pending', 'failed_unknown'))
  and (reason is not null) = (status in ('failed_unknown', 'verification_unresolved', 'failed_known', 'closed_unknown', 'withdrawn', 'stale'))
  and (drift_paths is not null) = (status = 'stale')
  and (replaced_by is null or status = 'stale')
  and (superseded_by is not null) = (status = 'superseded')
  and (settled_at is not null) = (status in ('verified', 'failed_known', 'closed_unknown'))
  and (closed_at is not null) = (status in ('rejected', 'withdrawn', 'expired', 'stale', 'superseded'))`

// The closed list of the tombstone. Nothing open and nothing under way is ever erased.
const isTombstone = sql<SqlBool>`(
  ${all([...content, ...optionalContent], 'null')} and ${all(tombstone, 'not null')} and reason is not null
  and receipt_count = revision + 1 and status not in ('awaiting_approval', 'approved', 'executing'))`

/** Creates the tables and their indexes. */
export async function createProposalTables(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  if (!engine.refersForward) await receipts(db, engine)
  await proposals(db, engine)
  await proposalIndexes(db)
  await approvals(db, engine)
  if (engine.refersForward) await receipts(db, engine)
  await keys(db, engine)
}

async function proposals(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer, bytes } = engine
  await table(db, engine, 'proposals')
    .addColumn('tenant', text, notNull)
    .addColumn('ref', text, notNull)
    .addColumn('action', text, notNull)
    .addColumn('action_name', text, notNull)
    .addColumn('effect_domain', text, notNull)
    .addColumn('effect_reference', text, notNull)
    .addColumn('created_at', integer, notNull)
    .addColumn('expires_at', integer, notNull)
    .addColumn('definition_digest', text)
    .addColumn('subject', text)
    .addColumn('requester', text)
    .addColumn('agent', text)
    .addColumn('agent_owner', text)
    .addColumn('replaces', text)
    .addColumn('policy', text)
    .addColumn('command_fingerprint', text)
    .addColumn('commitment', text)
    .addColumn('status', text, notNull)
    .addColumn('revision', integer, notNull)
    .addColumn('updated_at', integer)
    .addColumn('erasure', text, notNull)
    .addColumn('blocked_by', text)
    .addColumn('attention', text)
    .addColumn('attempt', integer)
    .addColumn('reason', text)
    .addColumn('drift_paths', text)
    .addColumn('replaced_by', text)
    .addColumn('superseded_by', text)
    .addColumn('settled_at', integer)
    .addColumn('closed_at', integer)
    .addColumn('evidence', text)
    .addColumn('attempt_count', integer)
    .addColumn('erased_at', integer)
    .addColumn('met_requirements', text)
    .addColumn('receipt_count', integer)
    .addColumn('last_hash', text)
    .addColumn('receipt_salt', bytes)
    .addColumn('snapshot', bytes)
    .addColumn('preview', bytes)
    .addColumn('result', bytes)
    // Only holds the foreign key below: the receipt of the present revision.
    .addColumn('receipt_sequence', integer, (column) => {
      const generated = column.generatedAlwaysAs(sql`revision + 1`)
      return engine.computesWhenRead ? generated : generated.stored()
    })
    .addPrimaryKeyConstraint('proposals_key', ['tenant', 'ref'])
    // Deferred to the commit, so that a proposal and its receipt can be written one after the other.
    .addForeignKeyConstraint(
      'proposals_receipted',
      ['tenant', 'ref', 'receipt_sequence'],
      'receipts',
      ['tenant', 'proposal', 'sequence'],
      (key) => key.deferrable().initiallyDeferred(),
    )
    .addCheckConstraint('proposals_status', sql`status in (${sql.join(STATUSES.map((status) => sql.lit(status)))})`)
    .addCheckConstraint('proposals_erasure', sql`erasure in ('none', 'requested', 'pending', 'erased')`)
    .addCheckConstraint('proposals_time', sql`revision >= 0 and expires_at > created_at`)
    .addCheckConstraint('proposals_no_call', sql`substr(effect_domain, 1, 5) <> 'call:'`)
    .addCheckConstraint('proposals_live', sql`erasure = 'erased' or (${isLive} and ${fitsStatus})`)
    .addCheckConstraint('proposals_tombstone', sql`erasure <> 'erased' or ${isTombstone}`)
    .execute()
}

async function proposalIndexes(db: Kysely<unknown>): Promise<void> {
  const on = (name: string, columns: readonly string[]) =>
    db.schema
      .createIndex(name)
      .on('proposals')
      .columns([...columns])
  await on('proposals_by_status', ['tenant', 'status', 'ref']).execute()
  await on('proposals_by_effect', ['tenant', 'effect_domain', 'effect_reference', 'ref']).execute()
  await on('proposals_by_action', ['tenant', 'action_name', 'ref']).execute()
  await on('proposals_by_requester', ['tenant', 'requester', 'ref'])
    .where(sql.ref('requester'), 'is not', null)
    .execute()
  await on('proposals_by_subject', ['tenant', 'subject', 'ref']).where(sql.ref('subject'), 'is not', null).execute()
  await on('proposals_open_by_expiry', ['tenant', 'expires_at', 'ref']).where(statusIsOpen).execute()
  await on('proposals_for_person', ['tenant', 'ref']).where(needsPerson).execute()
  await on('proposals_to_erase', ['tenant', 'ref']).where(erasureIsOpen).execute()
  await on('proposals_approved', ['tenant', 'action', 'expires_at', 'ref']).where(isApproved).execute()
  await on('proposals_in_doubt', ['tenant', 'ref']).where(statusIsInDoubt).execute()
  await on('proposals_settled', ['tenant', 'action', 'settled_at', 'ref']).where(isSettledAndKept).execute()
  await on('proposals_closed', ['tenant', 'action', 'closed_at', 'ref']).where(isClosedAndKept).execute()
}

async function approvals(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer, bytes } = engine
  const given = ['commitment', 'approver', 'roles', 'assurance', 'expires_at'] as const
  await table(db, engine, 'approvals')
    .addColumn('tenant', text, notNull)
    .addColumn('proposal', text, notNull)
    .addColumn('number', integer, notNull)
    .addColumn('approval_id', text, notNull)
    .addColumn('decision', text, notNull)
    .addColumn('commitment', text)
    .addColumn('approver', text)
    .addColumn('roles', text)
    .addColumn('assurance', text)
    .addColumn('decided_at', integer, notNull)
    .addColumn('expires_at', integer)
    .addColumn('comment', bytes)
    .addPrimaryKeyConstraint('approvals_key', ['tenant', 'proposal', 'number'])
    .addForeignKeyConstraint('approvals_of', ['tenant', 'proposal'], 'proposals', ['tenant', 'ref'])
    .addCheckConstraint('approvals_decision', sql`decision in ('approve', 'reject', 'revoke')`)
    .addCheckConstraint('approvals_given', sql`decision = 'revoke' or ${all(given, 'not null')}`)
    .addCheckConstraint('approvals_revoked', sql`decision <> 'revoke' or ${all([...given, 'comment'], 'null')}`)
    .execute()
  await db.schema
    .createIndex('approvals_by_approver')
    .on('approvals')
    .columns(['tenant', 'approver', 'proposal'])
    .where(sql.ref('approver'), 'is not', null)
    .execute()
}

async function receipts(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer } = engine
  const told = ['at', 'action', 'status', 'detail', 'runtime_version'] as const
  const maybeTold = ['participant', 'caller', 'attempt', 'reason', 'external_reference'] as const
  await clusteredTable(db, engine, 'receipts')
    .addColumn('tenant', text, notNull)
    .addColumn('proposal', text, notNull)
    .addColumn('sequence', integer, notNull)
    .addColumn('type', text)
    .addColumn('at', integer)
    .addColumn('participant', text)
    .addColumn('caller', text)
    .addColumn('action', text)
    .addColumn('status', text)
    .addColumn('attempt', integer)
    .addColumn('reason', text)
    .addColumn('external_reference', text)
    .addColumn('detail', text)
    .addColumn('runtime_version', text)
    .addColumn('previous_hash', text, notNull)
    .addColumn('hash', text, notNull)
    .addPrimaryKeyConstraint('receipts_key', ['tenant', 'proposal', 'sequence'])
    .addCheckConstraint('receipts_told', sql`type is null or ${all(told, 'not null')}`)
    .addCheckConstraint('receipts_links', sql`type is not null or ${all([...told, ...maybeTold], 'null')}`)
    .addCheckConstraint('receipts_hashes', sql`length(previous_hash) = 64 and length(hash) = 64`)
    .execute()
}

async function keys(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text } = engine
  await clusteredTable(db, engine, 'keys')
    .addColumn('tenant', text, notNull)
    .addColumn('proposal', text, notNull)
    .addColumn('kek_version', text, notNull)
    .addColumn('wrapped', engine.bytes, notNull)
    .addPrimaryKeyConstraint('keys_key', ['tenant', 'proposal'])
    .execute()
  await clusteredTable(db, engine, 'request_keys')
    .addColumn('tenant', text, notNull)
    .addColumn('hash', text, notNull)
    .addColumn('proposal', text, notNull)
    .addPrimaryKeyConstraint('request_keys_key', ['tenant', 'hash'])
    .addForeignKeyConstraint('request_keys_of', ['tenant', 'proposal'], 'proposals', ['tenant', 'ref'])
    .execute()
  await clusteredTable(db, engine, 'unscrubbed')
    .addColumn('tenant', text, notNull)
    .addColumn('proposal', text, notNull)
    .addPrimaryKeyConstraint('unscrubbed_key', ['tenant', 'proposal'])
    .addForeignKeyConstraint('unscrubbed_of', ['tenant', 'proposal'], 'proposals', ['tenant', 'ref'])
    .execute()
}
