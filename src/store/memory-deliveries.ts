// The books of delivery of a memory store: the same guards as those of the durable ones, one tenant at a time.
import type { Reference } from '../effect/reference.ts'
import type {
  Claimed,
  DeadLetter,
  Deliveries,
  Delivery,
  DeliveryOutcome,
  EndpointProgress,
  StoredEvent,
} from '../runtime/ports.ts'
import { invariant } from './broken-invariant.ts'
import type { QueueRecord, TenantRecords } from './memory-records.ts'
import type { StoreTime } from './store-time.ts'

/** The records of a tenant that has some already, or of one that has none yet. */
type RecordsOf = (tenant: Reference) => TenantRecords

/** Deliveries over the records of a memory store. */
export class MemoryDeliveries implements Deliveries {
  readonly #of: RecordsOf
  readonly #clock: StoreTime

  constructor(of: RecordsOf, clock: StoreTime) {
    this.#of = of
    this.#clock = clock
  }

  async endpoints(tenant: Reference): Promise<readonly EndpointProgress[]> {
    return [...this.#of(tenant).endpoints.values()].sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1))
  }

  async enqueue({ tenant, endpoint, from, through, queued }: Parameters<Deliveries['enqueue']>[0]): Promise<boolean> {
    const records = this.#of(tenant)
    const before = records.endpoints.get(endpoint) ?? null
    if ((before?.readThrough ?? null) !== from) return false
    invariant(through >= (from ?? 0), 'the outbox is only read forward')
    for (const { proposal } of queued) invariant(records.proposals.has(proposal), 'a queue is about a proposal')
    records.endpoints.set(endpoint, { endpoint, readThrough: through, disabledAt: before?.disabledAt ?? null })
    const dueAt = this.#clock.now()
    for (const { proposal, first, last } of queued) {
      const name = queueName(endpoint, proposal)
      const queue = records.queues.get(name)
      const fresh = { endpoint, proposal, position: first, failures: 0, dueAt, holder: null, dead: null }
      records.queues.set(name, { ...(queue ?? fresh), through: last })
    }
    return true
  }

  async events(tenant: Reference, proposal: Reference, from: number, through: number): Promise<readonly StoredEvent[]> {
    return this.#of(tenant).events.filter((event) => {
      return event.proposal === proposal && event.position >= from && event.position <= through
    })
  }

  async claim({
    tenant,
    endpoint,
    holder,
    leaseMs,
    limit,
  }: Parameters<Deliveries['claim']>[0]): ReturnType<Deliveries['claim']> {
    const { queues } = this.#of(tenant)
    const now = this.#clock.now()
    const due = queuesOf(queues, endpoint).filter(({ dueAt }) => dueAt <= now)
    for (const queue of due.slice(0, limit)) put(queues, { ...queue, holder, dueAt: now + leaseMs })
    return { claimed: due.slice(0, limit).map(shown), nextAt: queuesOf(queues, endpoint)[0]?.dueAt ?? null }
  }

  async settle(claimed: Claimed, outcome: DeliveryOutcome): Promise<Delivery | null> {
    const { tenant, endpoint, proposal, position, through, holder } = claimed
    const { queues, endpoints } = this.#of(tenant)
    const queue = queues.get(queueName(endpoint, proposal))
    if (queue?.holder !== holder || queue.position !== position) return null
    const now = this.#clock.now()
    switch (outcome.kind) {
      case 'delivered': {
        const { next, leaseMs } = outcome
        if (next === null && queue.through === through) {
          queues.delete(queueName(endpoint, proposal))
          return null
        }
        const place = next === null ? {} : { position: next, failures: 0 }
        const lease = { dueAt: now + (leaseMs ?? 0), holder: leaseMs === null ? null : holder }
        return leaseMs === null
          ? putNone(queues, { ...queue, ...place, ...lease })
          : put(queues, { ...queue, ...place, ...lease })
      }
      case 'failed':
        return putNone(queues, { ...queue, failures: queue.failures + 1, dueAt: now + outcome.retryMs, holder: null })
      case 'dead': {
        const dead = { reason: outcome.reason, deadAt: now }
        return putNone(queues, { ...queue, failures: queue.failures + 1, holder: null, dead })
      }
      case 'gone': {
        const progress = endpoints.get(endpoint)
        if (progress !== undefined) endpoints.set(endpoint, { ...progress, disabledAt: progress.disabledAt ?? now })
        return putNone(queues, { ...queue, dueAt: now, holder: null })
      }
    }
  }

  async dead(
    tenant: Reference,
    after: Pick<DeadLetter, 'endpoint' | 'proposal'> | null,
    limit: number,
  ): Promise<readonly DeadLetter[]> {
    return [...this.#of(tenant).queues.values()]
      .flatMap((queue) => (queue.dead === null ? [] : [{ ...shown(queue), ...queue.dead }]))
      .sort((a, b) => (isAfter(a, b) ? 1 : -1))
      .filter((letter) => after === null || isAfter(letter, after))
      .slice(0, limit)
  }

  async replay(tenant: Reference, endpoint: Reference, proposal: Reference | null): Promise<number> {
    const { queues, endpoints } = this.#of(tenant)
    const progress = endpoints.get(endpoint)
    if (progress !== undefined) endpoints.set(endpoint, { ...progress, disabledAt: null })
    const waiting = [...queues.values()].filter((queue) => {
      const isMeant = queue.endpoint === endpoint && (proposal === null || queue.proposal === proposal)
      return isMeant && queue.holder === null && (queue.dead !== null || queue.failures > 0)
    })
    for (const queue of waiting) put(queues, { ...queue, dueAt: this.#clock.now(), failures: 0, dead: null })
    return waiting.length
  }
}

type Queues = Map<string, QueueRecord>

function queueName(endpoint: Reference, proposal: Reference): string {
  return JSON.stringify([endpoint, proposal])
}

/** Those of an endpoint that are tried, those first that are due first. */
function queuesOf(queues: Queues, endpoint: Reference): readonly QueueRecord[] {
  return [...queues.values()]
    .filter((queue) => queue.endpoint === endpoint && queue.dead === null)
    .sort((a, b) => a.dueAt - b.dueAt || (a.proposal < b.proposal ? -1 : 1))
}

function put(queues: Queues, queue: QueueRecord): Delivery {
  queues.set(queueName(queue.endpoint, queue.proposal), queue)
  return shown(queue)
}

function putNone(queues: Queues, queue: QueueRecord): null {
  put(queues, queue)
  return null
}

function shown({ endpoint, proposal, position, through, failures }: QueueRecord): Delivery {
  return { endpoint, proposal, position, through, failures }
}

type Place = Pick<DeadLetter, 'endpoint' | 'proposal'>

function isAfter(a: Place, b: Place): boolean {
  return a.endpoint === b.endpoint ? a.proposal > b.proposal : a.endpoint > b.endpoint
}
