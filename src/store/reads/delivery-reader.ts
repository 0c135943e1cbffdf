// Reads what is still to be delivered: the places of endpoints, the events of a queue, and dead letters.
import type { Kysely } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import type { DeadLetter, EndpointProgress, StoredEvent } from '../../runtime/ports.ts'
import { type Operation, rowsOf } from '../operation.ts'
import { deliveryIsDead } from '../partial-conditions.ts'
import { parseDeadLetter, parseEndpoint } from '../rows/delivery-row.ts'
import { parseEvent } from '../rows/event-row.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

/** The operations that read deliveries. */
export interface DeliveryReader {
  endpoints(tenant: Reference): Operation<readonly EndpointProgress[]>
  events(tenant: Reference, proposal: Reference, from: number, through: number): Operation<readonly StoredEvent[]>
  dead(
    tenant: Reference,
    after: Pick<DeadLetter, 'endpoint' | 'proposal'> | null,
    limit: number,
  ): Operation<readonly DeadLetter[]>
}

/** The reads of deliveries over the statements of one database. */
export function deliveryReader(db: Kysely<Tables>): DeliveryReader {
  const endpointRows = statement((key: { tenant: string }) => {
    return db.selectFrom('delivery_endpoints').selectAll().where('tenant', '=', key.tenant).orderBy('endpoint')
  })
  const eventRows = statement((range: { tenant: string; proposal: string; from: number; through: number }) => {
    return db
      .selectFrom('events')
      .selectAll()
      .where('tenant', '=', range.tenant)
      .where('proposal', '=', range.proposal)
      .where('position', '>=', range.from)
      .where('position', '<=', range.through)
      .orderBy('position')
  })
  const deadRows = statement((page: { tenant: string; endpoint: string; proposal: string; limit: number }) => {
    return db
      .selectFrom('deliveries')
      .selectAll()
      .where('tenant', '=', page.tenant)
      .where(deliveryIsDead)
      .where((eb) => eb(eb.refTuple('endpoint', 'proposal'), '>', eb.tuple(page.endpoint, page.proposal)))
      .orderBy('endpoint')
      .orderBy('proposal')
      .limit(page.limit)
  })

  return {
    *endpoints(tenant) {
      return (yield* rowsOf(endpointRows({ tenant }))).map(parseEndpoint)
    },
    *events(tenant, proposal, from, through) {
      return (yield* rowsOf(eventRows({ tenant, proposal, from, through }))).map(parseEvent)
    },
    *dead(tenant, after, limit) {
      // No reference is empty, so every one comes after this.
      const { endpoint, proposal } = after ?? { endpoint: '', proposal: '' }
      return (yield* rowsOf(deadRows({ tenant, endpoint, proposal, limit }))).map(parseDeadLetter)
    },
  }
}
