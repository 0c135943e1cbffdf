// Sample changes: each a valid step of a lifecycle, built from what a store answered before.
import { createHash } from 'node:crypto'
import type { Proposal } from '../../proposal/proposal.ts'
import type { Receipt, ReceiptBody, ReceiptType } from '../../proposal/receipts/receipt.ts'
import type { Status } from '../../proposal/status.ts'
import type { Tombstone } from '../../proposal/tombstone.ts'
import type { Change, LiveProposal, ProposalInsert } from '../../runtime/ports.ts'
import { parseReasonCode } from '../../effect/reference.ts'
import { nextSerial } from './sample-proposals.ts'

/** What a proposal's next change builds on. */
export type Head = Pick<LiveProposal, 'proposal' | 'lastHash'>

/** Bytes that stand for sealed content; the text can be found in files. */
export function sealed(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** A change that does nothing yet. */
export function emptyChange(tenant: Change['tenant']): Change {
  return {
    changeId: `change-${nextSerial()}`,
    tenant,
    notAfter: null,
    notBefore: null,
    proposals: [],
    effect: null,
    call: null,
    approvals: [],
    receipts: [],
    events: [],
  }
}

/** The change that stores a new proposal. */
export function inserting(proposal: Proposal, overrides: Partial<ProposalInsert> = {}): Change {
  const insert: ProposalInsert = {
    kind: 'insert',
    proposal,
    content: { snapshot: sealed(`snapshot of ${proposal.ref}`), preview: sealed(`preview of ${proposal.ref}`) },
    key: { kekVersion: 'k1', wrapped: sealed(`key of ${proposal.ref}`) },
    receiptSalt: sealed(`salt of ${proposal.ref}`),
    requestKeyHash: null,
    ...overrides,
  }
  return {
    ...emptyChange(proposal.tenant),
    proposals: [insert],
    receipts: [receiptFor(null, proposal, 'proposal.prepared')],
    events: [{ ...eventOf(proposal), type: 'proposal.prepared' }],
  }
}

/** The change that stores the next revision of a proposal. */
export function updating(before: Head, after: Proposal, overrides: Partial<Change> = {}): Change {
  return {
    ...emptyChange(after.tenant),
    proposals: [{ kind: 'update', proposal: after }],
    receipts: [receiptFor(before, after, 'execution.blocked')],
    events: [{ ...eventOf(after), type: 'proposal.closed' }],
    ...overrides,
  }
}

/** The change that erases a proposal; it must be closed. */
export function erasing(before: Head, overrides: Partial<Tombstone> = {}): Change {
  const { proposal } = before
  const revision = proposal.revision + 1
  const receipt = receiptFor(before, { ...proposal, revision }, 'proposal.erased')
  const tombstone: Tombstone = {
    tenant: proposal.tenant,
    ref: proposal.ref,
    action: proposal.action,
    effect: proposal.effect,
    status: proposal.status,
    evidence: null,
    attemptCount: 0,
    revision,
    createdAt: proposal.createdAt,
    expiresAt: proposal.expiresAt,
    settledAt: 'settledAt' in proposal ? proposal.settledAt : null,
    erasedAt: proposal.updatedAt,
    reason: parseReasonCode('data_subject_request', ''),
    metRequirements: ['finance'],
    replacedBy: null,
    supersededBy: 'supersededBy' in proposal ? proposal.supersededBy : null,
    receiptCount: revision + 1,
    lastHash: receipt.hash,
    ...overrides,
  }
  return {
    ...emptyChange(proposal.tenant),
    proposals: [{ kind: 'erase', tombstone }],
    receipts: [receipt],
    events: [{ ...eventOf({ ...proposal, revision }), type: 'proposal.erased' }],
  }
}

/** The receipt that continues a chain; what it says is made up, its links are right. */
function receiptFor(before: Head | null, after: Written, type: ReceiptType): Receipt {
  const previousHash = before?.lastHash ?? '0'.repeat(64)
  const sequence = after.revision + 1
  const body: ReceiptBody = {
    type,
    at: after.updatedAt,
    participant: 'user:alice',
    trigger: null,
    action: after.action,
    status: after.status,
    attempt: null,
    reason: null,
    externalReference: null,
    detail: ['/amount'],
    runtimeVersion: '0.0.0',
  }
  const hash = createHash('sha256')
    .update(JSON.stringify([previousHash, sequence, body]))
    .digest('hex')
  return { tenant: after.tenant, proposal: after.ref, sequence, body, previousHash, hash }
}

/** What a receipt and an event are about. */
interface Written {
  readonly tenant: Proposal['tenant']
  readonly ref: Proposal['ref']
  readonly action: string
  readonly status: Status
  readonly revision: number
  readonly updatedAt: number
}

function eventOf({ ref, status, revision, updatedAt }: Written): Omit<Change['events'][number], 'type'> {
  return { proposal: ref, status, revision, at: updatedAt }
}
