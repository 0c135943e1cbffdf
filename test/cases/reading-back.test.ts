// Cases F: reading back, delays and notices. Only our own read decides, and what it does not see yet proves nothing.
import { describe, expect, it } from 'vitest'
import { noApproval } from '../../src/proposal/policy/policy.ts'
import { answering, type ExecutionWorld, openExecution, says } from '../runtime/execution-world.ts'
import { answerOf, HOUR_MS, MINUTE_MS } from '../runtime/harness.ts'
import { type Methods, refund } from '../runtime/refund.ts'
import { agent, elsewhere, operator, requester, service } from '../runtime/sessions.ts'
import { commitThenDrop, lookWhenDue, PAST_BOUNDARY_MS, SECOND_MS, standing } from './steps.ts'

const observed = { permissions: { ...refund.permissions, observe: ['executor', 'operator', 'support'] } }

async function keyOf(world: ExecutionWorld, ref: string): Promise<string> {
  return (await world.effect(ref)).attempts.at(-1)?.idempotencyKey ?? ''
}

describe('case C082: "received" is not "refunded"', () => {
  it.each([
    ['refunded', says.done, 'verified'],
    ['failed', says.refused(1), 'failed_known'],
  ] as const)('case C082 it stays open for two hours, and then it is %s', async (_, answer, status) => {
    const world = await openExecution({ store: 'memory', contract: { verification: { delay: '1h', absences: 10 } } })
    const ref = await world.approved('refund')
    world.action.methods.verify = answering(says.absent, answer)

    const received = await world.execute(ref)
    await world.clock.advance(HOUR_MS)
    const early = await world.reconcile(ref)
    const again = await world.execute(ref)
    await world.clock.advance(HOUR_MS)
    const late = await lookWhenDue(world, ref)

    expect([received, early, again].map(standing)).toEqual(['in doubt', 'in doubt', 'in doubt'])
    expect(late.status).toBe(status)
    expect(world.action.calls.execute).toBe(1)
  })
})

describe('case C086: the notification overtakes the answer', () => {
  it('case C086 it finds the attempt, and no later write takes away what was found', async () => {
    const world = await openExecution({ store: 'memory', contract: observed })
    const ref = await world.approved('refund')
    const answer = Promise.withResolvers<Awaited<ReturnType<Methods['execute']>>>()
    const { execute } = world.action.methods
    world.action.methods.execute = async (input) => {
      await execute(input)
      return answer.promise
    }
    const executing = world.execute(ref)
    await world.clock.advance(0)
    const event = { idempotencyKey: await keyOf(world, ref), eventId: 'evt-1' }

    expect(await world.runtime.observe(service, event)).toEqual({ outcome: 'observed' })
    expect(await answerOf(world.reconcile(ref))).toBe('in_progress')
    answer.resolve({ status: 'accepted', externalReference: 'rf-1' })
    await executing

    // The event made it due: there is nothing to wait for.
    expect((await world.reconcile(ref)).status).toBe('verified')
    expect(await answerOf(world.execute(ref))).toBe('verified')
  })

  it('case C086 an announcement of a key that nobody knows is refused, so that it comes again', async () => {
    const world = await openExecution({ store: 'memory', contract: observed })

    expect(await answerOf(world.runtime.observe(service, { idempotencyKey: 'ik_unknown', eventId: 'evt-1' }))).toBe(
      'not_found',
    )
  })
})

it('case C087 the provider’s refund notice is no order: it executes nothing, and a second refund has nothing to refund', async () => {
  const automatic = { policy: noApproval('refunds of cancelled bookings') }
  const world = await openExecution({ store: 'memory', contract: { ...observed, ...automatic } })
  const { execute } = world.action.methods
  world.action.methods.execute = async (input) => {
    if (world.action.business.booked.length > 0) return { status: 'failed_known', reason: 'exceeds_refundable' }
    return execute(input)
  }
  const { proposal } = await world.prepared()
  await world.execute(proposal)
  await lookWhenDue(world, proposal)
  const event = { idempotencyKey: await keyOf(world, proposal), eventId: 'evt-1' }

  const notices = [await world.runtime.observe(service, event), await world.runtime.observe(service, event)]
  await world.reconcile(proposal)
  expect(notices.map(({ outcome }) => outcome)).toEqual(['observed', 'replayed'])
  expect(world.action.calls.execute).toBe(1)

  // The host's own automation takes the notice for an order all the same.
  const { proposal: second } = await world.runtime.prepare(requester, { ...world.input(), requestKey: event.eventId })
  expect((await world.execute(second)).status).toBe('failed_known')
  expect(world.action.business.booked).toHaveLength(1)
})

describe('case C089: the verifier searches, and the index lags', () => {
  it('case C089 an empty search says nothing yet; once the index knows, it is verified', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('refund')
    const { verify } = world.action.methods
    const indexedAt = world.clock.now() + MINUTE_MS
    world.action.methods.execute = commitThenDrop(world)
    world.action.methods.verify = async (input) => (world.clock.now() < indexedAt ? says.absent(input) : verify(input))

    await world.execute(ref)
    const early = await world.reconcile(ref)
    await world.clock.advance(61 * SECOND_MS)
    const late = await lookWhenDue(world, ref)

    expect([standing(early), late.status]).toEqual(['in doubt', 'verified'])
    expect(world.action.business.booked).toHaveLength(1)
  })

  it('case C089 a host that calls an empty search final is not believed while the request may still be seen', async () => {
    const world = await openExecution({ store: 'memory', contract: { acceptProof: { resend: ['terminal'] } } })
    const ref = await world.approved('refund')
    world.action.methods.execute = commitThenDrop(world)
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.execute(ref)

    expect(standing(await world.reconcile(ref))).toBe('in doubt')
    expect(world.action.calls.execute).toBe(1)
  })
})

describe('case C091: created server missing from the list; the caller makes another', () => {
  /** A provider whose list lags for ever, and which takes a name once. */
  function creating(world: ExecutionWorld): string[] {
    const servers: string[] = []
    world.action.methods.resolve = async ({ snapshot }) => ({ current: snapshot, precondition: 'absent:web-1' })
    world.action.methods.execute = async ({ precondition }) => {
      const name = precondition.slice('absent:'.length)
      if (servers.includes(name)) return { status: 'stale_no_effect', reason: 'name_taken' }
      servers.push(name)
      return { status: 'accepted', externalReference: name }
    }
    return servers
  }

  it('case C091 the list shows nothing, and the precondition at the effect stops the second', async () => {
    const world = await openExecution({ store: 'memory' })
    const servers = creating(world)
    const [first, second] = [await world.approved('of one agent'), await world.approved('of another agent')]

    const outcomes = [await answerOf(world.execute(first)), await answerOf(world.execute(second))]

    expect(outcomes).toEqual(['verification_pending', 'stale stale_no_effect'])
    expect(servers).toEqual(['web-1'])
  })

  it('case C091 two proposals of one effect do not get that far', async () => {
    const world = await openExecution({ store: 'memory' })
    const servers = creating(world)
    const [first, second] = [await world.approved('web-1'), await world.approved('web-1')]

    await world.execute(first)

    expect(await answerOf(world.execute(second))).toBe('replayed effect_in_flight_elsewhere')
    expect(servers).toEqual(['web-1'])
  })
})

describe('case C092: search still shows the deleted object a day later', () => {
  it('case C092 what was done and has been undone is that, and not plainly done', async () => {
    const world = await openExecution({ store: 'memory' })
    const ref = await world.approved('payout destination')
    world.action.methods.execute = commitThenDrop(world)
    world.action.methods.verify = answering(says.undone)
    await world.execute(ref)

    const read = await lookWhenDue(world, ref)

    expect([read.status, read.attention]).toEqual(['verified', ['reversed']])
    expect(await answerOf(world.execute(ref))).toBe('verified')
  })

  it('case C092 a deletion that the search does not show yet is not failed, and is not sent again', async () => {
    const world = await openExecution({
      store: 'memory',
      contract: { verification: { absences: 50 }, acceptProof: { resend: ['terminal'] } },
    })
    const ref = await world.approved('delete customer')
    world.action.methods.verify = answering(says.absent)
    await world.execute(ref)
    for (let hour = 0; hour < 24; hour += 1) {
      await world.clock.advance(HOUR_MS)
      expect(standing(await world.reconcile(ref))).toBe('in doubt')
    }

    world.action.methods.verify = answering(says.done)

    expect((await lookWhenDue(world, ref)).status).toBe('verified')
    expect(world.action.calls.execute).toBe(1)
  })
})

describe('case C094: a forged or unsigned webhook confirms the payment', () => {
  it.each([
    ['a user', operator],
    ['an agent', agent],
    ['another tenant’s service', elsewhere(service)],
  ])('case C094 from %s it changes nothing', async (_, sender) => {
    const world = await openExecution({ store: 'memory', contract: observed })
    const ref = await world.approved('payment')
    await world.execute(ref)
    const before = await world.effect(ref)
    const event = { idempotencyKey: before.attempts[0]?.idempotencyKey ?? '', eventId: 'evt-1' }

    expect(await answerOf(world.runtime.observe(sender, event))).toMatch(/^(?:not_permitted|not_found)$/)
    expect(await world.effect(ref)).toEqual(before)
  })

  it('case C094 from the host’s service it makes a look due, and the look decides', async () => {
    const world = await openExecution({ store: 'memory', contract: observed })
    const ref = await world.approved('payment')
    world.action.methods.execute = async () => ({ status: 'accepted' })
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.execute(ref)
    const event = { idempotencyKey: await keyOf(world, ref), eventId: 'payment.succeeded-1' }

    await world.runtime.observe(service, event)

    expect(standing(await world.reconcile(ref))).toBe('in doubt')
    expect(world.action.calls.verify).toBe(1)
    await world.clock.advance(PAST_BOUNDARY_MS)
    expect((await world.reconcile(ref)).status).toBe('failed_known')
  })
})
