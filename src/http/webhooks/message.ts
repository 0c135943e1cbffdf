// The message of an event: references, codes and times, and the id under which a receiver knows it again.
import { framed, sha256 } from '../../effect/hash.ts'
import type { Message } from '../../runtime/deliver/endpoint.ts'

/** What is sent of an event. */
export interface WebhookMessage {
  /** The same for every try, every endpoint and every process: one event has one id. */
  readonly id: string
  /** JSON, far below the 20 kB that receivers are to expect: every part of it is bounded. */
  readonly body: string
}

/** Spec: http "Webhooks out": no content, no names of people, nothing that erasure would have to follow. */
export function webhookMessage({ tenant, event }: Message): WebhookMessage {
  const { type, proposal, status, revision, at } = event
  const name = sha256(framed([tenant, proposal, String(revision), type]))
  return {
    id: `evt_${Buffer.from(name).subarray(0, 16).toString('hex')}`,
    body: JSON.stringify({
      type,
      timestamp: new Date(at).toISOString(),
      data: { tenant, proposal, status, revision },
    }),
  }
}
