// Reads lists of proposals; each page by its keyset and through an index.
import { type Kysely, sql } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import { StoredDataCorrupt } from '../../proposal/errors.ts'
import type { Proposal } from '../../proposal/proposal.ts'
import type { ListQuery } from '../../runtime/ports.ts'
import { type Operation, rowsOf } from '../operation.ts'
import { attemptIsOpen, needsPerson, statusIsOpen } from '../partial-conditions.ts'
import { PROPOSAL_COLUMNS, type ProposalColumns, parseProposal } from '../rows/proposal-row.ts'
import { type Bound, bound } from '../statement.ts'
import type { Tables } from '../tables.ts'

/** Told of every row that a list had to leave out because it cannot be read. */
export type OnCorruptRow = (error: StoredDataCorrupt) => void

/** The operation that reads a page of proposals. */
export type ReadList = (query: ListQuery) => Operation<readonly Proposal[]>

/** The lists over the statements of one database. */
export function listReader(db: Kysely<Tables>, onCorruptRow: OnCorruptRow): ReadList {
  return function* list(query) {
    // Not every engine knows an empty list of values.
    if (query.statuses?.length === 0) return []
    const proposals: Proposal[] = []
    let after: string | undefined = query.after
    for (;;) {
      const wanted = query.limit - proposals.length
      const rows = yield* rowsOf(listQuery(db, query, { after, limit: wanted }))
      for (const row of rows) {
        try {
          proposals.push(parseProposal(row))
        } catch (error) {
          if (!(error instanceof StoredDataCorrupt)) throw error
          onCorruptRow(error)
        }
      }
      // A page that a corrupt row has shortened is filled up: whoever gets a short page takes it for the last one.
      if (rows.length < wanted || proposals.length === query.limit) return proposals
      after = rows.at(-1)?.ref
    }
  }
}

function listQuery(
  db: Kysely<Tables>,
  query: ListQuery,
  page: { readonly after: string | undefined; readonly limit: number },
): Bound<ProposalColumns> {
  const { tenant, statuses, actionName, requester, effect, subject, dueAt, decidedBy, order } = query
  let select = selectAll(db).where('tenant', '=', tenant).where('erasure', 'in', ['none', 'requested'])
  if (statuses !== undefined) select = select.where('status', 'in', statuses)
  if (actionName !== undefined) select = select.where('action_name', '=', actionName)
  if (requester !== undefined) select = select.where('requester', '=', requester)
  if (effect !== undefined) {
    select = select
      .where('tenant', '=', effect.tenant)
      .where('effect_domain', '=', effect.domain)
      .where('effect_reference', '=', effect.reference)
  }
  if (subject !== undefined) select = select.where('subject', '=', subject)
  if (query.needsPerson !== undefined) select = select.where(needsPerson)
  if (dueAt !== undefined) select = select.where('ref', 'in', dueRefs(db, tenant, dueAt))
  if (decidedBy !== undefined) select = select.where('ref', 'in', decidedRefs(db, tenant, decidedBy))
  return bound(inOrder(db, select, { tenant, order, after: page.after }).limit(page.limit))
}

type Select = ReturnType<typeof selectAll>

function selectAll(db: Kysely<Tables>) {
  return db.selectFrom('proposals').select(PROPOSAL_COLUMNS)
}

interface Order {
  readonly tenant: Reference
  readonly order: ListQuery['order']
  readonly after: string | undefined
}

// The place is a reference alone; when it expires, or expired, is still in its row, whatever was erased of it.
function inOrder(db: Kysely<Tables>, select: Select, { tenant, order, after }: Order): Select {
  if (order === 'oldest') {
    return (after === undefined ? select : select.where('ref', '>', after)).orderBy('ref')
  }
  if (order === undefined) {
    return (after === undefined ? select : select.where('ref', '<', after)).orderBy('ref', 'desc')
  }
  const open = select.where(statusIsOpen).orderBy('expires_at').orderBy('ref')
  if (after === undefined) return open
  const end = db.selectFrom('proposals').select('expires_at').where('tenant', '=', tenant).where('ref', '=', after)
  return open.where((where) => where(where.refTuple('expires_at', 'ref'), '>', where.tuple(end, sql.val(after))))
}

// What one person decided on, off an index of its own: it costs what they decided, whatever else the tenant holds.
function decidedRefs(db: Kysely<Tables>, tenant: Reference, decidedBy: string) {
  return db.selectFrom('approvals').select('proposal').where('tenant', '=', tenant).where('approver', '=', decidedBy)
}

// Three small ranges, each through its partial index. What is due at an effect is done through its owner.
function dueRefs(db: Kysely<Tables>, tenant: Reference, dueAt: number) {
  const expired = db
    .selectFrom('proposals')
    .select('ref')
    .where('tenant', '=', tenant)
    .where(statusIsOpen)
    .where('expires_at', '<=', dueAt)
  const unverified = db
    .selectFrom('effects')
    .select('owner as ref')
    .where('tenant', '=', tenant)
    .where('verify_due_at', '<=', dueAt)
    .where('owner', 'is not', null)
    .$narrowType<{ ref: string }>()
  const lapsed = db
    .selectFrom('attempts')
    .innerJoin('effects', (join) => {
      return join
        .onRef('effects.tenant', '=', 'attempts.tenant')
        .onRef('effects.domain', '=', 'attempts.domain')
        .onRef('effects.reference', '=', 'attempts.reference')
    })
    .select('effects.owner as ref')
    .where('attempts.tenant', '=', tenant)
    .where(attemptIsOpen)
    .where('attempts.lease_until', '<=', dueAt)
    .where('effects.owner', 'is not', null)
    .$narrowType<{ ref: string }>()
  return expired.union(unverified).union(lapsed)
}
