// Delivering a claimed queue: event after event in its order, each recorded before the next one is sent.
import type { Reference } from '../../effect/reference.ts'
import { afterFailure, type DeliveryTry } from '../../proposal/delivery.ts'
import type { Clock, Ids, Logger, Store } from '../ports.ts'
import type { Claimed, Delivery } from './deliveries.ts'
import type { DeliveryEndpoint } from './endpoint.ts'

/** What deliveries work with. */
export interface DeliveryCore {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  /** How long is waited after each failed try. */
  readonly waitsMs: readonly number[]
}

/** A claim on a queue, and when it was asked for, by the monotonic clock. */
export interface Claim {
  readonly tenant: Reference
  readonly delivery: Delivery
  readonly holder: string
  readonly madeAt: number
}

/** Twice as long as a try may take: who begins within the first half is done before another may begin. */
export function leaseMsOf({ timeoutMs }: DeliveryEndpoint): number {
  return 2 * timeoutMs
}

/**
 * Delivers until the queue is empty, an event fails, the claim is lost, or `isOver` says that it is time to give it back.
 *
 * An event is sent only once the one before it is on record as delivered, so none arrives first out of order. Somebody who
 * is stopped between looking at the clock and sending, for longer than the lease, may send one event again that another
 * has delivered meanwhile: the same one under the same id, never a later one, since what it wants to record is refused.
 */
export async function deliverQueue(
  core: DeliveryCore,
  endpoint: DeliveryEndpoint,
  claim: Claim,
  isOver: () => boolean,
): Promise<void> {
  const { store, clock } = core
  const { tenant, holder } = claim
  let { delivery, madeAt } = claim
  let done = delivery.position - 1
  for (;;) {
    const { proposal, position, through } = delivery
    const claimed: Claimed = { tenant, endpoint: endpoint.id, proposal, position, through, holder }
    const events = await store.deliveries.events(tenant, proposal, done + 1, through)
    // What an endpoint does not want any more is passed over.
    const [first, second] = events.filter((event) => endpoint.wants(event))
    const isAtFirst = first?.position === position
    if (isAtFirst) {
      if (clock.monotonic() - madeAt > endpoint.timeoutMs) return
      const tried = await endpoint.send({ tenant, event: first })
      if (tried.kind !== 'delivered') return recordFailure(core, claimed, tried, delivery.failures + 1)
      done = position
    }
    madeAt = clock.monotonic()
    const next = (isAtFirst ? second : first)?.position ?? null
    const leaseMs = isOver() ? null : leaseMsOf(endpoint)
    const kept = await store.deliveries.settle(claimed, { kind: 'delivered', next, leaseMs })
    if (kept === null) return
    delivery = kept
  }
}

async function recordFailure(
  core: DeliveryCore,
  claimed: Claimed,
  tried: Exclude<DeliveryTry, { kind: 'delivered' }>,
  failures: number,
): Promise<void> {
  const { store, ids, logger, waitsMs } = core
  const { endpoint, proposal } = claimed
  const { reason } = tried
  const told = { endpoint, proposal, reason, failures }
  if (tried.kind === 'gone') {
    logger.error(told, 'an endpoint wants no more events, and is disabled')
    await store.deliveries.settle(claimed, { kind: 'gone', reason })
    return
  }
  const after = afterFailure(failures, { retryAfterMs: tried.retryAfterMs, fraction: ids.fraction(), waitsMs })
  if (after.kind === 'dead') logger.error(told, 'an event was not delivered, and is a dead letter')
  else logger.warn(told, 'an event was not delivered')
  const outcome =
    after.kind === 'dead'
      ? ({ kind: 'dead', reason } as const)
      : { kind: 'failed' as const, reason, retryMs: after.afterMs }
  await store.deliveries.settle(claimed, outcome)
}
