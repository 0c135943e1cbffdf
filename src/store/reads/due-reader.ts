// Reads what is due, kind by kind; each page by its keyset and through an index that holds little else.
import { type Kysely, sql } from 'kysely'
import { isReference } from '../../effect/reference.ts'
import type { DueItem, DueQuery } from '../../runtime/ports.ts'
import { type Operation, rowsOf } from '../operation.ts'
import {
  attemptIsOpen,
  isApproved,
  isClosedAndKept,
  isSettledAndKept,
  statusIsInDoubt,
  statusIsOpen,
} from '../partial-conditions.ts'
import { type Statement, statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

/** The operation that reads a page of what is due. */
export type ReadDue = (query: DueQuery) => Operation<readonly DueItem[]>

/** The values of a page; `action` is empty where a kind knows none. */
interface Page {
  readonly tenant: string
  readonly action: string
  readonly until: number
  readonly afterAt: number
  readonly afterRef: string
  readonly limit: number
}

interface DueRow {
  readonly at: number | null
  readonly ref: string | null
}

/** Comes before every other one: no reference is empty. */
const START: DueItem = { at: Number.MIN_SAFE_INTEGER, ref: '' as DueItem['ref'] }

/** The pages of due work over the statements of one database. */
export function dueReader(db: Kysely<Tables>): ReadDue {
  const pages = pagesOf(db)

  return function* due(query) {
    const { kind, tenant, until, limit } = query
    const action = 'action' in query ? query.action : ''
    const items: DueItem[] = []
    let after: { readonly at: number; readonly ref: string } = query.after ?? START
    for (;;) {
      const wanted = limit - items.length
      const page = { tenant, action, until, afterAt: after.at, afterRef: after.ref, limit: wanted }
      const rows = yield* rowsOf(pages[kind](page))
      for (const { at, ref } of rows) if (isReference(ref)) items.push({ at: Number(at), ref })
      const last = rows.at(-1)
      // A page that a damaged row has shortened is filled up: whoever gets a short page takes it for the last one.
      if (rows.length < wanted || items.length === limit || last === undefined) return items
      after = { at: Number(last.at), ref: last.ref ?? '' }
    }
  }
}

type Pages<Kind extends DueQuery['kind'] = DueQuery['kind']> = Readonly<Record<Kind, Statement<Page, DueRow>>>

function pagesOf(db: Kysely<Tables>): Pages {
  return { ...openPages(db), ...effectPages(db), ...unscheduledPages(db), ...keptPages(db) }
}

function openPages(db: Kysely<Tables>): Pages<'expiry' | 'execution'> {
  const expiry = statement((page: Page) => {
    return db
      .selectFrom('proposals')
      .select(['expires_at as at', 'ref'])
      .where('tenant', '=', page.tenant)
      .where(statusIsOpen)
      .where('expires_at', '<=', page.until)
      .where((eb) => eb(eb.refTuple('expires_at', 'ref'), '>', eb.tuple(page.afterAt, page.afterRef)))
      .orderBy('expires_at')
      .orderBy('ref')
      .limit(page.limit)
  })
  const execution = statement((page: Page) => {
    return db
      .selectFrom('proposals')
      .select(['expires_at as at', 'ref'])
      .where('tenant', '=', page.tenant)
      .where('action', '=', page.action)
      .where(isApproved)
      .where('expires_at', '>', page.until)
      .where((eb) => eb(eb.refTuple('expires_at', 'ref'), '>', eb.tuple(page.afterAt, page.afterRef)))
      .orderBy('expires_at')
      .orderBy('ref')
      .limit(page.limit)
  })
  return { expiry, execution }
}

function effectPages(db: Kysely<Tables>): Pages<'verification' | 'lease'> {
  const verification = statement((page: Page) => {
    return db
      .selectFrom('effects')
      .select(['verify_due_at as at', 'owner as ref'])
      .where('tenant', '=', page.tenant)
      .where('verify_due_at', 'is not', null)
      .where('verify_due_at', '<=', page.until)
      .where('owner', 'is not', null)
      .where((eb) => eb(eb.refTuple('verify_due_at', 'owner'), '>', eb.tuple(page.afterAt, page.afterRef)))
      .orderBy('verify_due_at')
      .orderBy('owner')
      .limit(page.limit)
  })
  const lease = statement((page: Page) => {
    return db
      .selectFrom('attempts')
      .select(['lease_until as at', 'proposal as ref'])
      .where('tenant', '=', page.tenant)
      .where(attemptIsOpen)
      .where('lease_until', '<=', page.until)
      .where((eb) => eb(eb.refTuple('lease_until', 'proposal'), '>', eb.tuple(page.afterAt, page.afterRef)))
      .orderBy('lease_until')
      .orderBy('proposal')
      .limit(page.limit)
  })
  return { verification, lease }
}

// Few are in doubt, and hardly ever one of them is of this kind: all of them are looked through.
function unscheduledPages(db: Kysely<Tables>): Pages<'unscheduled'> {
  const unscheduled = statement((page: Page) => {
    return db
      .selectFrom('proposals')
      .innerJoin('effects', (join) => {
        return join
          .onRef('effects.tenant', '=', 'proposals.tenant')
          .onRef('effects.domain', '=', 'proposals.effect_domain')
          .onRef('effects.reference', '=', 'proposals.effect_reference')
          .onRef('effects.owner', '=', 'proposals.ref')
      })
      .select([sql<number>`0`.as('at'), 'proposals.ref as ref'])
      .where('proposals.tenant', '=', page.tenant)
      .where(statusIsInDoubt)
      .where('proposals.ref', '>', page.afterRef)
      .where('effects.verify_due_at', 'is', null)
      .where((eb) => {
        const open = eb
          .selectFrom('attempts')
          .select('attempts.number')
          .whereRef('attempts.tenant', '=', 'effects.tenant')
          .whereRef('attempts.domain', '=', 'effects.domain')
          .whereRef('attempts.reference', '=', 'effects.reference')
          .where('attempts.ended_at', 'is', null)
        return eb.not(eb.exists(open))
      })
      .orderBy('proposals.ref')
      .limit(page.limit)
  })
  return { unscheduled }
}

function keptPages(db: Kysely<Tables>): Pages<'settled' | 'closed'> {
  const settled = statement((page: Page) => {
    return db
      .selectFrom('proposals')
      .select(['settled_at as at', 'ref'])
      .where('tenant', '=', page.tenant)
      .where('action', '=', page.action)
      .where(isSettledAndKept)
      .where('settled_at', '<=', page.until)
      .where((eb) => eb(eb.refTuple('settled_at', 'ref'), '>', eb.tuple(page.afterAt, page.afterRef)))
      .orderBy('settled_at')
      .orderBy('ref')
      .limit(page.limit)
  })
  const closed = statement((page: Page) => {
    return db
      .selectFrom('proposals')
      .select(['closed_at as at', 'ref'])
      .where('tenant', '=', page.tenant)
      .where('action', '=', page.action)
      .where(isClosedAndKept)
      .where('closed_at', '<=', page.until)
      .where((eb) => eb(eb.refTuple('closed_at', 'ref'), '>', eb.tuple(page.afterAt, page.afterRef)))
      .orderBy('closed_at')
      .orderBy('ref')
      .limit(page.limit)
  })
  return { settled, closed }
}
