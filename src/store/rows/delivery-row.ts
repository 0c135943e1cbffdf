// The rows of deliveries: an endpoint's place in the outbox, and a queue, alive or dead.
import type { DeadLetter, Delivery, EndpointProgress } from '../../runtime/ports.ts'
import type { DeliveriesTable, DeliveryEndpointsTable } from '../delivery-tables.ts'
import { RowReader } from './row-reader.ts'

/** @throws StoredDataCorrupt */
export function parseEndpoint(stored: DeliveryEndpointsTable): EndpointProgress {
  const row = new RowReader(stored, 'delivery_endpoints', [stored.tenant, stored.endpoint])
  return {
    endpoint: row.reference('endpoint'),
    readThrough: row.integer('read_through'),
    disabledAt: row.maybe('disabled_at', (column) => row.integer(column)),
  }
}

/** @throws StoredDataCorrupt */
export function parseDelivery(stored: DeliveriesTable): Delivery {
  return deliveryOf(readerOf(stored))
}

/** @throws StoredDataCorrupt */
export function parseDeadLetter(stored: DeliveriesTable): DeadLetter {
  const row = readerOf(stored)
  return { ...deliveryOf(row), reason: row.reasonCode('reason'), deadAt: row.integer('dead_at') }
}

function readerOf(stored: DeliveriesTable): RowReader<DeliveriesTable> {
  return new RowReader(stored, 'deliveries', [stored.tenant, stored.endpoint, stored.proposal])
}

function deliveryOf(row: RowReader<DeliveriesTable>): Delivery {
  return {
    endpoint: row.reference('endpoint'),
    proposal: row.reference('proposal'),
    position: row.integer('position'),
    through: row.integer('last_position'),
    failures: row.integer('failures'),
  }
}
