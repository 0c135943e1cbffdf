// Policies at prepare: chosen, checked, frozen into the proposal, and refused where nobody could meet them.
import { describe, expect, it } from 'vitest'
import { noApproval, type PolicyInput } from '../../src/proposal/policy/policy.ts'
import { answerOf, matching, openWorld, refused, STORES } from './harness.ts'
import { agent, agentOwner, finance1, reader, requester, session } from './sessions.ts'

const cfo = session('user:cfo', ['support', 'finance-manager'])
const named = (...principals: string[]): PolicyInput => ({
  require: [{ name: 'board', count: 1, from: { principals } }],
})

describe.each(STORES)('a policy on %s', (store) => {
  it('that says no approval is needed, and why, makes an approved proposal', async () => {
    const world = await openWorld({ store, contract: { policy: noApproval('small and reversible') } })

    const { proposal, status, revision, nextStep } = await world.prepared()

    expect([status, revision, nextStep]).toEqual(['approved', 0, 'execute'])
    expect(await world.runtime.read(reader, proposal)).toMatchObject({
      policy: { met: true, noApproval: 'small and reversible', requirements: [] },
    })
    const { receipts } = await world.runtime.receipts(reader, proposal)
    expect(receipts.map(({ body }) => [body?.type, body?.status])).toEqual([['proposal.prepared', 'approved']])
    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('verification_pending')
  })

  it('is what it was at prepare, whatever its author does to it afterwards', async () => {
    const source = { name: 'finance', count: 2, from: { role: 'finance-manager' } }
    const chosen = { require: [source] }
    const world = await openWorld({ store, contract: { policy: () => chosen } })
    const { proposal, commitment } = await world.prepared()

    source.count = 1
    chosen.require.pop()

    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('approval_pending')
    expect((await world.stored(proposal)).proposal.policy.require).toMatchObject([{ count: 2 }])
  })

  it('may be chosen by a pure function of the snapshot and of related proposals', async () => {
    const asked: unknown[] = []
    const policy = (args: unknown): PolicyInput => {
      asked.push(args)
      return named('user:fiona')
    }
    const world = await openWorld({ store, contract: { policy } })
    const first = await world.prepared()

    await world.prepared()

    const snapshot = matching({ orderVersion: 7, customer: 'Carla Customer' })
    const action = 'example.payments/refund@1'
    expect(asked).toEqual([
      { snapshot, related: [] },
      { snapshot, related: [{ ref: first.proposal, action, status: 'awaiting_approval' }] },
    ])
    const [{ snapshot: given }] = asked as [{ snapshot: object }]
    expect(Object.isFrozen(given)).toBe(true)
  })

  it.each<[string, () => unknown, string]>([
    ['nothing', () => {}, '/policy'],
    ['an empty list', () => ({ require: [] }), '/policy/require'],
    ['a count of zero', () => ({ require: [{ name: 'a', count: 0, from: { role: 'r' } }] }), '/policy/require/0/count'],
    [
      'a path that is not there',
      () => ({
        require: [
          {
            name: 'a',
            count: 1,
            from: { role: 'r' },
            when: { path: '/nowhere', atLeast: { amount: '1.00', currency: 'EUR' } },
          },
        ],
      }),
      '/policy/require/0/when/path',
    ],
    ['a promise', async () => named('user:fiona'), '/policy'],
    ['a look-alike of noApproval', () => ({ noApproval: 'because' }), '/policy/noApproval'],
  ])('function that returns %s is a fault of the action', async (_title, policy, path) => {
    const world = await openWorld({ store, contract: { policy } })

    const error = await refused(world.prepared())

    expect(error).toMatchObject({
      name: 'InvalidPreparation',
      code: 'invalid_preparation',
      problems: expect.arrayContaining([matching({ path })]) as unknown,
    })
  })

  it('function that throws says nothing of what it threw', async () => {
    const policy = ({ snapshot }: { snapshot: { customer: string } }): PolicyInput => {
      throw new Error(snapshot.customer)
    }
    const world = await openWorld({ store, contract: { policy } })

    const error = await refused(world.prepared())

    expect(error).toMatchObject({ code: 'invalid_preparation', problems: [{ path: '/policy', rule: 'threw' }] })
    expect(`${error.message}${JSON.stringify(error)}${error.stack}`).not.toContain('Carla')
  })

  it.each<[string, PolicyInput, readonly string[]]>([
    ['the requester alone', named('user:cfo'), ['board']],
    [
      'nobody twice',
      { require: [{ name: 'two', count: 2, from: { principals: ['user:fiona', 'user:cfo'] } }] },
      ['two'],
    ],
    [
      'one person for two requirements',
      {
        require: [
          { name: 'a', count: 1, from: { principals: ['user:fiona'] } },
          { name: 'b', count: 1, from: { principals: ['user:fiona', 'user:cfo'] } },
        ],
      },
      ['a', 'b'],
    ],
  ])('that could be met by %s is unsatisfiable at prepare', async (_title, policy, requirements) => {
    const world = await openWorld({ store, contract: { policy } })

    const error = await refused(world.prepared(cfo))

    expect(error).toMatchObject({ name: 'PolicyUnsatisfiable', code: 'policy_unsatisfiable', requirements })
    expect(await answerOf(world.prepared(requester))).toBe('prepared')
  })

  it('that only the agent’s owner could meet is unsatisfiable for that agent', async () => {
    const world = await openWorld({ store, contract: { policy: named('user:olga') } })

    expect(await answerOf(world.prepared(agent))).toBe('policy_unsatisfiable')
    expect(await answerOf(world.prepared(requester))).toBe('prepared')
  })

  it('that switches an exclusion off says so, with the reason, to every reader', async () => {
    const policy = { ...named('user:olga'), exclude: { agentOwner: { allowed: 'a shop of one person' } } }
    const world = await openWorld({ store, contract: { policy } })
    const { proposal, commitment } = await world.prepared(agent)

    const answer = await world.runtime.approve(agentOwner, proposal, { commitment })

    expect(answer.outcome).toBe('approved')
    expect(await world.runtime.read(reader, proposal)).toMatchObject({
      policy: { switchedOff: [{ exclusion: 'agent_owner', reason: 'a shop of one person' }] },
    })
  })

  it('is chosen before the commitment is made over it', async () => {
    const world = await openWorld({ store, contract: { policy: () => named('user:fiona') } })
    const { proposal } = await world.prepared()
    const view = await world.runtime.read(reader, proposal)

    expect(view).toMatchObject({
      contentAvailable: true,
      policy: { requirements: [{ name: 'board', state: 'missing' }] },
    })
  })
})
