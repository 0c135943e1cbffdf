// Rules R10 and R16, as far as preparing, deciding and reading are concerned; R9, R12, R14, R17 and R18 stand with what they rule.
import { describe, expect, it } from 'vitest'
import type { Preview, Snapshot } from '../../src/proposal/action.ts'
import { erase } from './erased.ts'
import { answerOf, openWorld, reference, refused, STORES, unsound } from './harness.ts'
import type { Refund } from './refund.ts'
import { finance1, reader, requester, service, TENANT } from './sessions.ts'

describe.each(STORES)('rule R10 on %s', (store) => {
  it('rule R10: the preview is made by the runtime of the snapshot alone, at prepare and again at execute', async () => {
    const world = await openWorld({ store })
    const { preview } = world.action.methods
    const given: Snapshot<Refund>[] = []
    world.action.methods.preview = (...input) => {
      expect(input).toHaveLength(1)
      given.push(input[0])
      return preview(...input)
    }
    const { proposal } = await world.approvedProposal()

    await world.runtime.execute(requester, proposal)

    expect(given).toHaveLength(2)
    expect(given[1]).toEqual(given[0])
    expect(given[1]).not.toBe(given[0])
  })

  it('rule R10: a preview that the host’s prepare brings along is refused', async () => {
    const world = await openWorld({ store })
    const { prepare } = world.action.methods
    world.action.methods.prepare = async (input) =>
      unsound({ ...(await prepare(input)), preview: { title: 'Something harmless' } })

    const error = await refused(world.prepared())

    expect(error).toMatchObject({ code: 'invalid_preparation', problems: [{ path: '', rule: 'unrecognized_keys' }] })
  })

  it('rule R10: a preview that throws, waits or depends on anything else makes no proposal that runs', async () => {
    const world = await openWorld({ store })
    const { preview } = world.action.methods
    let calls = 0

    world.action.methods.preview = () => {
      throw new Error('no preview')
    }
    expect(await refused(world.prepared())).toMatchObject({ problems: [{ path: '/preview', rule: 'threw' }] })
    world.action.methods.preview = unsound(async (snapshot: Snapshot<Refund>) => preview(snapshot))
    expect(await refused(world.prepared())).toMatchObject({ problems: [{ path: '/preview', rule: 'class_instance' }] })
    world.action.methods.preview = (snapshot): Preview<Refund> => {
      calls += 1
      return { ...preview(snapshot), title: `Refund ${calls}` }
    }
    const { proposal } = await world.approvedProposal()
    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('blocked preview_differs')
    expect(world.action.calls.execute).toBe(0)
  })

  it('rule R10: what approvers are shown is what was committed to, and not what the action would show today', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()
    const before = await world.runtime.read(finance1, proposal)

    world.action.methods.preview = (): Preview<Refund> => {
      throw new Error('another version')
    }

    expect(await world.runtime.read(finance1, proposal)).toEqual(before)
  })
})

describe.each(STORES)('rule R16 on %s', (store) => {
  it('rule R16: the request key of an erased proposal makes no second one', async () => {
    const world = await openWorld({ store })
    const input = { ...world.input(), requestKey: 'k-1' }
    const { proposal } = await world.runtime.prepare(requester, input)
    await erase(world, proposal)

    const answer = await answerOf(world.runtime.prepare(requester, input))
    const other = await answerOf(world.runtime.prepare(requester, { ...world.input(), requestKey: 'k-1' }))

    expect([answer, other]).not.toContain('prepared')
    expect(world.action.calls.prepare).toBe(1)
    expect(await world.bareStore.list({ tenant: reference(TENANT), limit: 10 })).toEqual([])
  })

  it('rule R16: an effect that was done through an erased proposal is not done again', async () => {
    const world = await openWorld({ store })
    const intent = 'done and erased'
    const first = await world.prepared(requester, world.input({ intent }))
    const second = await world.prepared(requester, world.input({ intent }))
    await world.runtime.approve(finance1, first.proposal, { commitment: first.commitment })
    await world.runtime.execute(requester, first.proposal)
    await world.clock.advance(5_000)
    expect((await world.runtime.reconcile(service, first.proposal)).status).toBe('verified')
    await erase(world, first.proposal)

    const again = await answerOf(world.prepared(requester, world.input({ intent })))
    const approved = await world.runtime.approve(finance1, second.proposal, { commitment: second.commitment })

    expect(again).not.toBe('prepared')
    expect(approved).toMatchObject({ outcome: 'replayed', status: 'superseded' })
    expect(world.action.calls.execute).toBe(1)
    expect(await world.runtime.read(reader, first.proposal)).toMatchObject({ kind: 'erased' })
  })
})
