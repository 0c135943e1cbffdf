// Reads the outbox of a tenant in its order.
import type { Kysely } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import type { StoredEvent } from '../../runtime/ports.ts'
import { type Operation, rowsOf } from '../operation.ts'
import { parseEvent } from '../rows/event-row.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

/** The operation that reads events after a position. */
export interface EventReader {
  events(tenant: Reference, after: number, limit: number): Operation<readonly StoredEvent[]>
}

/** The read of the outbox over the statements of one database. */
export function eventReader(db: Kysely<Tables>): EventReader {
  const eventRows = statement((page: { tenant: string; after: number; limit: number }) => {
    return db
      .selectFrom('events')
      .selectAll()
      .where('tenant', '=', page.tenant)
      .where('position', '>', page.after)
      .orderBy('position')
      .limit(page.limit)
  })
  return {
    *events(tenant, after, limit) {
      return (yield* rowsOf(eventRows({ tenant, after, limit }))).map(parseEvent)
    },
  }
}
