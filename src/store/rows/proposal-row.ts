// The row of a live proposal: written from the union, and read back into the member that its status names.
import type { Proposal, ProposalCore, StatusFields } from '../../proposal/proposal.ts'
import { ATTENTIONS } from '../../proposal/proposal.ts'
import { principalName } from '../../proposal/principal.ts'
import { STATUSES } from '../../proposal/status.ts'
import type { ProposalInsert } from '../../runtime/ports.ts'
import { actionNameOf } from '../action-name.ts'
import { canonicalText } from '../canonical-text.ts'
import type { ProposalsTable } from '../tables.ts'
import { parsePolicy } from './policy-column.ts'
import { RowReader } from './row-reader.ts'

/** The columns that an update writes. */
export type ProposalState = Pick<
  ProposalsTable,
  | 'status'
  | 'revision'
  | 'updated_at'
  | 'erasure'
  | 'blocked_by'
  | 'attention'
  | 'attempt'
  | 'reason'
  | 'drift_paths'
  | 'replaced_by'
  | 'superseded_by'
  | 'settled_at'
  | 'closed_at'
>

/** Erasure before it is complete. */
const ERASURES = ['none', 'requested', 'pending'] as const

/** The columns that say what a proposal is from its creation on. */
export type ProposalIdentity = Pick<
  ProposalsTable,
  | 'tenant'
  | 'ref'
  | 'action'
  | 'action_name'
  | 'effect_domain'
  | 'effect_reference'
  | 'created_at'
  | 'expires_at'
  | 'definition_digest'
  | 'subject'
  | 'requester'
  | 'agent'
  | 'agent_owner'
  | 'replaces'
  | 'policy'
  | 'command_fingerprint'
  | 'commitment'
>

/** The row of a new proposal. */
export function proposalRow({ proposal, content, receiptSalt }: ProposalInsert): ProposalsTable {
  return {
    ...proposalIdentity(proposal),
    ...proposalState(proposal),
    evidence: null,
    attempt_count: null,
    erased_at: null,
    met_requirements: null,
    receipt_count: null,
    last_hash: null,
    receipt_salt: receiptSalt,
    snapshot: content.snapshot,
    preview: content.preview,
    result: null,
  }
}

/** What an update never writes. */
export function proposalIdentity(proposal: Proposal): ProposalIdentity {
  return {
    tenant: proposal.tenant,
    ref: proposal.ref,
    action: proposal.action,
    action_name: actionNameOf(proposal.action),
    effect_domain: proposal.effect.domain,
    effect_reference: proposal.effect.reference,
    created_at: proposal.createdAt,
    expires_at: proposal.expiresAt,
    definition_digest: proposal.definitionDigest,
    subject: proposal.subject,
    requester: principalName(proposal.requester),
    agent: proposal.agent && principalName(proposal.agent),
    agent_owner: proposal.agentOwner && principalName(proposal.agentOwner),
    replaces: proposal.replaces,
    policy: canonicalText(proposal.policy),
    command_fingerprint: proposal.commandFingerprint,
    commitment: proposal.commitment,
  }
}

/** What an update writes; each status leaves the columns that it does not have null. */
export function proposalState(proposal: Proposal): ProposalState {
  const fields = proposal as StatusFields
  return {
    status: proposal.status,
    revision: proposal.revision,
    updated_at: proposal.updatedAt,
    erasure: proposal.erasure,
    blocked_by: proposal.blockedBy,
    attention: canonicalText(proposal.attention),
    attempt: fields.attempt ?? null,
    reason: fields.reason ?? null,
    drift_paths: fields.driftPaths === undefined ? null : canonicalText(fields.driftPaths),
    replaced_by: fields.replacedBy ?? null,
    superseded_by: fields.supersededBy ?? null,
    settled_at: fields.settledAt ?? null,
    closed_at: fields.closedAt ?? null,
  }
}

/** The columns of a live proposal without its bytes. */
export const PROPOSAL_COLUMNS = [
  'tenant',
  'ref',
  'action',
  'action_name',
  'effect_domain',
  'effect_reference',
  'created_at',
  'expires_at',
  'definition_digest',
  'subject',
  'requester',
  'agent',
  'agent_owner',
  'replaces',
  'policy',
  'command_fingerprint',
  'commitment',
  'status',
  'revision',
  'updated_at',
  'erasure',
  'blocked_by',
  'attention',
  'attempt',
  'reason',
  'drift_paths',
  'replaced_by',
  'superseded_by',
  'settled_at',
  'closed_at',
] as const satisfies readonly (keyof ProposalsTable)[]

/** A row as a list reads it. */
export type ProposalColumns = Pick<ProposalsTable, (typeof PROPOSAL_COLUMNS)[number]>

/** @throws StoredDataCorrupt */
export function parseProposal(stored: ProposalColumns): Proposal {
  const row = new RowReader(stored, 'proposals', [stored.tenant, stored.ref])
  const core: ProposalCore = {
    tenant: row.reference('tenant'),
    ref: row.reference('ref'),
    action: row.text('action'),
    definitionDigest: row.text('definition_digest'),
    effect: {
      tenant: row.reference('tenant'),
      domain: row.text('effect_domain'),
      reference: row.reference('effect_reference'),
    },
    subject: row.maybe('subject', (column) => row.reference(column)),
    requester: row.principal('requester'),
    agent: row.maybe('agent', (column) => row.principal(column)),
    agentOwner: row.maybe('agent_owner', (column) => row.principal(column)),
    replaces: row.maybe('replaces', (column) => row.reference(column)),
    policy: row.json('policy', parsePolicy),
    commandFingerprint: row.maybe('command_fingerprint', (column) => row.text(column)),
    commitment: row.text('commitment'),
    createdAt: row.integer('created_at'),
    expiresAt: row.integer('expires_at'),
    revision: row.integer('revision'),
    updatedAt: row.integer('updated_at'),
    erasure: row.oneOf('erasure', ERASURES),
    blockedBy: row.maybe('blocked_by', (column) => row.reasonCode(column)),
    attention: row.codes('attention', ATTENTIONS),
  }
  return withStatus(core, row)
}

function withStatus(core: ProposalCore, row: RowReader<ProposalColumns>): Proposal {
  const status = row.oneOf('status', STATUSES)
  switch (status) {
    case 'awaiting_approval':
    case 'approved':
      return { ...core, status }
    case 'executing':
    case 'verification_pending':
      return { ...core, status, attempt: row.integer('attempt') }
    case 'failed_unknown':
      return { ...core, status, attempt: row.integer('attempt'), reason: row.reasonCode('reason') }
    case 'verification_unresolved':
      return { ...core, status, reason: row.reasonCode('reason') }
    case 'verified':
      return { ...core, status, settledAt: row.integer('settled_at') }
    case 'failed_known':
    case 'closed_unknown':
      return { ...core, status, reason: row.reasonCode('reason'), settledAt: row.integer('settled_at') }
    case 'rejected':
    case 'expired':
      return { ...core, status, closedAt: row.integer('closed_at') }
    case 'withdrawn':
      return { ...core, status, reason: row.reasonCode('reason'), closedAt: row.integer('closed_at') }
    case 'stale':
      return {
        ...core,
        status,
        reason: row.reasonCode('reason'),
        driftPaths: row.texts('drift_paths'),
        replacedBy: row.maybe('replaced_by', (column) => row.reference(column)),
        closedAt: row.integer('closed_at'),
      }
    case 'superseded':
      return {
        ...core,
        status,
        supersededBy: row.reference('superseded_by'),
        closedAt: row.integer('closed_at'),
      }
  }
}
