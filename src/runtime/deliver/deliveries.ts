// The port of deliveries: what is still to be delivered of the outbox, to whom, and who is about to deliver it.
import type { ReasonCode, Reference } from '../../effect/reference.ts'
import type { EventDraft } from '../../proposal/event.ts'

/** An outbox row, in its order. */
export interface StoredEvent extends EventDraft {
  readonly position: number
}

/** How far the outbox of a tenant was read for an endpoint. */
export interface EndpointProgress {
  readonly endpoint: Reference
  /** The position of the last event that was looked at; what was to be delivered up to there is queued. */
  readonly readThrough: number
  /** Since when the endpoint is not to be used any more, as it said itself; null while it is. */
  readonly disabledAt: number | null
}

/** A queue: what one endpoint is still to get about one proposal. It exists only as long as there is something in it. */
export interface Delivery {
  readonly endpoint: Reference
  readonly proposal: Reference
  /** The first event that is not known to be delivered. */
  readonly position: number
  /** The last event in the queue. */
  readonly through: number
  /** How often the first event was tried in vain. */
  readonly failures: number
}

/** A queue that is not tried any more until somebody replays it. */
export interface DeadLetter extends Delivery {
  /** What became of the last try. */
  readonly reason: ReasonCode
  readonly deadAt: number
}

/** A claimed queue, as whoever holds it knows it. */
export interface Claimed {
  readonly tenant: Reference
  readonly endpoint: Reference
  readonly proposal: Reference
  readonly position: number
  readonly through: number
  /** What the claim was made with. */
  readonly holder: string
}

/**
 * What became of the first event of a claimed queue. `delivered` goes on to `next`, or ends the queue where nothing follows;
 * with `leaseMs` the claim is kept that long, with null it is given back. `gone` disables the endpoint.
 */
export type DeliveryOutcome =
  | { readonly kind: 'delivered'; readonly next: number | null; readonly leaseMs: number | null }
  | { readonly kind: 'failed'; readonly reason: ReasonCode; readonly retryMs: number }
  | { readonly kind: 'dead'; readonly reason: ReasonCode }
  | { readonly kind: 'gone'; readonly reason: ReasonCode }

/**
 * The books of delivery. Everything that depends on the time is judged by the store's clock. A claim is a lease: once it has
 * lapsed the queue is due again, and whoever held it changes nothing any more. Spec: http "Webhooks out", invariant I29.
 */
export interface Deliveries {
  /** Every endpoint for which the outbox of the tenant was read. */
  endpoints(tenant: Reference): Promise<readonly EndpointProgress[]>
  /**
   * Moves an endpoint on from where it was read before (null: never), and queues what is to be delivered: for each proposal
   * the first and the last such event. False, and nothing is written, if somebody else has moved it on meanwhile.
   */
  enqueue(step: {
    readonly tenant: Reference
    readonly endpoint: Reference
    readonly from: number | null
    readonly through: number
    readonly queued: readonly { readonly proposal: Reference; readonly first: number; readonly last: number }[]
  }): Promise<boolean>
  /** The events of one proposal from a position to another one, both included. */
  events(tenant: Reference, proposal: Reference, from: number, through: number): Promise<readonly StoredEvent[]>
  /** Claims queues of an endpoint that are due, those first that have been for longest; and says when one is due next. */
  claim(input: {
    readonly tenant: Reference
    readonly endpoint: Reference
    readonly holder: string
    readonly leaseMs: number
    readonly limit: number
  }): Promise<{ readonly claimed: readonly Delivery[]; readonly nextAt: number | null }>
  /**
   * Records what became of a claimed queue, if the claim still holds. Answers the queue where the claim goes on: moved on, or
   * as it was, if something was queued behind what its holder took for the last event. Else null.
   */
  settle(claimed: Claimed, outcome: DeliveryOutcome): Promise<Delivery | null>
  /** Dead letters of a tenant, by endpoint and proposal, from the one after `after`. */
  dead(
    tenant: Reference,
    after: Pick<DeadLetter, 'endpoint' | 'proposal'> | null,
    limit: number,
  ): Promise<readonly DeadLetter[]>
  /**
   * Makes due at once what is dead or waits for another try: one queue of an endpoint, or all of them. An endpoint that was
   * disabled is used again. Answers how many queues are due by this.
   */
  replay(tenant: Reference, endpoint: Reference, proposal: Reference | null): Promise<number>
}
