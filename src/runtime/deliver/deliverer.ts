// The deliverer: what is due of the outbox is delivered, so that no proposal and no endpoint waits for another one.
import { limits } from '../../effect/limits.ts'
import type { Reference } from '../../effect/reference.ts'
import type { Outbox } from '../worker/outbox.ts'
import { type DeliveryCore, deliverQueue, leaseMsOf } from './deliver-queue.ts'
import type { DeliveryEndpoint } from './endpoint.ts'
import { readOutbox } from './read-outbox.ts'

/** How many proposals of one endpoint are under way at once. */
const LANES = 8
/** How long one call goes on beginning something new; what is under way ends within its own time. */
const ROUND_MS = 10_000
/** How often is looked for more while something is under way. */
const LOOK_MS = 250
const PAGES = 5

/** An endpoint in one round: what is under way to it. */
interface Lanes {
  readonly endpoint: DeliveryEndpoint
  readonly underWay: Set<Promise<void>>
}

/**
 * Delivers events at least once, those of one proposal in their order. Any number may do so at once on one store: a queue
 * belongs to whoever has claimed it, for a while that the store's clock judges, and nobody else sends from it. A queue that
 * fails waits by itself, an endpoint that hangs keeps only its own lanes, and tenants are called one by one.
 * Spec: http "Webhooks out", invariant I29.
 */
export class Deliverer implements Outbox {
  readonly #core: DeliveryCore
  readonly #endpoints: readonly DeliveryEndpoint[]

  constructor(core: DeliveryCore, endpoints: readonly DeliveryEndpoint[]) {
    this.#core = core
    this.#endpoints = endpoints
  }

  async deliverDue(
    tenant: Reference,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<{ readonly nextAt: number | null }> {
    const { clock } = this.#core
    const all = this.#endpoints
      .filter((endpoint) => endpoint.serves(tenant))
      .map((endpoint): Lanes => ({ endpoint, underWay: new Set() }))
    const endsAt = clock.monotonic() + ROUND_MS
    const isOver = (): boolean => signal?.aborted === true || clock.monotonic() >= endsAt
    let failure: { readonly error: unknown } | null = null
    for (;;) {
      const looks = await Promise.allSettled(all.map(async (lanes) => this.#fill(tenant, lanes, isOver)))
      // What cannot be read now is told once everything that is under way has ended.
      for (const look of looks) if (look.status === 'rejected') failure ??= { error: look.reason as unknown }
      const underWay = all.flatMap((lanes) => [...lanes.underWay])
      if (underWay.length === 0) {
        if (failure !== null) throw failure.error
        return { nextAt: earliest(looks.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []))) }
      }
      await this.#pause(underWay)
    }
  }

  /** Begins what is due as far as lanes are free, and says when more is. */
  async #fill(tenant: Reference, lanes: Lanes, isOver: () => boolean): Promise<number | null> {
    const { store, clock, ids } = this.#core
    const { endpoint, underWay } = lanes
    if (isOver() || underWay.size >= LANES) return 0
    const { isDisabled, isThrough } = await readOutbox(store, tenant, endpoint, PAGES)
    if (isDisabled) return null
    const holder = ids.token()
    const madeAt = clock.monotonic()
    const limit = Math.min(LANES - underWay.size, limits.pageItems)
    const lease = { holder, leaseMs: leaseMsOf(endpoint), limit }
    const { claimed, nextAt } = await store.deliveries.claim({ tenant, endpoint: endpoint.id, ...lease })
    for (const delivery of claimed) {
      const claim = { tenant, delivery, holder, madeAt }
      const lane = deliverQueue(this.#core, endpoint, claim, isOver)
        // Its claim lapses, and it is delivered then.
        .catch((error: unknown) => this.#lost(endpoint, delivery.proposal, error))
        .finally(() => underWay.delete(lane))
      underWay.add(lane)
    }
    return isThrough ? nextAt : 0
  }

  #lost(endpoint: DeliveryEndpoint, proposal: Reference, error: unknown): void {
    const name = error instanceof Error ? error.name : 'unknown'
    this.#core.logger.error({ endpoint: endpoint.id, proposal, error: name }, 'a delivery could not be recorded')
  }

  /** Until one of those under way has ended, or it is time to look for more. */
  async #pause(underWay: readonly Promise<void>[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#core.clock.timer(LOOK_MS, resolve)
    try {
      await Promise.race([promise, ...underWay])
    } finally {
      cancel()
    }
  }
}

/** The earliest instant; 0 where there is more to do at once. */
function earliest(instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null)
  return known.length === 0 ? null : Math.min(...known)
}
