// Remembers what a runtime brings to its store: the check value of its reference key and the domains of its actions.
import type { Kysely } from 'kysely'
import { StoredDataCorrupt } from '../../proposal/errors.ts'
import type { Store, StoreIdentity } from '../../runtime/ports.ts'
import { changedBy, firstOf, type Operation, rowsOf } from '../operation.ts'
import { RowReader } from '../rows/row-reader.ts'
import { statement } from '../statement.ts'
import type { ActionDomainsTable, Tables } from '../tables.ts'

/** The operation; what was remembered before is never changed, so whoever calls compares. Spec: rules R9. */
export type AdoptIdentity = (claims: Parameters<Store['adopt']>[0]) => Operation<StoreIdentity>

/** The adoption over the statements of one database. */
export function identityAdopter(db: Kysely<Tables>): AdoptIdentity {
  const rememberKey = statement((values: { check: string }) => {
    return db
      .updateTable('store_identity')
      .set({ reference_key_check: values.check })
      .where('id', '=', 1)
      .where('reference_key_check', 'is', null)
  })
  const rememberDomain = statement((row: ActionDomainsTable) => {
    return db
      .insertInto('action_domains')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
  })
  const identity = db.selectFrom('store_identity').selectAll().where('id', '=', 1)
  const identityRow = statement((_: object) => identity)
  const domains = db.selectFrom('action_domains').selectAll().orderBy('action_name').orderBy('domain')
  const domainRows = statement((_: object) => domains)

  return function* adoptIdentity(claims) {
    yield* changedBy(rememberKey({ check: claims.referenceKeyCheck }))
    for (const [actionName, domain] of Object.entries(claims.domains)) {
      yield* changedBy(rememberDomain({ action_name: actionName, domain }))
    }
    const stored = yield* firstOf(identityRow({}))
    if (stored === null) throw new StoredDataCorrupt('store_identity/1')
    const row = new RowReader(stored, 'store_identity', [1])
    const byAction = new Map<string, string[]>()
    for (const known of yield* rowsOf(domainRows({}))) {
      byAction.set(known.action_name, [...(byAction.get(known.action_name) ?? []), known.domain])
    }
    return {
      storeId: row.text('store_id'),
      referenceKeyCheck: row.text('reference_key_check'),
      domains: Object.fromEntries(byAction),
    }
  }
}
