// Dead letters: what could not be delivered, for somebody to look at, and its replay in the order in which it waited.
import { limits } from '../../effect/limits.ts'
import { type ReasonCode, type Reference, parseReference } from '../../effect/reference.ts'
import { NotFound } from '../../proposal/errors.ts'
import type { EventType } from '../../proposal/event.ts'
import type { Store } from '../ports.ts'
import type { DeadLetter } from './deliveries.ts'

/** An event that an endpoint did not take; it and what followed it of its proposal waits. */
export interface UndeliveredEvent {
  readonly tenant: Reference
  readonly endpoint: Reference
  readonly proposal: Reference
  readonly type: EventType
  readonly failures: number
  /** What became of the last try. */
  readonly reason: ReasonCode
  /** When it was given up. */
  readonly deadAt: number
}

/** An endpoint that answered that it wants no more; the events of this tenant wait for it in the outbox. */
export interface DisabledEndpoint {
  readonly tenant: Reference
  readonly endpoint: Reference
  readonly disabledAt: number
}

/** What waits for a person before it is delivered. */
export interface Undelivered {
  readonly deadLetters: readonly UndeliveredEvent[]
  readonly disabled: readonly DisabledEndpoint[]
}

/** All dead letters and disabled endpoints of a tenant, or of all of them. Spec: http "Webhooks out". */
export async function listUndelivered(store: Store, input: { readonly tenant?: string } = {}): Promise<Undelivered> {
  const deadLetters: UndeliveredEvent[] = []
  const disabled: DisabledEndpoint[] = []
  for (const tenant of await tenantsOf(store, input.tenant)) {
    for (const { endpoint, disabledAt } of await store.deliveries.endpoints(tenant)) {
      if (disabledAt !== null) disabled.push({ tenant, endpoint, disabledAt })
    }
    for await (const letter of lettersOf(store, tenant)) {
      const { endpoint, proposal, position, failures, reason, deadAt } = letter
      const [event] = await store.deliveries.events(tenant, proposal, position, position)
      if (event === undefined) throw new Error('a queue begins with an event of its proposal')
      deadLetters.push({ tenant, endpoint, proposal, type: event.type, failures, reason, deadAt })
    }
  }
  return { deadLetters, disabled }
}

/**
 * Makes due at once what an endpoint did not take: dead letters, and what waits for another try; of one proposal, or of all.
 * A disabled endpoint is used again. What is delivered goes on where it stopped, in its order.
 * @returns how many proposals have events that are due by this.
 * @throws NotFound for an endpoint to which nothing of the tenant was ever to be delivered; MalformedValueError
 */
export async function replayDeliveries(
  store: Store,
  input: { readonly endpoint: string; readonly tenant?: string; readonly proposal?: string },
): Promise<number> {
  const endpoint = parseReference(input.endpoint, '/endpoint')
  const proposal = input.proposal === undefined ? null : parseReference(input.proposal, '/proposal')
  let replayed = 0
  let isKnown = false
  for (const tenant of await tenantsOf(store, input.tenant)) {
    const known = await store.deliveries.endpoints(tenant)
    if (!known.some((one) => one.endpoint === endpoint)) continue
    isKnown = true
    replayed += await store.deliveries.replay(tenant, endpoint, proposal)
  }
  if (!isKnown) throw new NotFound()
  return replayed
}

async function tenantsOf(store: Store, tenant: string | undefined): Promise<readonly Reference[]> {
  return tenant === undefined ? store.tenants() : [parseReference(tenant, '/tenant')]
}

async function* lettersOf(store: Store, tenant: Reference): AsyncGenerator<DeadLetter> {
  for (let after: DeadLetter | null = null; ; ) {
    const page: readonly DeadLetter[] = await store.deliveries.dead(tenant, after, limits.pageItems)
    yield* page
    after = page.at(-1) ?? null
    if (page.length < limits.pageItems) return
  }
}
