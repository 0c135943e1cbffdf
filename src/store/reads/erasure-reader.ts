// Reads what erasure has still to do: proposals whose content is to go, and erased ones whose bytes may be in the files.
import type { Kysely } from 'kysely'
import { parseReference, type Reference } from '../../effect/reference.ts'
import { type Operation, rowsOf } from '../operation.ts'
import { erasureIsOpen } from '../partial-conditions.ts'
import { statement } from '../statement.ts'
import type { Tables, UnscrubbedTable } from '../tables.ts'

/** The operations that read what is still to be erased, and what is still to be scrubbed. */
export interface ErasureReader {
  open(tenant: Reference, after: Reference | null, limit: number): Operation<readonly Reference[]>
  unscrubbed(): Operation<readonly UnscrubbedTable[]>
}

/** The reads of open erasures over the statements of one database. */
export function erasureReader(db: Kysely<Tables>): ErasureReader {
  const openRows = statement((page: { tenant: string; after: string; limit: number }) => {
    const erased = db
      .selectFrom('unscrubbed')
      .select('proposal as ref')
      .where('tenant', '=', page.tenant)
      .where('proposal', '>', page.after)
    return db
      .selectFrom('proposals')
      .select('ref')
      .where('tenant', '=', page.tenant)
      .where(erasureIsOpen)
      .where('ref', '>', page.after)
      .unionAll(erased)
      .orderBy('ref')
      .limit(page.limit)
  })
  // Files hold the bytes of all tenants, so they are scrubbed for all of them at once.
  const unscrubbedRows = statement((_: object) => db.selectFrom('unscrubbed').select(['tenant', 'proposal']))

  return {
    *open(tenant, after, limit) {
      // No reference is empty, so every one comes after this.
      const rows = yield* rowsOf(openRows({ tenant, after: after ?? '', limit }))
      return rows.map(({ ref }) => parseReference(ref, ''))
    },

    *unscrubbed() {
      return yield* rowsOf(unscrubbedRows({}))
    },
  }
}
