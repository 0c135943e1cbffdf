// The chain of receipts: how each is hashed over the one before it.
import { canonicalJson, type JsonValue } from '../../effect/canonical-json.ts'
import { digestHex } from '../content/digest.ts'
import type { Receipt, ReceiptBody } from './receipt.ts'

/** Stands where the first receipt names the one before it: 64 zeros. */
export const FIRST_HASH: string = '0'.repeat(64)

/** The end of a chain, to which the next receipt is linked. */
export type ChainHead = Pick<Receipt, 'sequence' | 'hash'>

/** What a receipt is about, before it has a place in a chain. */
export type ReceiptDraft = Pick<Receipt, 'tenant' | 'proposal'> & { readonly body: ReceiptBody }

/**
 * The hash of a receipt: SHA-256 in hex over the proposal's salt and the canonical receipt without its hash. The salt
 * keeps anybody from finding out erased content by trying. Spec: lifecycle 10.
 */
export function receiptHash(salt: Uint8Array, receipt: Omit<Receipt, 'hash'>): string {
  const { tenant, proposal, sequence, previousHash, body } = receipt
  const content: JsonValue = { tenant, proposal, sequence, previousHash, body: body && { ...body } }
  return digestHex(['countersign/receipt/v1', salt, canonicalJson(content, { numbers: 'integers' })])
}

/** The draft as the next receipt after `previous`; null starts a chain, with sequence 1. */
export function chainReceipt(salt: Uint8Array, previous: ChainHead | null, draft: ReceiptDraft): Receipt {
  const receipt = {
    tenant: draft.tenant,
    proposal: draft.proposal,
    sequence: (previous?.sequence ?? 0) + 1,
    body: draft.body,
    previousHash: previous?.hash ?? FIRST_HASH,
  }
  return { ...receipt, hash: receiptHash(salt, receipt) }
}
