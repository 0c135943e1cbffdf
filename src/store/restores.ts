// The book of restores: what a store knows of itself to be held against its witness, and what closes it to admissions.
import { type Kysely, sql } from 'kysely'
import type { ReasonCode, Reference } from '../effect/reference.ts'
import type { RestoreFinding, Witnessed } from '../effect/witness.ts'
import { StoredDataCorrupt } from '../proposal/errors.ts'
import type { ErasedRef, Restore, RestoreState } from '../runtime/ports.ts'
import type { Capabilities } from './capabilities.ts'
import { changedBy, firstOf, type Operation, rowsOf } from './operation.ts'
import { RowReader } from './rows/row-reader.ts'
import { statement } from './statement.ts'
import type { ReadTime } from './store-time.ts'
import type { RestoresTable } from './restore-tables.ts'
import type { Tables } from './tables.ts'

/** What is counted together with a change, in its transaction. */
export interface Counts {
  readonly admissions: number
  readonly erasures: number
  readonly restores: number
}

/** The operations on the book. */
export interface RestoreBook {
  /** What the store knows, in the form in which a witness knows it. */
  known(): Operation<Witnessed>
  state(): Operation<RestoreState>
  /** Closes the store to admissions, unless it is closed already. */
  close(finding: RestoreFinding, witnessed: number | null): Operation<void>
  acknowledge(by: Reference, reason: ReasonCode): Operation<Restore | null>
  /** Which of these have their content, with nobody who asks for it to go. */
  withContent(erased: readonly ErasedRef[]): Operation<readonly ErasedRef[]>
}

const FINDINGS = ['behind', 'changed', 'missing', 'moved'] as const satisfies readonly RestoreFinding[]

/** The book over the statements of one database. */
export function restoreBook(db: Kysely<Tables>, { place }: Capabilities, time: ReadTime): RestoreBook {
  const acknowledged = db
    .selectFrom('restores')
    .select(({ fn }) => fn.countAll<number>().as('restores'))
    .where('acknowledged_at', 'is not', null)
  const knownRow = statement((_: object) => {
    return db
      .selectFrom('store_identity')
      .innerJoin('store_counts', 'store_counts.id', 'store_identity.id')
      .select(['store_id', 'admissions', 'erasures', place.as('place')])
      .select(acknowledged.as('restores'))
  })
  const newest = statement((_: object) => db.selectFrom('restores').selectAll().orderBy('number', 'desc').limit(2))
  const insert = statement((row: RestoresTable) => db.insertInto('restores').values(row))
  const acknowledge = statement((row: { number: number; at: number; by: string; reason: string }) => {
    return db
      .updateTable('restores')
      .set({ acknowledged_at: row.at, acknowledged_by: row.by, reason: row.reason })
      .where('number', '=', row.number)
      .where('acknowledged_at', 'is', null)
  })
  const erasure = statement((key: { tenant: string; ref: string }) => {
    return db.selectFrom('proposals').select('erasure').where('tenant', '=', key.tenant).where('ref', '=', key.ref)
  })

  function* known(): Operation<Witnessed> {
    const stored = yield* firstOf(knownRow({}))
    if (stored === null) throw new StoredDataCorrupt('store_counts/1')
    const row = new RowReader(stored, 'store_counts', [1])
    return {
      storeId: row.text('store_id'),
      place: row.maybe('place', (column) => row.text(column)),
      restores: row.integer('restores'),
      admissions: row.integer('admissions'),
      erasures: row.integer('erasures'),
    }
  }

  function* state(): Operation<RestoreState> {
    const found = (yield* rowsOf(newest({}))).map(restoreOf)
    const [last = null] = found
    const open = last !== null && last.acknowledged === null ? last : null
    return { open, last: open === null ? last : (found[1] ?? null) }
  }

  return {
    known,
    state,
    *close(finding, witnessed) {
      const { open, last } = yield* state()
      if (open !== null) return
      const { admissions } = yield* known()
      const row = { number: (last?.number ?? 0) + 1, finding, found_at: yield* time(), admissions, witnessed }
      yield* changedBy(insert({ ...row, acknowledged_at: null, acknowledged_by: null, reason: null }))
    },
    *acknowledge(by, reason) {
      const { open } = yield* state()
      if (open === null) return null
      const at = yield* time()
      const changed = yield* changedBy(acknowledge({ number: open.number, at, by, reason }))
      return changed === 1 ? { ...open, acknowledged: { at, by, reason } } : null
    },
    *withContent(erased) {
      const whole: ErasedRef[] = []
      for (const one of erased) {
        const stored = yield* firstOf(erasure({ tenant: one.tenant, ref: one.proposal }))
        if (stored?.erasure === 'none') whole.push(one)
      }
      return whole
    },
  }
}

/** Counts a change in its own transaction, as the last thing that it locks. */
export function changeCounter(db: Kysely<Tables>): (by: Omit<Counts, 'restores'>) => Operation<Counts> {
  const count = statement((by: { admissions: number; erasures: number }) => {
    return db
      .updateTable('store_counts')
      .set({
        admissions: sql<number>`admissions + ${by.admissions}`,
        erasures: sql<number>`erasures + ${by.erasures}`,
      })
      .where('id', '=', 1)
      .returning([
        'admissions',
        'erasures',
        sql<number>`(select count(*) from restores where acknowledged_at is not null)`.as('restores'),
      ])
  })
  return function* counted(by) {
    const stored = yield* firstOf(count(by))
    if (stored === null) throw new StoredDataCorrupt('store_counts/1')
    return stored
  }
}

function restoreOf(stored: RestoresTable): Restore {
  const row = new RowReader(stored, 'restores', [stored.number])
  const at = row.maybe('acknowledged_at', (column) => row.integer(column))
  return {
    number: row.integer('number'),
    finding: row.oneOf('finding', FINDINGS),
    foundAt: row.integer('found_at'),
    admissions: row.integer('admissions'),
    witnessed: row.maybe('witnessed', (column) => row.integer(column)),
    acknowledged:
      at === null
        ? null
        : {
            at,
            by: row.reference('acknowledged_by'),
            reason: row.reasonCode('reason'),
          },
  }
}
