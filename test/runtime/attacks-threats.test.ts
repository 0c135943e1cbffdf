// Threats to authority, time and identity, one small attack each on the whole core: versions, people, clocks, texts.
import { describe, expect, it } from 'vitest'
import { openExecution } from './execution-world.ts'
import { answerOf, HOUR_MS, LIFETIME_MS, openWorld, refused, STORES, unsound } from './harness.ts'
import { agent, agentOwner, finance1, finance2, privacy, requester, session } from './sessions.ts'

const finance = { name: 'finance', count: 1, from: { role: 'finance-manager' } }
const anna = session('user:anna', ['support', 'finance-manager'])
const bert = session('user:bert', ['support', 'operator'])

describe.each(STORES)('versions on %s', (store) => {
  it('threat T6: an approval under one version is none under the next, which finds the first one’s effect', async () => {
    const world = await openExecution({ store })
    const [pending, paid] = [await world.approved('broken vase'), await world.approved('broken cup')]
    const next = world.actionWith({ type: 'example.payments/refund@2', verifies: [1] })
    const runtime = await world.open({ actions: [next, world.action] })
    await world.execute(paid)
    const input = { ...world.input({ intent: 'broken cup' }), action: 'example.payments/refund@2' }
    const second = await runtime.prepare(requester, input)
    await runtime.approve(finance1, second.proposal, { commitment: second.commitment })

    expect((await world.stored(pending)).approvals).toHaveLength(1)
    expect(second.commitment).not.toBe((await world.stored(paid)).proposal.commitment)
    expect(await answerOf((await world.open({ actions: [next] })).execute(requester, pending))).toBe(
      'blocked definition_changed',
    )
    expect(await answerOf(runtime.execute(requester, second.proposal))).toBe('replayed effect_in_flight_elsewhere')
    expect([world.action.calls.execute, next.calls.execute]).toEqual([1, 0])
  })
})

describe.each(STORES)('people on %s', (store) => {
  it('threat T7: whoever requested a link of a chain may not approve what amends it, also if the link is erased', async () => {
    const world = await openWorld({ store })
    const first = await world.prepared(anna, world.input({ intent: 'broken vase' }))
    const input = world.input({ intent: 'broken vase' })
    const second = await world.prepared(bert, { ...input, replaces: first.proposal })
    expect(await world.runtime.erase(privacy, first.proposal, { reason: 'asked_by_subject' })).toMatchObject({
      outcome: 'erased',
    })

    const third = await world.prepared(bert, { ...input, replaces: second.proposal })
    const { proposal, commitment } = third

    expect(await answerOf(world.runtime.approve(anna, proposal, { commitment }))).toBe('separation_of_duties')
    expect((await world.stored(proposal)).approvals).toEqual([])
    expect(await answerOf(world.runtime.execute(bert, proposal))).toBe('approval_pending')
    expect((await world.runtime.approve(finance1, proposal, { commitment })).status).toBe('approved')
  })

  it('threat T7: the owner of the agent that asked does not count, and a name in other letters is another person', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared(agent)
    const spelled = session('user:OLGA', ['finance-manager'])

    expect(await answerOf(world.runtime.approve(agentOwner, proposal, { commitment }))).toBe('separation_of_duties')
    expect((await world.runtime.approve(spelled, proposal, { commitment })).status).toBe('approved')
  })

  it('threat T8: two votes of one person in two runtimes at once are one, and no quorum of two', async () => {
    const world = await openWorld({ store, contract: { policy: { require: [{ ...finance, count: 2 }] } } })
    const other = await world.open()
    const { proposal, commitment } = await world.prepared()

    await Promise.allSettled([world.runtime, other].map((one) => one.approve(finance1, proposal, { commitment })))

    const { approvals, proposal: after } = await world.stored(proposal)
    expect([approvals.length, after.status]).toEqual([1, 'awaiting_approval'])
    expect((await other.approve(finance2, proposal, { commitment })).status).toBe('approved')
  })

  it.each([0, -1, 0.5])('threat T8: a quorum of %d is none', async (count) => {
    const error = await refused(openWorld({ store, contract: { policy: { require: [{ ...finance, count }] } } }))

    expect(error.name).toBe('DefinitionError')
  })
})

describe.each(STORES)('clocks on %s', (store) => {
  it('threat T10: what has expired stays so when the clock is set back, and nothing it held runs', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('broken vase')
    const { commitment, expiresAt } = (await world.stored(proposal)).proposal
    world.clock.setWall(expiresAt)
    expect(await answerOf(world.execute(proposal))).toBe('expired')
    world.clock.setWall(expiresAt - LIFETIME_MS - HOUR_MS)

    expect(await answerOf(world.execute(proposal))).toBe('expired')
    expect(await answerOf(world.runtime.approve(finance2, proposal, { commitment }))).toBe('expired')
    expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'expired', updatedAt: expiresAt })
    expect(world.action.calls.execute).toBe(0)
  })

  it('threat T10: a clock set back between two steps never sets back the time of a proposal', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('broken vase')
    const before = (await world.stored(proposal)).proposal.updatedAt
    world.clock.setWall(before - HOUR_MS)

    await world.runtime.withdraw(requester, proposal, { reason: 'ordered_twice' })

    expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'withdrawn', updatedAt: before })
  })

  it('threat T10: a step forward past the lifetime sends nothing', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('broken vase')
    world.clock.setWall((await world.stored(proposal)).proposal.expiresAt)

    expect(await answerOf(world.execute(proposal))).toBe('expired')
    expect(world.action.calls.execute).toBe(0)
  })
})

describe.each(STORES)('texts on %s', (store) => {
  it.each<[string, unknown]>([
    ['minus zero', -0],
    ['a number that is not whole', 7.5],
    ['a number past 2 to the 53rd', 2 ** 53],
    ['not a number', Number.NaN],
    ['a date', new Date(0)],
  ])('threat T20: %s has no commitment', async (_title, orderVersion) => {
    const world = await openWorld({ store })
    world.action.business.orderVersion = unsound<number>(orderVersion)

    expect(await refused(world.prepared())).toMatchObject({ code: 'invalid_preparation' })
    expect(world.faults.changes).toEqual([])
  })

  it('threat T20: one command in another order is the same one, and a different one is not', async () => {
    const world = await openWorld({ store })
    const { action, command } = world.input({ intent: 'broken vase' })
    const turned = Object.fromEntries(Object.entries(unsound<object>(command)).toReversed())
    const other = { ...unsound<object>(command), memo: '' }
    const first = await world.prepared(requester, { action, command, requestKey: 'one' })

    expect(await answerOf(world.prepared(requester, { action, command: turned, requestKey: 'one' }))).toBe('replayed')
    expect((await world.prepared(requester, { action, command: turned, requestKey: 'one' })).proposal).toBe(
      first.proposal,
    )
    expect(await answerOf(world.prepared(requester, { action, command: other, requestKey: 'one' }))).toBe(
      'request_key_reused',
    )
  })

  it('threat T21: one name in two normal forms is never two effects', async () => {
    const world = await openWorld({ store })
    const composed = await world.prepared(requester, world.input({ intent: 'caf\u00E9' }))

    const error = await refused(world.prepared(requester, world.input({ intent: 'cafe\u0301' })))

    expect(composed.outcome).toBe('prepared')
    expect(error).toMatchObject({ code: 'invalid_preparation', problems: [{ rule: 'not_normal_form' }] })
    expect(world.faults.changes).toHaveLength(1)
  })

  it('threat T21: free text reaches the target as it was given', async () => {
    const world = await openExecution({ store })
    const memo = 'cafe\u0301'

    await world.execute(await world.approved('broken vase', { memo }))

    expect(world.log.executed.map(({ input }) => input.snapshot.memo)).toEqual([memo])
  })
})
