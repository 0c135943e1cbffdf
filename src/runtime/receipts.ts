// Receipts: the chain of one proposal, and whether it is whole.
import type { Receipt } from '../proposal/receipts/receipt.ts'
import type { CallerSession } from '../proposal/session.ts'
import { type ReceiptsCheck, verifyReceipts } from '../proposal/receipts/verify-receipts.ts'
import type { Core } from './core.ts'
import { loadAny } from './load.ts'

/** A chain, and what its hashes, its order and the lifecycle say about it. */
export interface ReceiptsView {
  readonly receipts: readonly Receipt[]
  readonly check: ReceiptsCheck
}

/** Spec: lifecycle 10. After erasure only the links can be checked. */
export async function receipts(core: Core, session: CallerSession, ref: string): Promise<ReceiptsView> {
  const { stored } = await loadAny(core, session, ref)
  if (stored.kind === 'erased') {
    const { tenant, receiptCount, lastHash } = stored.tombstone
    const chain = await core.store.receipts(tenant, stored.tombstone.ref)
    return { receipts: chain, check: verifyReceipts(chain, null, { sequence: receiptCount, hash: lastHash }) }
  }
  const { proposal, receiptSalt, lastHash } = stored
  const chain = await core.store.receipts(proposal.tenant, proposal.ref)
  const head = { sequence: proposal.revision + 1, hash: lastHash }
  return { receipts: chain, check: verifyReceipts(chain, receiptSalt, head) }
}
