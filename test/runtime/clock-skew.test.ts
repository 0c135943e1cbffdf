// Processes whose clocks differ: leases and boundaries are the store's time, whoever asks; threat T10 and design D11.
import { describe, expect, it } from 'vitest'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import {
  answering,
  type ExecutionWorld,
  frozenRuntime,
  hanging,
  openExecution,
  resendAfter,
  says,
  underWay,
} from './execution-world.ts'
import { answerOf, HOUR_MS, START, STORES } from './harness.ts'
import { requester, service } from './sessions.ts'

const LEASE_MS = 60_000
const BOUNDARY_MS = 120_000
const OFF_MS = 90_000
const KEY_LIFETIME_MS = 24 * HOUR_MS

/** A server whose wall clock is off, from now on; both move on together. */
interface Server {
  readonly runtime: ProposalRuntime
  readonly clock: VirtualClock
}

async function serverOff(world: ExecutionWorld, ms: number): Promise<Server> {
  const clock = new VirtualClock(world.clock.now() + ms)
  return { runtime: await world.open({ clock }), clock }
}

async function bothAdvance(world: ExecutionWorld, { clock }: Server, ms: number): Promise<void> {
  await world.clock.advance(ms)
  await clock.advance(ms)
}

/** The calls are logged by the store's clock, while a server that is off counts its lease by its own. */
const counted = { except: ['I9'] } as const

describe.each(STORES)('threat T10: a server that is off, on %s', (store) => {
  it('threat T10: ninety seconds ahead, it takes no lease for over that is not', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one under way')
    world.action.methods.execute = hanging()
    await underWay(world, world.runtime.execute(requester, proposal))
    const ahead = await serverOff(world, OFF_MS)
    const before = await world.effect(proposal)

    expect(await answerOf(ahead.runtime.reconcile(service, proposal))).toBe('in_progress')
    await ahead.clock.advance(LEASE_MS - 1)
    expect(await answerOf(ahead.runtime.reconcile(service, proposal))).toBe('in_progress')
    expect(await world.effect(proposal)).toEqual(before)
  })

  it('threat T10: once its clock is set right it waits no longer than everybody else', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one under way')
    const frozen = await frozenRuntime(world)
    world.action.methods.execute = hanging()
    await underWay(world, frozen.runtime.execute(requester, proposal))
    const ahead = await serverOff(world, OFF_MS)
    ahead.clock.setWall(ahead.clock.now() - OFF_MS)
    await answerOf(ahead.runtime.reconcile(service, proposal))
    await bothAdvance(world, ahead, BOUNDARY_MS)

    await ahead.runtime.reconcile(service, proposal)
    expect((await world.effect(proposal)).attempts[0]?.ending?.kind).toBe('lease_lapsed')
  })

  it('threat T10: a store that disagrees about the end of a lease has the last word', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one under way')
    world.action.methods.execute = hanging()
    await underWay(world, world.runtime.execute(requester, proposal))
    // Its clock is right when it is opened, and runs on where the store's stands still.
    const other = await serverOff(world, 0)
    await other.clock.advance(LEASE_MS)
    const before = await world.effect(proposal)
    world.faults.changes.length = 0

    expect(await answerOf(other.runtime.reconcile(service, proposal))).toBe('in_progress')
    expect(world.faults.changes).toMatchObject([{ notBefore: START + LEASE_MS }])
    expect(await world.effect(proposal)).toEqual(before)
  })

  it('threat T10: ninety seconds ahead, it reads no absence as final before the boundary', async () => {
    const world = await openExecution({ store, contract: { lifetime: '1d' }, ...counted })
    const proposal = await world.approved('the one in doubt')
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    world.action.methods.verify = answering(says.gone('terminal'))
    await world.execute(proposal)
    const ahead = await serverOff(world, OFF_MS)
    await bothAdvance(world, ahead, BOUNDARY_MS - 1)

    expect((await ahead.runtime.reconcile(service, proposal)).status).toBe('verification_pending')
    await bothAdvance(world, ahead, BOUNDARY_MS)

    expect((await ahead.runtime.reconcile(service, proposal)).status).toBe('failed_known')
  })

  it('threat T10: ninety seconds behind, it works under a lease that all others see', async () => {
    const world = await openExecution({ store, contract: { lifetime: '1d' }, ...counted })
    const proposal = await world.approved('the one of the slow server')
    const behind = await serverOff(world, -OFF_MS)
    world.action.methods.execute = hanging()
    await underWay(world, behind.runtime.execute(requester, proposal))

    expect((await world.effect(proposal)).attempts).toMatchObject([{ leaseUntil: START + LEASE_MS }])
    await world.clock.advance(LEASE_MS - 1)
    expect(await answerOf(world.reconcile(proposal))).toBe('in_progress')
    await world.clock.advance(1)
    expect((await world.reconcile(proposal)).status).toBe('verification_pending')
  })

  it('threat T10: behind by what it had not heard of, it finds its lease too short, and sends nothing', async () => {
    const world = await openExecution({ store, contract: { lifetime: '1d' }, ...counted })
    const proposal = await world.approved('the one that is not sent')
    const behind = await serverOff(world, 0)
    await world.clock.advance(OFF_MS)

    expect((await behind.runtime.execute(requester, proposal)).status).toBe('approved')
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({ reason: 'lease_too_short' })
    expect(world.action.calls.execute).toBe(0)

    // By now it has heard.
    expect((await behind.runtime.execute(requester, proposal)).status).toBe('verification_pending')
    expect(world.action.calls.execute).toBe(1)
  })

  it.each([OFF_MS, -OFF_MS])(
    'threat T10: on a server %d ms off an attempt begins by the clock of the store',
    async (ms) => {
      const world = await openExecution({ store, ...counted, contract: { lifetime: '1d' } })
      const proposal = await world.approved('the one of a server that is off')
      const off = await serverOff(world, ms)
      world.action.methods.execute = () => Promise.reject(new Error('connection reset'))

      await off.runtime.execute(requester, proposal)

      expect((await world.effect(proposal)).attempts[0]?.startedAt).toBe(world.clock.now())
    },
  )

  it('threat T10: a server that is behind does not send again under a key that the target has forgotten', async () => {
    const world = await openExecution({ store, ...counted, contract: { ...resendAfter('settled'), lifetime: '3d' } })
    const proposal = await world.approved('the one in doubt')
    world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
    world.action.methods.verify = answering(says.gone('settled'))
    await world.execute(proposal)
    await world.clock.advance(BOUNDARY_MS)
    await world.reconcile(proposal)
    await world.clock.advance(BOUNDARY_MS)
    expect((await world.reconcile(proposal)).outcome).toBe('resend_allowed')
    const { startedAt = 0 } = (await world.effect(proposal)).attempts[0] ?? {}
    await world.clock.advance(startedAt + KEY_LIFETIME_MS - world.clock.now())
    const behind = await serverOff(world, -2 * BOUNDARY_MS)

    await behind.runtime.execute(requester, proposal)

    expect(world.log.executed).toHaveLength(1)
  })
})
