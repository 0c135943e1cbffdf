// Amending: a new proposal that replaces another one, closes it, and takes nothing of its authority.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import { answerOf, LIFETIME_MS, openWorld, refused, STORES, type World } from './harness.ts'
import { agent, agentOwner, elsewhere, finance1, finance2, operator, reader, requester, session } from './sessions.ts'

const rosa = session('user:rosa', ['support', 'operator'])
const rolf = session('user:rolf', ['support'])

async function amend(world: World, replaces: string, by: Session = requester): Promise<OperationResult> {
  return world.runtime.prepare(by, { ...world.input(), replaces })
}

describe.each(STORES)('a proposal that amends another on %s', (store) => {
  it('closes it in the same change, and neither its approvals nor its commitment pass on', async () => {
    const world = await openWorld({ store })
    const old = await world.approvedProposal()

    const fresh = await amend(world, old.proposal)

    expect(fresh).toMatchObject({ outcome: 'prepared', status: 'awaiting_approval', revision: 0 })
    const { proposal: closed } = await world.stored(old.proposal)
    expect(closed).toMatchObject({ status: 'withdrawn', reason: 'replaced', revision: 2 })
    const { proposal, approvals } = await world.stored(fresh.proposal)
    expect(proposal.replaces).toBe(old.proposal)
    expect(approvals).toEqual([])
    expect(fresh.commitment).not.toBe(old.commitment)
    expect(world.faults.changes.at(-1)?.proposals.map(({ kind }) => kind)).toEqual(['update', 'insert'])
    const { receipts } = await world.runtime.receipts(reader, old.proposal)
    expect(receipts.at(-1)?.body).toMatchObject({
      type: 'proposal.replaced',
      participant: 'user:rita',
      trigger: 'user:rita',
      reason: 'replaced',
    })
    expect(await answerOf(world.runtime.execute(requester, old.proposal))).toBe('withdrawn')
  })

  it('of a closed one leaves that as it is, and asks for no right to withdraw it', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.reject(finance1, proposal, { commitment })

    const fresh = await amend(world, proposal, rolf)

    expect(fresh.outcome).toBe('prepared')
    expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'rejected', revision: 1 })
  })

  it('of an expired one that nobody has touched closes it as expired, whoever amends', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()
    await world.clock.advance(LIFETIME_MS)

    const fresh = await amend(world, proposal, rolf)

    expect(fresh.outcome).toBe('prepared')
    expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'expired', revision: 1 })
    const { receipts } = await world.runtime.receipts(reader, proposal)
    expect(receipts.at(-1)?.body).toMatchObject({ type: 'proposal.expired', participant: null, trigger: 'user:rolf' })
  })

  it('can be made by an operator with the right to withdraw, and by nobody else but the requester', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()

    expect(await refused(amend(world, proposal, rolf))).toMatchObject({ name: 'NotPermitted', code: 'not_permitted' })
    expect((await world.stored(proposal)).proposal.status).toBe('awaiting_approval')
    expect((await amend(world, proposal, rosa)).outcome).toBe('prepared')
    expect((await world.stored(proposal)).proposal.status).toBe('withdrawn')
  })

  it.each<[string, string, Session]>([
    ['is not there', 'nowhere', requester],
    ['is malformed', ' x', requester],
    ['belongs to another tenant', '', elsewhere(requester)],
  ])('is not prepared if that one %s', async (_title, replaces, by) => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()

    const error = await refused(amend(world, replaces === '' ? proposal : replaces, by))

    expect(error).toMatchObject({ name: 'NotFound', code: 'not_found' })
    expect(world.action.calls.prepare).toBe(1)
  })

  it('excludes the requesters of the whole chain from approving, and the owners of their agents', async () => {
    const world = await openWorld({ store })
    const first = await world.prepared(agent)
    const second = await amend(world, first.proposal, { ...rosa, roles: [...rosa.roles, 'finance-manager'] })
    const third = await amend(world, second.proposal, {
      ...operator,
      roles: ['support', 'operator', 'finance-manager'],
    })
    const fourth = await amend(world, third.proposal, rosa)
    const decide = async (by: Session): Promise<string> => {
      const decider = { ...by, roles: ['finance-manager'] }
      return answerOf(world.runtime.approve(decider, fourth.proposal, { commitment: fourth.commitment }))
    }

    expect(await decide(agentOwner)).toBe('separation_of_duties')
    expect(await decide(operator)).toBe('separation_of_duties')
    expect(await decide(rosa)).toBe('separation_of_duties')
    expect((await world.stored(fourth.proposal)).proposal.policy.excluded).toEqual([
      { principal: 'user:rosa', because: 'requester' },
      { principal: 'user:oscar', because: 'replaced_requester' },
      { principal: 'agent:bot', because: 'replaced_requester' },
      { principal: 'user:olga', because: 'replaced_requester' },
    ])
    expect(await decide(finance1)).toBe('approved')
  })

  it('excludes them also where the exclusion of the requester is switched off', async () => {
    const policy = {
      require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }],
      exclude: { requester: { allowed: 'a shop of one person' } },
    }
    const world = await openWorld({ store, contract: { policy } })
    const first = await world.prepared()
    const { proposal, commitment } = await amend(world, first.proposal)
    const boss = { ...requester, roles: ['support', 'finance-manager'] }

    expect(await answerOf(world.runtime.approve(boss, first.proposal, { commitment: first.commitment }))).toBe(
      'withdrawn',
    )
    expect(await answerOf(world.runtime.approve(boss, proposal, { commitment }))).toBe('separation_of_duties')
  })

  it('is refused when nobody of the chain is left to approve', async () => {
    const policy = { require: [{ name: 'board', count: 1, from: { principals: ['user:rosa'] } }] }
    const world = await openWorld({ store, contract: { policy } })
    const first = await world.prepared()
    world.action.methods.can = () => true

    const byRosa = await refused(amend(world, first.proposal, rosa))

    expect(byRosa).toMatchObject({ code: 'policy_unsatisfiable', requirements: ['board'] })
    expect((await world.stored(first.proposal)).proposal.status).toBe('awaiting_approval')
  })

  it('makes chains of fifty, of people and of agents alike, and none that is longer', async () => {
    for (const by of [requester, { ...agent, roles: ['support', 'operator'] }]) {
      const world = await openWorld({ store: 'memory' })
      let { proposal } = await world.prepared(by)
      for (let length = 1; length <= 50; length += 1) ({ proposal } = await amend(world, proposal, by))

      const error = await refused(amend(world, proposal, by))

      expect(error).toMatchObject({
        code: 'invalid_preparation',
        problems: [{ path: '/replaces', rule: 'chain_too_long' }],
      })
      expect((await world.stored(proposal)).proposal.status).toBe('awaiting_approval')
    }
  })

  it('is made once by twenty requests at once, and the others amend what is closed already', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()
    const input = { ...world.input(), replaces: proposal, requestKey: 'amend-1' }

    const answers = await Promise.all(Array.from({ length: 20 }, async () => world.runtime.prepare(requester, input)))

    expect(new Set(answers.map((answer) => answer.proposal)).size).toBe(1)
    expect(answers.filter(({ outcome }) => outcome === 'prepared')).toHaveLength(1)
    expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'withdrawn', revision: 1 })
  })

  it('loses no decision that is made on the old one at the same time', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()

    const [fresh, decided] = await Promise.all([
      amend(world, proposal),
      world.runtime.approve(finance2, proposal, { commitment }),
    ])

    const { proposal: old, approvals } = await world.stored(proposal)
    expect(fresh.outcome).toBe('prepared')
    expect(old.status).toBe('withdrawn')
    expect(approvals).toHaveLength(decided.outcome === 'approved' ? 1 : 0)
  })
})
