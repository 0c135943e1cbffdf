// Writes deliveries: events are queued, queues are claimed for a while, moved on, put off, given up and replayed.
import type { Kysely } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import type { Claimed, Deliveries, Delivery, DeliveryOutcome } from '../../runtime/ports.ts'
import { changedBy, firstOf, type Operation, rowsOf } from '../operation.ts'
import { parseDelivery } from '../rows/delivery-row.ts'
import type { ReadTime } from '../store-time.ts'
import type { Tables } from '../tables.ts'
import { claimStatements, endpointStatements, type QueueState, queueStatements } from './delivery-statements.ts'

/** The operations that write deliveries. */
export interface DeliveryWriter {
  enqueue(step: Parameters<Deliveries['enqueue']>[0]): Operation<boolean>
  claim(input: Parameters<Deliveries['claim']>[0]): Operation<Awaited<ReturnType<Deliveries['claim']>>>
  settle(claimed: Claimed, outcome: DeliveryOutcome): Operation<Delivery | null>
  replay(tenant: Reference, endpoint: Reference, proposal: Reference | null): Operation<number>
}

/** The writes of deliveries over the statements of one database. */
export function deliveryWriter(db: Kysely<Tables>, time: ReadTime): DeliveryWriter {
  const endpoints = endpointStatements(db)
  const claims = claimStatements(db)
  const queues = queueStatements(db)

  return {
    *enqueue({ tenant, endpoint, from, through, queued }) {
      const row = { tenant, endpoint, read_through: through, disabled_at: null }
      const moved = from === null ? endpoints.begin(row) : endpoints.move({ ...row, from })
      if ((yield* changedBy(moved)) === 0) return false
      const now = yield* time()
      // Rows are locked in one order.
      for (const { proposal, first, last } of queued.toSorted(byProposal)) {
        const queue = { tenant, endpoint, proposal, position: first, last_position: last, failures: 0 }
        yield* changedBy(queues.open({ ...queue, due_at: now, holder: null, reason: null, dead_at: null }))
      }
      return true
    },

    // Where the answer of the commit was lost, it is run again and claims others; what it had claimed lapses.
    *claim({ tenant, endpoint, holder, leaseMs, limit }) {
      const now = yield* time()
      const due = (yield* rowsOf(claims.due({ tenant, endpoint, now, limit }))).map(parseDelivery)
      const won = new Set<Reference>()
      for (const { proposal, position } of due.toSorted(byProposal)) {
        const lease = { holder, now, until: now + leaseMs }
        const isWon = (yield* changedBy(claims.claim({ tenant, endpoint, proposal, position, ...lease }))) === 1
        if (isWon) won.add(proposal)
      }
      const next = yield* firstOf(claims.next({ tenant, endpoint }))
      return { claimed: due.filter(({ proposal }) => won.has(proposal)), nextAt: next?.due_at ?? null }
    },

    *settle(claimed, outcome) {
      const { tenant, endpoint, proposal, position, through, holder } = claimed
      const held = { tenant, endpoint, proposal, holder, position }
      const now = yield* time()
      switch (outcome.kind) {
        case 'delivered': {
          const { next, leaseMs } = outcome
          const lease = { due_at: now + (leaseMs ?? 0), kept: leaseMs === null ? null : holder }
          if (next !== null) yield* changedBy(queues.move({ ...held, ...lease, next }))
          else if ((yield* changedBy(queues.end({ ...held, through }))) === 1) return null
          // More was queued meanwhile, or the claim is lost.
          else yield* changedBy(queues.put({ ...held, ...lease, reason: null, dead_at: null }))
          const stored = leaseMs === null ? null : yield* firstOf(claims.held({ tenant, endpoint, proposal, holder }))
          return stored === null ? null : parseDelivery(stored)
        }
        case 'failed':
          yield* changedBy(queues.fail({ ...held, ...put(outcome.reason, now + outcome.retryMs) }))
          return null
        case 'dead':
          yield* changedBy(queues.fail({ ...held, ...put(outcome.reason, null), dead_at: now }))
          return null
        case 'gone':
          if ((yield* changedBy(queues.put({ ...held, ...put(outcome.reason, now) }))) === 1)
            yield* changedBy(endpoints.disable({ tenant, endpoint, now }))
          return null
      }
    },

    *replay(tenant, endpoint, proposal) {
      const now = yield* time()
      yield* changedBy(endpoints.enable({ tenant, endpoint }))
      if (proposal === null) return yield* changedBy(queues.replayAll({ tenant, endpoint, now }))
      return yield* changedBy(queues.replay({ tenant, endpoint, proposal, now }))
    },
  }
}

function put(reason: string, dueAt: number | null): QueueState {
  return { due_at: dueAt, kept: null, reason, dead_at: null }
}

function byProposal(a: Pick<Delivery, 'proposal'>, b: Pick<Delivery, 'proposal'>): number {
  return a.proposal < b.proposal ? -1 : 1
}
