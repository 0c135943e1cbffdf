// Reads wrapped keys for their rotation, tenant by tenant.
import { type Kysely, sql } from 'kysely'
import { parseReference, type Reference } from '../../effect/reference.ts'
import type { StoredKey, WrappedKey } from '../../runtime/ports.ts'
import { type Operation, rowsOf } from '../operation.ts'
import { RowReader } from '../rows/row-reader.ts'
import { statement } from '../statement.ts'
import type { KeysTable, Tables } from '../tables.ts'

/** The operations that read keys by what they are wrapped under. */
export interface KeyReader {
  tenants(): Operation<readonly Reference[]>
  notUnder(
    tenant: Reference,
    kekVersion: string,
    after: Reference | null,
    limit: number,
  ): Operation<readonly StoredKey[]>
}

/** The reads of keys over the statements of one database. */
export function keyReader(db: Kysely<Tables>): KeyReader {
  // From one tenant straight to the next, past all the proposals in between.
  const tenantRows = statement((_: object) => {
    return db
      .withRecursive('known(tenant)', (query) => {
        const next = sql<string | null>`(select min(later.tenant) from proposals as later
          where later.tenant > known.tenant)`.as('tenant')
        return query
          .selectFrom('proposals')
          .select(({ fn }) => fn.min<string | null>('tenant').as('tenant'))
          .unionAll((more) => more.selectFrom('known').select(next).where('known.tenant', 'is not', null))
      })
      .selectFrom('known')
      .select('tenant')
      .where('tenant', 'is not', null)
      .$narrowType<{ tenant: string }>()
  })
  const keyRows = statement((page: { tenant: string; version: string; after: string; limit: number }) => {
    return db
      .selectFrom('keys')
      .selectAll()
      .where('tenant', '=', page.tenant)
      .where('proposal', '>', page.after)
      .where('kek_version', '<>', page.version)
      .orderBy('proposal')
      .limit(page.limit)
  })

  return {
    *tenants() {
      return (yield* rowsOf(tenantRows({}))).map(({ tenant }) => parseReference(tenant, ''))
    },

    *notUnder(tenant, version, after, limit) {
      // No reference is empty, so every one comes after this.
      const rows = yield* rowsOf(keyRows({ tenant, version, after: after ?? '', limit }))
      return rows.map((stored) => ({ proposal: parseReference(stored.proposal, ''), ...parseKey(stored) }))
    },
  }
}

/** @throws StoredDataCorrupt */
export function parseKey(stored: KeysTable): WrappedKey {
  const row = new RowReader(stored, 'keys', [stored.tenant, stored.proposal])
  return { kekVersion: row.text('kek_version'), wrapped: row.bytes('wrapped') }
}
