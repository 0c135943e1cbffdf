// Cases about deliveries: nothing queued is lost, a queue has one holder at a time, and whoever lost it changes nothing.
import assert from 'node:assert/strict'
import { parseReasonCode, type Reference } from '../../effect/reference.ts'
import type { Claimed, Delivery, Store, StoredEvent } from '../../runtime/ports.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { erasing } from './sample-changes.ts'
import { nextRef, reference, SAMPLE_TENANT } from './sample-proposals.ts'
import { commits, moved, prepared, refuses } from './steps.ts'

const OTHER = reference('tenant-b')
const ENDPOINT = reference('ledger')
const LEASE_MS = 600_000
const refusal = parseReasonCode('answered_503', '')

/** Of deliveries: what at least once and in order rest on. */
export const deliveryCases: readonly ConformanceCase[] = [
  {
    code: 'outbox_place_forgotten',
    title: 'how far the outbox was read is kept for every endpoint, and moved on by one of two',
    async run({ store }) {
      const { deliveries } = store
      assert.deepEqual(await deliveries.endpoints(SAMPLE_TENANT), [])
      const step = { tenant: SAMPLE_TENANT, queued: [] }

      assert.equal(await deliveries.enqueue({ ...step, endpoint: ENDPOINT, from: null, through: 3 }), true)
      assert.equal(await deliveries.enqueue({ ...step, endpoint: ENDPOINT, from: null, through: 3 }), false)
      assert.equal(await deliveries.enqueue({ ...step, endpoint: ENDPOINT, from: 2, through: 9 }), false)
      assert.equal(await deliveries.enqueue({ ...step, endpoint: reference('audit'), from: null, through: 0 }), true)
      assert.equal(await deliveries.enqueue({ ...step, endpoint: ENDPOINT, from: 3, through: 5 }), true)

      assert.deepEqual(await deliveries.endpoints(SAMPLE_TENANT), [
        { endpoint: 'audit', readThrough: 0, disabledAt: null },
        { endpoint: 'ledger', readThrough: 5, disabledAt: null },
      ])
    },
  },
  {
    code: 'queue_events_wrong',
    title: 'the events of a queue are those of its proposal, in their order, both ends included',
    async run({ store }) {
      const events = await eventful(store)
      const [first, second, third] = events
      assert(first !== undefined && second !== undefined && third !== undefined)
      const read = (from: number, through: number): Promise<readonly StoredEvent[]> => {
        return store.deliveries.events(SAMPLE_TENANT, first.proposal, from, through)
      }

      assert.deepEqual(await read(first.position, third.position), events)
      assert.deepEqual(await read(second.position, second.position), [second])
      assert.deepEqual(await read(third.position + 1, third.position + 100), [])
    },
  },
  {
    code: 'queue_claimed_twice',
    title: 'a queue that is due has one holder at a time',
    async run({ store }) {
      const [first] = await queued(store)
      const claimed = await claim(store, 'one')

      assert.deepEqual(claimed, [first])
      assert.deepEqual(await claim(store, 'two'), [])
      const { nextAt } = await store.deliveries.claim({ ...claiming('two'), limit: 1 })
      assert(nextAt !== null && nextAt > (await store.now()), 'the lease says when it may be looked at again')
    },
  },
  {
    code: 'claim_never_lapses',
    title: 'a claim that has lapsed is taken by another one, and its holder changes nothing any more',
    async run({ store }) {
      const [first] = await queued(store)
      assert(first !== undefined)
      await claim(store, 'one', 0)

      assert.deepEqual(await claim(store, 'two'), [first])

      for (const outcome of [
        { kind: 'delivered', next: first.through, leaseMs: LEASE_MS },
        { kind: 'delivered', next: null, leaseMs: null },
        { kind: 'failed', reason: refusal, retryMs: 0 },
        { kind: 'dead', reason: refusal },
        { kind: 'gone', reason: refusal },
      ] as const) {
        assert.equal(await store.deliveries.settle(held(first, 'one'), outcome), null)
      }
      assert.deepEqual(
        await store.deliveries.settle(held(first, 'two'), {
          kind: 'delivered',
          next: first.through,
          leaseMs: LEASE_MS,
        }),
        { ...first, position: first.through },
      )
      assert.equal((await store.deliveries.endpoints(SAMPLE_TENANT))[0]?.disabledAt, null)
    },
  },
  {
    code: 'queue_order_lost',
    title: 'a queue moves on event by event, and ends when nothing is left in it',
    async run({ store }) {
      const [first, events] = await queued(store)
      const [, second, third] = events
      assert(first !== undefined && second !== undefined && third !== undefined)
      await claim(store, 'one')

      const on = await store.deliveries.settle(held(first, 'one'), {
        kind: 'delivered',
        next: second.position,
        leaseMs: LEASE_MS,
      })
      assert.deepEqual(on, { ...first, position: second.position })
      const given = { kind: 'delivered', next: third.position, leaseMs: null } as const
      assert.equal(await store.deliveries.settle(held(on, 'one'), given), null)
      const again = await claim(store, 'two')
      assert.deepEqual(again, [{ ...first, position: third.position }])
      const last = again[0] ?? assert.fail()
      assert.equal(
        await store.deliveries.settle(held(last, 'two'), { kind: 'delivered', next: null, leaseMs: LEASE_MS }),
        null,
      )

      assert.deepEqual(await store.deliveries.claim({ ...claiming('three'), limit: 9 }), { claimed: [], nextAt: null })
    },
  },
  {
    code: 'queued_event_lost',
    title: 'what is queued while the last event is under way is not lost',
    async run({ store }) {
      const [first, events] = await queued(store, 2)
      assert(first !== undefined)
      const last = events.at(-1)?.position ?? assert.fail()
      await claim(store, 'one')
      await enqueue(store, events)

      const end = { kind: 'delivered', next: null, leaseMs: LEASE_MS } as const
      const kept = await store.deliveries.settle(held(first, 'one'), end)

      assert.deepEqual(kept, { ...first, through: last })
      assert.deepEqual(await claim(store, 'two'), [])
      assert.equal(await store.deliveries.settle(held(kept, 'one'), end), null)
      assert.deepEqual(await store.deliveries.claim({ ...claiming('two'), limit: 9 }), { claimed: [], nextAt: null })
    },
  },
  {
    code: 'failure_not_put_off',
    title: 'a queue whose event failed waits, and no other one with it',
    async run({ store }) {
      const [first] = await queued(store)
      const [other] = await queued(store)
      assert(first !== undefined && other !== undefined)
      assert.deepEqual(await claim(store, 'one', LEASE_MS, 1), [first])

      const put = { kind: 'failed', reason: refusal, retryMs: LEASE_MS } as const
      assert.equal(await store.deliveries.settle(held(first, 'one'), put), null)

      assert.deepEqual(await claim(store, 'one'), [other])
      assert.equal(await store.deliveries.replay(SAMPLE_TENANT, ENDPOINT, null), 1)
      assert.deepEqual(await claim(store, 'one'), [first])
      await store.deliveries.settle(held(first, 'one'), { ...put, retryMs: 0 })
      assert.deepEqual(await claim(store, 'one'), [{ ...first, failures: 1 }])
    },
  },
  {
    code: 'dead_letter_lost',
    title: 'a dead letter is listed, not tried, and as it was when it is replayed',
    async run({ store }) {
      const [first, events] = await queued(store, 2)
      const [other] = await queued(store)
      assert(first !== undefined && other !== undefined)
      await claim(store, 'one')
      for (const delivery of [first, other]) {
        await store.deliveries.settle(held(delivery, 'one'), { kind: 'dead', reason: refusal })
      }
      await enqueue(store, events)

      assert.deepEqual(await store.deliveries.claim({ ...claiming('two'), limit: 9 }), { claimed: [], nextAt: null })
      const dead = await store.deliveries.dead(SAMPLE_TENANT, null, 1)
      assert.deepEqual(
        dead.map(({ deadAt: _, ...letter }) => letter),
        [{ ...first, through: events.at(-1)?.position, failures: 1, reason: refusal }],
      )
      const [after = null] = dead
      assert.deepEqual(
        (await store.deliveries.dead(SAMPLE_TENANT, after, 9)).map(({ proposal }) => proposal),
        [other.proposal],
      )
      assert.equal(await store.deliveries.replay(SAMPLE_TENANT, reference('audit'), null), 0)
      assert.equal(await store.deliveries.replay(SAMPLE_TENANT, ENDPOINT, first.proposal), 1)
      assert.equal(await store.deliveries.replay(SAMPLE_TENANT, ENDPOINT, first.proposal), 0)

      assert.deepEqual(await claim(store, 'two'), [{ ...first, through: events.at(-1)?.position }])
    },
  },
  {
    code: 'endpoint_not_disabled',
    title: 'an endpoint that is gone is disabled until somebody replays it',
    async run({ store }) {
      const [first] = await queued(store)
      assert(first !== undefined)
      await claim(store, 'one')

      await store.deliveries.settle(held(first, 'one'), { kind: 'gone', reason: refusal })

      const disabled = (await store.deliveries.endpoints(SAMPLE_TENANT))[0]?.disabledAt
      assert(typeof disabled === 'number')
      await store.deliveries.replay(SAMPLE_TENANT, ENDPOINT, null)
      assert.equal((await store.deliveries.endpoints(SAMPLE_TENANT))[0]?.disabledAt, null)
      assert.deepEqual(await claim(store, 'two'), [first])
    },
  },
  {
    code: 'queue_crossed_tenants',
    title: 'no tenant sees or changes the deliveries of another one',
    async run({ store }) {
      const [first] = await queued(store)
      assert(first !== undefined)
      const { deliveries } = store
      assert.deepEqual(await deliveries.endpoints(OTHER), [])
      assert.deepEqual(await deliveries.events(OTHER, first.proposal, 0, 99_999), [])
      assert.deepEqual(await deliveries.claim({ ...claiming('one'), tenant: OTHER, limit: 9 }), {
        claimed: [],
        nextAt: null,
      })
      await claim(store, 'one')
      assert.equal(
        await deliveries.settle({ ...held(first, 'one'), tenant: OTHER }, { kind: 'dead', reason: refusal }),
        null,
      )
      await deliveries.settle(held(first, 'one'), { kind: 'dead', reason: refusal })
      assert.deepEqual(await deliveries.dead(OTHER, null, 9), [])
      assert.equal(await deliveries.replay(OTHER, ENDPOINT, null), 0)
      assert.equal((await deliveries.dead(SAMPLE_TENANT, null, 9)).length, 1)
    },
  },
  {
    code: 'erasure_lost_events',
    title: 'what is queued about a proposal outlives its erasure',
    async run({ store }) {
      const live = await moved(store, await prepared(store), 'withdrawn')
      await commits(store, erasing(live))
      const events = await store.events(SAMPLE_TENANT, 0, 99)
      await enqueue(store, events)

      const [delivery = assert.fail()] = await claim(store, 'one')

      const { proposal, position, through } = delivery
      assert.deepEqual(await store.deliveries.events(SAMPLE_TENANT, proposal, position, through), events)
      assert.equal(events.at(-1)?.type, 'proposal.erased')
    },
  },
  {
    code: 'deliveries_raced',
    title: 'over several connections too, a place is moved on once and a queue claimed once',
    needs: ['second', 'reopen'],
    async run({ store, second, reopen }) {
      const other = await second()
      const events = await eventful(store)
      const moves = await Promise.all([enqueue(store, events), enqueue(other, events)])
      assert.equal(moves.filter(Boolean).length, 1)

      const claims = await Promise.all([claim(store, 'one'), claim(other, 'two')])

      assert.equal(claims.flat().length, 1)
      const after = await reopen()
      assert.deepEqual(await claim(after, 'three'), [])
      assert.equal((await after.deliveries.endpoints(SAMPLE_TENANT)).length, 1)
    },
  },
  {
    code: 'deliveries_unguarded',
    title: 'the database itself lets neither a queue nor an endpoint go back',
    needs: ['attack'],
    async run({ store, attack }) {
      await queued(store)
      await refuses(attack, [
        'update deliveries set position = position - 1',
        'update deliveries set last_position = last_position - 1',
        `update deliveries set endpoint = 'audit'`,
        'update deliveries set due_at = null',
        'update delivery_endpoints set read_through = read_through - 1',
        'delete from delivery_endpoints',
      ])
    },
  },
]

/** A proposal with three events, and these. */
async function eventful(store: Store): Promise<readonly StoredEvent[]> {
  const { proposal } = await moved(store, await moved(store, await prepared(store), 'approved'), 'withdrawn')
  return (await store.events(SAMPLE_TENANT, 0, 99)).filter((event) => event.proposal === proposal.ref)
}

/** A queue of the first `count` events of a new proposal, and all its events. */
async function queued(store: Store, count = 3): Promise<readonly [Delivery | undefined, readonly StoredEvent[]]> {
  const events = await eventful(store)
  await enqueue(store, events.slice(0, count))
  const [first, last] = [events[0], events.slice(0, count).at(-1)]
  if (first === undefined || last === undefined) return [undefined, events]
  const { proposal, position } = first
  return [{ endpoint: ENDPOINT, proposal, position, through: last.position, failures: 0 }, events]
}

async function enqueue(store: Store, events: readonly StoredEvent[]): Promise<boolean> {
  const [first = assert.fail()] = events
  const last = events.at(-1) ?? first
  const [progress] = await store.deliveries.endpoints(SAMPLE_TENANT)
  return store.deliveries.enqueue({
    tenant: SAMPLE_TENANT,
    endpoint: ENDPOINT,
    from: progress?.readThrough ?? null,
    through: Math.max(last.position, progress?.readThrough ?? 0),
    queued: [{ proposal: first.proposal, first: first.position, last: last.position }],
  })
}

function claiming(holder: string): { tenant: Reference; endpoint: Reference; holder: string; leaseMs: number } {
  return { tenant: SAMPLE_TENANT, endpoint: ENDPOINT, holder: `${holder}-${nextRef()}`, leaseMs: LEASE_MS }
}

async function claim(store: Store, holder: string, leaseMs = LEASE_MS, limit = 9): Promise<readonly Delivery[]> {
  return (await store.deliveries.claim({ ...claiming(holder), holder, leaseMs, limit })).claimed
}

function held(delivery: Delivery | null, holder: string): Claimed {
  assert(delivery !== null)
  const { endpoint, proposal, position, through } = delivery
  return { tenant: SAMPLE_TENANT, endpoint, proposal, position, through, holder }
}
