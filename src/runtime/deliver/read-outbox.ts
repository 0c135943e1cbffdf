// Reading the outbox for an endpoint: what it is to get is queued by proposal, and its place moves on in the same step.
import { limits } from '../../effect/limits.ts'
import type { Reference } from '../../effect/reference.ts'
import type { Store } from '../ports.ts'
import type { Deliveries, StoredEvent } from './deliveries.ts'
import type { DeliveryEndpoint } from './endpoint.ts'

type Queued = Parameters<Deliveries['enqueue']>[0]['queued']

/** Whether an endpoint may be sent to, and whether all of the outbox was looked at. */
export interface Reading {
  readonly isDisabled: boolean
  readonly isThrough: boolean
}

/**
 * Reads on where the endpoint's reading ended, up to `pages` pages. Of two who read at once one moves the place on, and the
 * other finds it moved; nothing is skipped, since positions are in the order of commits (rules R18). While an endpoint is
 * disabled nothing is read: what happens meanwhile waits in the outbox.
 */
export async function readOutbox(
  store: Store,
  tenant: Reference,
  endpoint: DeliveryEndpoint,
  pages: number,
): Promise<Reading> {
  for (let page = 0; page < pages; page += 1) {
    const known = (await store.deliveries.endpoints(tenant)).find((one) => one.endpoint === endpoint.id)
    if (known !== undefined && known.disabledAt !== null) return { isDisabled: true, isThrough: true }
    const events = await store.events(tenant, known?.readThrough ?? 0, limits.pageItems)
    const through = events.at(-1)?.position
    if (through === undefined) return { isDisabled: false, isThrough: true }
    const queued = byProposal(events.filter((event) => endpoint.wants(event)))
    const from = known?.readThrough ?? null
    await store.deliveries.enqueue({ tenant, endpoint: endpoint.id, from, through, queued })
    if (events.length < limits.pageItems) return { isDisabled: false, isThrough: true }
  }
  return { isDisabled: false, isThrough: false }
}

function byProposal(events: readonly StoredEvent[]): Queued {
  const queued = new Map<Reference, Queued[number]>()
  for (const { proposal, position } of events) {
    queued.set(proposal, { proposal, first: queued.get(proposal)?.first ?? position, last: position })
  }
  return [...queued.values()]
}
