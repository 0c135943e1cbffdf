// The second operator: whose word frees an effect, together with whom, and what is still asked of the target then.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { refused, STORES, type World } from './harness.ts'
import {
  answering,
  approvedFor,
  effectBehind,
  executing,
  found,
  gone,
  goneForGood,
  lastReceipt,
  openOperators,
  operator2,
  refusing,
  saying,
  SETTLED_MS,
  successor,
  unavailable,
  unresolved,
} from './operators.ts'
import { finance1, operator, requester, session } from './sessions.ts'

describe.each(STORES)('trace S8: the operator’s "it did not occur" on %s', (store) => {
  it('trace S8 of one operator frees nothing', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    await world.runtime.settle(operator, ref, saying('did_not_occur'))
    answering(world, goneForGood)
    const next = await successor(world)

    expect(await world.runtime.execute(requester, next)).toMatchObject({
      outcome: 'blocked',
      reason: 'earlier_attempt',
    })
    expect(await world.runtime.settle(operator, ref, saying('did_not_occur'))).toMatchObject({ outcome: 'replayed' })
    expect(await world.runtime.execute(requester, next)).toMatchObject({ outcome: 'blocked' })
    expect(world.action.calls.execute).toBe(1)
  })

  it('trace S8 of two operators frees it, if the target says so, too, with a proof that is good for a resend', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    await settledByTwo(world, ref)
    expect(await lastReceipt(world, ref)).toMatchObject({
      participant: 'user:olivia',
      status: 'failed_known',
      detail: ['did_not_occur', 'second_operator'],
    })
    const next = await successor(world)
    executing(world, async () => ({ status: 'accepted' }))

    answering(world, gone)
    expect(await world.runtime.execute(requester, next)).toMatchObject({
      outcome: 'blocked',
      reason: 'earlier_attempt',
    })
    answering(world, (asked) => ({ ...goneForGood(asked), proof: 'key_consumed' }) as ReturnType<typeof goneForGood>)
    expect(await world.runtime.execute(requester, next)).toMatchObject({
      outcome: 'blocked',
      reason: 'earlier_attempt',
    })
    answering(world, unavailable)
    expect(await world.runtime.execute(requester, next)).toMatchObject({
      outcome: 'blocked',
      reason: 'earlier_attempt',
    })
    expect(world.action.calls.execute).toBe(1)

    answering(world, goneForGood)
    expect(await world.runtime.execute(requester, next)).toMatchObject({ status: 'verification_pending' })
    expect(world.action.calls.execute).toBe(2)
    expect(await effectBehind(world, next)).toMatchObject({
      owner: next,
      settlement: { secondOperator: 'user:olivia' },
    })
  })

  it('trace S8 the executor’s own refusal is not enough once a person had to settle', async () => {
    const world = await openOperators({ store })
    executing(world, refusing)
    const { proposal } = await approvedFor(world, 'broken vase')
    await world.runtime.execute(requester, proposal)
    answering(world, found)
    await world.runtime.reconcile(operator, proposal, { now: true })
    await settledByTwo(world, proposal)
    await world.clock.advance(SETTLED_MS)
    const next = await successor(world)

    answering(world, gone)
    expect(await world.runtime.execute(requester, next)).toMatchObject({
      outcome: 'blocked',
      reason: 'earlier_attempt',
    })
    answering(world, goneForGood)
    expect(await world.runtime.execute(requester, next)).toMatchObject({ status: 'failed_known' })
    expect(world.action.calls.execute).toBe(2)
  })

  it('trace S8 the queue drains: what is found by the look before the second call reopens everything', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    await settledByTwo(world, ref)
    const next = await successor(world)
    answering(world, found)

    expect(await world.runtime.execute(requester, next)).toMatchObject({
      outcome: 'blocked',
      reason: 'earlier_attempt',
    })
    expect((await world.stored(ref)).proposal.status).toBe('verification_unresolved')
    expect(await world.runtime.execute(requester, next)).toMatchObject({ outcome: 'replayed' })
    expect(world.action.calls.execute).toBe(1)
  })

  it.each<[string, Session]>([
    ['the requester', session('user:rita', ['operator'])],
    ['the approver', session('user:fiona', ['operator'])],
    ['an agent', session('agent:helper', ['operator'])],
  ])('trace S8 %s is no second operator', async (_, second) => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    await world.runtime.settle(operator, ref, saying('did_not_occur'))

    expect(await refused(world.runtime.settle(second, ref, saying('did_not_occur')))).toMatchObject({
      code: 'not_permitted',
    })
    expect((await effectBehind(world, ref)).settlement?.secondOperator).toBeNull()
  })

  it('trace S8 whoever settled neither requests nor approves what runs next', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    await settledByTwo(world, ref)
    answering(world, goneForGood)
    const oscar = session('user:oscar', ['operator', 'support', 'finance-manager'])

    const own = await successor(world, 'broken vase', oscar)
    expect(await world.runtime.execute(requester, own)).toMatchObject({ outcome: 'blocked', reason: 'earlier_attempt' })

    const { proposal, commitment } = await world.runtime.prepare(requester, world.input({ intent: 'broken vase' }))
    await world.runtime.approve(oscar, proposal, { commitment })
    expect(await world.runtime.execute(requester, proposal)).toMatchObject({
      outcome: 'blocked',
      reason: 'earlier_attempt',
    })
    await world.runtime.approve(finance1, proposal, { commitment })
    expect(await world.runtime.execute(requester, proposal)).toMatchObject({ status: 'failed_unknown' })
    expect(world.action.calls.execute).toBe(2)
  })
})

async function settledByTwo(world: World, ref: string): Promise<void> {
  await world.runtime.settle(operator, ref, saying('did_not_occur'))
  await world.runtime.settle(
    operator2,
    ref,
    saying('did_not_occur', { reason: 'bank_asked', evidenceReference: 'case-8' }),
  )
}
