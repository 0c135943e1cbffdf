// The row of a receipt: what it says in columns of its own, and its links, which outlive erasure.
import { RECEIPT_TYPES, type Receipt, type ReceiptBody } from '../../proposal/receipts/receipt.ts'
import { STATUSES } from '../../proposal/status.ts'
import { canonicalText } from '../canonical-text.ts'
import type { ReceiptsTable } from '../tables.ts'
import { RowReader } from './row-reader.ts'

/** The row of a receipt; without a body only the links are written. */
export function receiptRow(receipt: Receipt): ReceiptsTable {
  const { body } = receipt
  return {
    tenant: receipt.tenant,
    proposal: receipt.proposal,
    sequence: receipt.sequence,
    type: body && body.type,
    at: body && body.at,
    participant: body && body.participant,
    caller: body && body.trigger,
    action: body && body.action,
    status: body && body.status,
    attempt: body && body.attempt,
    reason: body && body.reason,
    external_reference: body && body.externalReference,
    detail: body && canonicalText(body.detail),
    runtime_version: body && body.runtimeVersion,
    previous_hash: receipt.previousHash,
    hash: receipt.hash,
  }
}

/** @throws StoredDataCorrupt */
export function parseReceipt(stored: ReceiptsTable): Receipt {
  const row = new RowReader(stored, 'receipts', [stored.tenant, stored.proposal, stored.sequence])
  return {
    tenant: row.reference('tenant'),
    proposal: row.reference('proposal'),
    sequence: row.integer('sequence'),
    body: row.maybe('type', () => parseBody(row)),
    previousHash: row.text('previous_hash'),
    hash: row.text('hash'),
  }
}

function parseBody(row: RowReader<ReceiptsTable>): ReceiptBody {
  return {
    type: row.oneOf('type', RECEIPT_TYPES),
    at: row.integer('at'),
    participant: row.maybe('participant', (column) => row.text(column)),
    trigger: row.maybe('caller', (column) => row.text(column)),
    action: row.text('action'),
    status: row.oneOf('status', STATUSES),
    attempt: row.maybe('attempt', (column) => row.integer(column)),
    reason: row.maybe('reason', (column) => row.reasonCode(column)),
    externalReference: row.maybe('external_reference', (column) => row.reference(column)),
    detail: row.texts('detail'),
    runtimeVersion: row.text('runtime_version'),
  }
}
