// Ownership: durable leases and fences around one effect, rule by rule (harness 4 a).
import { describe, expect, it } from 'vitest'
import type { Change } from '../../src/runtime/ports.ts'
import { DefinitiveFailure, type Executed } from '../../src/proposal/action.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import {
  answering,
  endsAttempt,
  frozenRuntime,
  hanging,
  openExecution,
  resendAfter,
  says,
  underWay,
} from './execution-world.ts'
import { answerOf, START, STORES } from './harness.ts'
import type { Refund } from './refund.ts'
import { requester, service } from './sessions.ts'

const LEASE_MS = 60_000
const BOUNDARY_MS = 120_000
const INTENT = 'the one that is owned'

describe.each(STORES)('harness 4 a on %s', (store) => {
  it('ownership 4a.1 a lease is taken only while none is live, even by the same owner', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    const other = await world.open()
    world.action.methods.execute = hanging()
    await underWay(world, world.execute(proposal))

    expect(await answerOf(world.execute(proposal))).toBe('in_progress')
    expect(await answerOf(other.execute(requester, proposal))).toBe('in_progress')
    expect(await answerOf(other.execute(requester, await world.approved(INTENT)))).toBe(
      'replayed effect_in_flight_elsewhere',
    )
    expect(world.action.calls.execute).toBe(1)
  })

  it('ownership 4a.1 every acquisition raises the epoch, and no lease is renewed', async () => {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const proposal = await world.approved(INTENT)
    const dead = await frozenRuntime(world)
    world.action.methods.execute = hanging()
    world.action.methods.verify = answering(says.gone('terminal'))
    const epochs: number[] = []
    const leases: number[] = []
    for (const _ of [1, 2]) {
      await underWay(world, dead.runtime.execute(requester, proposal))
      const { epoch, attempts } = await world.effect(proposal)
      epochs.push(epoch)
      leases.push((attempts.at(-1)?.leaseUntil ?? 0) - (attempts.at(-1)?.startedAt ?? 0))
      // Asking again in the meantime renews nothing.
      expect((await world.execute(proposal)).outcome).toBe('in_progress')
      await world.clock.advance(BOUNDARY_MS)
      expect((await world.reconcile(proposal)).outcome).toBe('resend_allowed')
      epochs.push((await world.effect(proposal)).epoch)
      dead.thaw()
    }

    expect(epochs).toEqual([1, 2, 3, 4])
    expect(leases).toEqual([LEASE_MS, LEASE_MS])
  })

  it('ownership 4a.1 a stale release is a no-op', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    const zombie = await frozenRuntime(world)
    const { promise, resolve } = Promise.withResolvers<Executed<Refund>>()
    world.action.methods.execute = () => promise
    const answer = zombie.runtime.execute(requester, proposal)
    await world.clock.advance(LEASE_MS)
    await world.reconcile(proposal)
    const before = await world.effect(proposal)

    resolve({ status: 'accepted' })
    await answer

    const after = await world.effect(proposal)
    expect([after.attempts, after.epoch, after.owner]).toEqual([before.attempts, before.epoch, before.owner])
  })

  it('ownership 4a.2 every write of a worker carries its token and version, and a stale one changes nothing', async () => {
    const changes: Change[] = []
    const world = await openExecution({
      store,
      around: async (_name, call, change) => {
        if (change !== null) changes.push(change)
        return call()
      },
    })
    const proposal = await world.approved(INTENT)
    const zombie = await frozenRuntime(world)
    const { promise, resolve } = Promise.withResolvers<Executed<Refund>>()
    world.action.methods.execute = () => promise
    const answer = zombie.runtime.execute(requester, proposal)
    for (const _ of [1, 2, 3]) await world.clock.advance(0)
    const [open] = (await world.effect(proposal)).attempts
    await world.clock.advance(LEASE_MS)
    await world.reconcile(proposal)
    const stale = {
      ...changes.find(endsAttempt),
      changeId: 'the same end once more',
    } as Change

    expect(stale.effect?.ended?.token).toBe(open?.token)
    expect(await world.bareStore.commit(stale)).toMatchObject({ kind: 'conflict' })
    const alone = { ...stale, proposals: [], receipts: [], events: [], changeId: 'the end alone' }
    expect(await world.bareStore.commit(alone)).toEqual({ kind: 'conflict', on: 'fenced' })
    resolve({ status: 'accepted' })
    await answer
  })

  it('ownership 4a.4 a lapsed lease with an attempt behind it permits verification, and never a call', async () => {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const proposal = await world.approved(INTENT)
    const dead = await frozenRuntime(world)
    world.action.methods.execute = hanging()
    await underWay(world, dead.runtime.execute(requester, proposal))
    await world.clock.advance(365 * 24 * 3_600_000)

    expect(await answerOf(world.execute(proposal))).toBe('in_progress')
    expect(await answerOf(world.execute(await world.approved(INTENT)))).toBe('replayed effect_in_flight_elsewhere')
    expect(world.action.calls.execute).toBe(1)
    expect((await world.effect(proposal)).attempts[0]?.ending).toBeNull()
  })

  it('ownership 4a.4 expiry of a lease is no evidence, however long ago it was', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    const dead = await frozenRuntime(world)
    world.action.methods.execute = hanging()
    world.action.methods.verify = answering(says.unavailable)
    await underWay(world, dead.runtime.execute(requester, proposal))
    await world.clock.advance(365 * 24 * 3_600_000)

    const answer = await world.reconcile(proposal)

    expect([answer.status, answer.evidence?.status]).toEqual(['verification_pending', 'UNKNOWN'])
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({
      kind: 'lease_lapsed',
      evidence: 'UNKNOWN',
    })
  })

  it('ownership 4a.5 the fence is raised before the verifier is asked, so that the worker is outrun and not the absence', async () => {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const proposal = await world.approved(INTENT)
    const zombie = await frozenRuntime(world)
    const { promise, reject } = Promise.withResolvers<Executed<Refund>>()
    world.action.methods.execute = () => promise
    const answer = answerOf(zombie.runtime.execute(requester, proposal))
    await world.clock.advance(BOUNDARY_MS)
    world.action.methods.verify = async (input) => {
      // While the target is asked, the worker wakes up with a word that would free the effect.
      reject(new DefinitiveFailure('cancelled'))
      expect(await answer).toBe('verification_pending')
      expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({ evidence: 'UNKNOWN' })
      return says.absent(input)
    }

    await world.reconcile(proposal)

    expect((await world.stored(proposal)).proposal.status).toBe('verification_pending')
    expect(world.log.executed).toHaveLength(1)
  })

  it('ownership 4a.7 the clock of the store decides what is in time, not that of the process', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    await world.clock.advance(10 * 60_000)
    const slow = await world.open({ clock: new VirtualClock(START) })

    expect(await answerOf(slow.execute(service, proposal))).toBe('expired')
    expect(world.action.calls.execute).toBe(0)
  })
})
