// The tables of deliveries, column by column: how far the outbox was read for whom, and what is queued.

/** One row an endpoint and a tenant whose outbox was read for it. Never deleted. */
export interface DeliveryEndpointsTable {
  tenant: string
  endpoint: string
  /** The position of the last event that was looked at; never comes down. */
  read_through: number
  disabled_at: number | null
}

/** One row a queue: what an endpoint is still to get about a proposal. It goes when nothing is left in it. */
export interface DeliveriesTable {
  tenant: string
  endpoint: string
  proposal: string
  /** Of the first event that is not known to be delivered; never comes down. */
  position: number
  /** Of the last event in the queue; never comes down. */
  last_position: number
  /** Tries of the first event that were in vain. */
  failures: number
  /** When it is to be tried, or when the claim on it lapses; null while it is dead. */
  due_at: number | null
  /** Random, of whoever has claimed it; null while nobody has. */
  holder: string | null
  /** What became of the last try. */
  reason: string | null
  /** Since when it is not tried any more. */
  dead_at: number | null
}
