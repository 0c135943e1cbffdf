// Withdrawing: the requester, or an operator, takes an open proposal back.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { answerOf, LIFETIME_MS, openWorld, refused, STORES, unsound } from './harness.ts'
import { agent, agentOwner, director, finance1, operator, reader, requester, session, stranger } from './sessions.ts'

const rolf = session('user:rolf', ['support'])

describe.each(STORES)('a withdrawal on %s', (store) => {
  it('closes an open proposal, approved or not, for the reason given', async () => {
    const world = await openWorld({ store })
    const [waiting, approved] = [await world.prepared(), await world.approvedProposal()]

    const answers = [
      await world.runtime.withdraw(requester, waiting.proposal),
      await world.runtime.withdraw(operator, approved.proposal, { reason: 'customer_changed_mind' }),
    ]

    expect(answers.map(({ outcome, status, nextStep }) => [outcome, status, nextStep])).toEqual([
      ['withdrawn', 'withdrawn', 'none'],
      ['withdrawn', 'withdrawn', 'none'],
    ])
    expect((await world.stored(waiting.proposal)).proposal).toMatchObject({ reason: 'withdrawn' })
    expect((await world.stored(approved.proposal)).proposal).toMatchObject({ reason: 'customer_changed_mind' })
    const { receipts } = await world.runtime.receipts(reader, approved.proposal)
    expect(receipts.at(-1)?.body).toMatchObject({
      type: 'proposal.withdrawn',
      participant: 'user:oscar',
      trigger: 'user:oscar',
      reason: 'customer_changed_mind',
    })
    expect(await answerOf(world.runtime.execute(requester, approved.proposal))).toBe('withdrawn')
    expect(world.action.calls.execute).toBe(0)
  })

  it('may be made by an agent, of its own proposal', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared(agent)

    expect(await answerOf(world.runtime.withdraw(requester, proposal))).toBe('not_permitted')
    expect(await answerOf(world.runtime.withdraw(agent, proposal))).toBe('withdrawn')
  })

  it.each<[string, Session]>([
    ['a colleague', rolf],
    ['an approver', finance1],
    ['the owner of the agent', agentOwner],
    ['a director', director],
    ['a principal of the same name and another kind', session('service:bot', ['support'])],
  ])('is refused to %s', async (_title, by) => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared(agent)

    const error = await refused(world.runtime.withdraw(by, proposal))

    expect(error).toMatchObject({ name: 'NotPermitted', code: 'not_permitted' })
    expect((await world.stored(proposal)).proposal.revision).toBe(0)
  })

  it('is judged in its order: reason, not found, revision, right, status, time', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    const withdraw = async (by: Session, ref: string, input: object): Promise<string> =>
      answerOf(world.runtime.withdraw(by, ref, unsound(input)))

    expect(await withdraw(stranger, 'nowhere', { reason: 'Not a code', ifRevision: 9 })).toBe('malformed_reference')
    expect(await withdraw(stranger, proposal, { ifRevision: 9 })).toBe('not_found')
    expect(await withdraw(rolf, proposal, { ifRevision: 9 })).toBe('revision_mismatch')
    await world.runtime.reject(finance1, proposal, { commitment })
    expect(await withdraw(rolf, proposal, {})).toBe('not_permitted')
    await world.clock.advance(LIFETIME_MS)
    expect(await withdraw(requester, proposal, { ifRevision: 1 })).toBe('rejected')
    expect(await withdraw(requester, (await world.prepared()).proposal, {})).toBe('withdrawn')
  })

  it.each<[string, unknown]>([
    ['in words', 'The customer called'],
    ['empty', ''],
    ['too long', 'x'.repeat(65)],
    ['a number', 7],
    ['null', null],
    ['an object', { toString: () => 'fine' }],
  ])('takes a code for a reason, not one that is %s', async (_title, text) => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()

    const error = await refused(world.runtime.withdraw(requester, proposal, unsound({ reason: text })))

    expect(error).toMatchObject({ name: 'MalformedReference', code: 'malformed_reference', path: '/reason' })
    expect(error.message).not.toContain('customer')
  })

  it('of an expired proposal writes the expiry down', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.prepared()
    await world.clock.advance(LIFETIME_MS)

    const answer = await world.runtime.withdraw(requester, proposal)

    expect(answer).toMatchObject({ outcome: 'expired', status: 'expired', nextStep: 'prepare_again' })
  })

  it('is too late for a call that is under way, and changes nothing then', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    await world.runtime.execute(requester, proposal)

    expect(await answerOf(world.runtime.withdraw(requester, proposal))).toBe('verification_pending')
    expect((await world.stored(proposal)).proposal.status).toBe('verification_pending')
  })
})
