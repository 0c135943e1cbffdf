// The outbox row of an event.
import type { Reference } from '../../effect/reference.ts'
import { STATUSES } from '../../proposal/status.ts'
import type { EventDraft, StoredEvent } from '../../runtime/ports.ts'
import type { EventColumns } from '../tables.ts'
import { EVENT_TYPES } from './codes.ts'
import { RowReader } from './row-reader.ts'

/** The row of an event; the database gives it its position. */
export function eventRow(tenant: Reference, event: EventDraft): Omit<EventColumns, 'position'> {
  return {
    tenant,
    type: event.type,
    proposal: event.proposal,
    status: event.status,
    revision: event.revision,
    at: event.at,
  }
}

/** @throws StoredDataCorrupt */
export function parseEvent(stored: EventColumns): StoredEvent {
  const row = new RowReader(stored, 'events', [stored.tenant, stored.position])
  return {
    position: row.integer('position'),
    type: row.oneOf('type', EVENT_TYPES),
    proposal: row.reference('proposal'),
    status: row.oneOf('status', STATUSES),
    revision: row.integer('revision'),
    at: row.integer('at'),
  }
}
