// Reads proposals one by one: live ones with their decisions, content and key, erased ones as their tombstones.
import type { Kysely } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import { StoredDataCorrupt } from '../../proposal/errors.ts'
import type { Receipt } from '../../proposal/receipts/receipt.ts'
import type { ErasedProposal, LiveProposal } from '../../runtime/ports.ts'
import { firstOf, type Operation, rowsOf, together } from '../operation.ts'
import { parseApprovals } from '../rows/approval-row.ts'
import { parseProposal } from '../rows/proposal-row.ts'
import { parseReceipt } from '../rows/receipt-row.ts'
import { RowReader } from '../rows/row-reader.ts'
import { parseTombstone } from '../rows/tombstone-row.ts'
import { statement } from '../statement.ts'
import { parseKey } from './key-reader.ts'
import type { Tables } from '../tables.ts'

/** The operations that read one proposal. */
export interface ProposalReader {
  proposal(tenant: Reference, ref: Reference): Operation<LiveProposal | ErasedProposal | null>
  receipts(tenant: Reference, ref: Reference): Operation<readonly Receipt[]>
  byRequestKey(tenant: Reference, hash: string): Operation<Reference | null>
}

interface ProposalKey {
  readonly tenant: string
  readonly ref: string
}

/** The reads of proposals over the statements of one database. */
export function proposalReader(db: Kysely<Tables>): ProposalReader {
  const proposalRow = statement((key: ProposalKey) => {
    return db.selectFrom('proposals').selectAll().where('tenant', '=', key.tenant).where('ref', '=', key.ref)
  })
  const approvalRows = statement((key: ProposalKey) => {
    return db
      .selectFrom('approvals')
      .selectAll()
      .where('tenant', '=', key.tenant)
      .where('proposal', '=', key.ref)
      .orderBy('number')
  })
  const keyRow = statement((key: ProposalKey) => {
    return db.selectFrom('keys').selectAll().where('tenant', '=', key.tenant).where('proposal', '=', key.ref)
  })
  const lastReceipt = statement((key: ProposalKey) => {
    return db
      .selectFrom('receipts')
      .selectAll()
      .where('tenant', '=', key.tenant)
      .where('proposal', '=', key.ref)
      .orderBy('sequence', 'desc')
      .limit(1)
  })
  const receiptRows = statement((key: ProposalKey) => {
    return db
      .selectFrom('receipts')
      .selectAll()
      .where('tenant', '=', key.tenant)
      .where('proposal', '=', key.ref)
      .orderBy('sequence')
  })
  const requestKey = statement((key: { tenant: string; hash: string }) => {
    return db.selectFrom('request_keys').selectAll().where('tenant', '=', key.tenant).where('hash', '=', key.hash)
  })

  return {
    *proposal(tenant, ref) {
      const key = { tenant, ref }
      const [stored, approvals, wrapped, receipt] = yield* together([
        firstOf(proposalRow(key)),
        rowsOf(approvalRows(key)),
        firstOf(keyRow(key)),
        firstOf(lastReceipt(key)),
      ])
      if (stored === null) return null
      if (stored.erasure === 'erased') return { kind: 'erased', tombstone: parseTombstone(stored) }
      if (wrapped === null) throw new StoredDataCorrupt(`keys/${tenant}/${ref}`)
      if (receipt?.sequence !== stored.revision + 1) throw new StoredDataCorrupt(`receipts/${tenant}/${ref}`)
      const row = new RowReader(stored, 'proposals', [tenant, ref])
      return {
        kind: 'live',
        proposal: parseProposal(stored),
        ...parseApprovals(approvals),
        content: { snapshot: row.bytes('snapshot'), preview: row.bytes('preview') },
        result: row.maybe('result', (column) => row.bytes(column)),
        key: parseKey(wrapped),
        receiptSalt: row.bytes('receipt_salt'),
        lastHash: parseReceipt(receipt).hash,
      }
    },

    *receipts(tenant, ref) {
      return (yield* rowsOf(receiptRows({ tenant, ref }))).map(parseReceipt)
    },

    *byRequestKey(tenant, hash) {
      const stored = yield* firstOf(requestKey({ tenant, hash }))
      return stored && new RowReader(stored, 'request_keys', [tenant, hash]).reference('proposal')
    },
  }
}
