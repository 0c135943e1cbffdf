// An endpoint: somebody to whom events are delivered, whichever way they are sent.
import type { Reference } from '../../effect/reference.ts'
import type { DeliveryTry } from '../../proposal/delivery.ts'
import type { StoredEvent } from './deliveries.ts'

/** An event on its way. */
export interface Message {
  readonly tenant: Reference
  readonly event: StoredEvent
}

/** What the order of deliveries asks of an endpoint. */
export interface DeliveryEndpoint {
  /** Under this name the store keeps what is still to be delivered; it stays when the address changes. */
  readonly id: Reference
  serves(tenant: Reference): boolean
  wants(event: StoredEvent): boolean
  /** Tries once, for no longer than `timeoutMs`. Whatever happens is an answer: it never rejects. */
  send(message: Message): Promise<DeliveryTry>
  readonly timeoutMs: number
}
