// The acts of the pages on both stores: check, look again, resume and settle, decide and take back; each once, each by whom it may.
import { describe, expect, it } from 'vitest'
import { STORES } from '../../runtime/harness.ts'
import { answering, effectBehind, found, lastReceipt, operator2, unresolved } from '../../runtime/operators.ts'
import { finance1, finance2, operator, requester } from '../../runtime/sessions.ts'
import { formIn, openInbox } from './inbox-world.ts'

/** What the form of a settlement asks for, beside the verdict. */
const SAYING = { reason: 'statement_checked', evidenceReference: 'case-7' }
const at = (ref: string): string => `/inbox/proposals/${ref}`

describe.each(STORES)('on %s', (store) => {
  it('a check says that a proposal would stand, that it would not, or that it cannot be told; and records nothing', async () => {
    const world = await openInbox({ store })
    const { proposal, revision } = await world.prepared(requester)
    const visitor = world.visitor(finance1)
    const check = async (): Promise<string> => {
      const { text } = await visitor.fill(at(proposal), 'check')
      return /role="status">(.*?)<\/p>/.exec(text)?.[1] ?? ''
    }

    expect(await check()).toBe('✓ Checked just now: nothing has changed, it would stand as it is.')
    world.action.business.refunded = { amount: '95.00', currency: 'EUR' }
    expect(await check()).toBe('✗ Checked just now: the business has changed, so it would not be executed as it is.')
    world.action.methods.resolve = async () => {
      throw new Error('out of reach')
    }
    expect(await check()).toBe('✗ Checked just now: it could not be found out whether it would stand.')

    const { proposal: after } = await world.stored(proposal)
    expect([after.revision, after.status]).toEqual([revision, 'awaiting_approval'])
    const { text } = await world.visitor(requester).get(at(proposal))
    expect(() => formIn(text, 'check')).toThrow('no form')
  })

  it('an operator has an unresolved effect looked for again, with a reason, and it is found', async () => {
    const world = await openInbox({ store })
    const ref = await unresolved(world)
    const visitor = world.visitor(operator)

    const resumed = await visitor.fill(at(ref), 'resume', { reason: 'provider_is_back' })

    expect(resumed.text).toContain('✓ It is looked for again, with fresh budgets.')
    expect(await lastReceipt(world, ref)).toMatchObject({
      type: 'operation.resumed',
      participant: 'user:oscar',
      reason: 'provider_is_back',
    })
    expect(() => formIn(resumed.text, 'resume')).toThrow('no form')
    answering(world, found)
    const looked = await visitor.fill(at(ref), 'reconcile')
    expect(looked.text).toContain('✓ It is verified.')
    expect((await world.stored(ref)).proposal.status).toBe('verified')
  })

  it('a resume is recorded once, however often its form is sent, and never with a reason that is no code', async () => {
    const world = await openInbox({ store })
    const ref = await unresolved(world)
    const visitor = world.visitor(operator)
    const { action, values } = formIn((await visitor.get(at(ref))).text, 'resume')

    const free = await visitor.post(action, { ...values, reason: 'It is back!' })
    const [once, twice] = [
      await visitor.post(action, { ...values, reason: 'back' }),
      await visitor.post(action, { ...values, reason: 'back' }),
    ]

    expect(free.status).toBeGreaterThanOrEqual(303)
    expect([once.status, twice.status]).toEqual([303, 303])
    expect(once.headers.get('Location')).toContain('said=resumed')
    expect(twice.headers.get('Location')).toContain('said=already')
    const { receipts } = await world.runtime.receipts(operator, ref)
    expect(receipts.filter(({ body }) => body?.type === 'operation.resumed')).toHaveLength(1)
  })

  it('acts of operators are on nobody else’s page, and refused to whoever sends them all the same', async () => {
    const world = await openInbox({ store })
    const ref = await unresolved(world)
    const { revision } = (await world.stored(ref)).proposal
    const visitor = world.visitor(requester)
    const { text } = await visitor.get(at(ref))
    for (const act of ['resume', 'settle']) expect(() => formIn(text, act)).toThrow('no form')
    const { values } = formIn(text, 'reconcile')

    const resumed = await visitor.post(`${at(ref)}/resume`, { ...values, reason: 'mine' })
    const settled = await visitor.post(`${at(ref)}/settle`, { ...values, ...SAYING, verdict: 'occurred' })

    for (const answer of [resumed, settled]) {
      expect(answer.headers.get('Location')).toContain('said=not_permitted')
    }
    expect((await world.stored(ref)).proposal.revision).toBe(revision)
  })

  it('a settlement that it did not happen takes two operators', async () => {
    const world = await openInbox({ store })
    const ref = await unresolved(world)

    const first = await world.visitor(operator).fill(at(ref), 'settle', { ...SAYING, verdict: 'did_not_occur' })
    const barred = 'It stays barred until a second one says the same.'
    expect(first.text).toContain('✓ What you found out is recorded.')
    expect(first.text).toContain(barred)
    expect(first.text).toContain('evidence is kept at <bdi class="text">case-7</bdi>')
    expect(() => formIn(first.text, 'settle')).toThrow('no form')

    const second = world.visitor(operator2)
    const { values } = formIn((await second.get(at(ref))).text, 'settle')
    expect(values['verdict']).toBe('did_not_occur')
    const confirmed = await second.fill(at(ref), 'settle', { reason: 'bank_asked', evidenceReference: 'case-8' })

    expect(confirmed.text).toContain('✓ What you found out is recorded.')
    expect(confirmed.text).not.toContain(barred)
    expect(() => formIn(confirmed.text, 'settle')).toThrow('no form')
    expect((await effectBehind(world, ref)).settlement).toMatchObject({
      by: 'user:oscar',
      secondOperator: 'user:olivia',
    })
    expect((await world.stored(ref)).proposal.status).toBe('failed_known')
  })

  it('case C042 an approval is given, given once more, taken back, and another proposal rejected and withdrawn', async () => {
    const world = await openInbox({ store })
    const [first, second, third] = [
      await world.prepared(requester),
      await world.prepared(requester),
      await world.prepared(requester),
    ]
    const visitor = world.visitor(finance1)
    const { action, values } = formIn((await visitor.get(`${at(first.proposal)}/approve`)).text, 'approve')

    const given = await visitor.post(action, values)
    const again = await visitor.post(action, values)
    const revoke = (await visitor.get(at(first.proposal))).text.match(/approvals\/[^"/]+\/revoke/)?.[0] ?? ''
    const taken = await visitor.fill(at(first.proposal), revoke)
    const rejected = await world.visitor(finance2).fill(at(second.proposal), 'reject', { comment: 'Not this one.' })
    const withdrawn = await world.visitor(requester).fill(at(third.proposal), 'withdraw')

    expect([given.status, again.status]).toEqual([303, 303])
    expect(given.headers.get('Location')).toContain('said=approved')
    expect(again.headers.get('Location')).toMatch(/said=(?:already|replayed)/)
    expect((await visitor.get(again.headers.get('Location') ?? '')).text).toContain('Nothing was recorded twice.')
    expect(taken.text).toContain('✓ Your approval is taken back.')
    expect(rejected.text).toContain('Not this one.')
    expect(withdrawn.text).toContain('✓ It is withdrawn.')
    const statuses = await Promise.all([first, second, third].map(async ({ proposal }) => world.stored(proposal)))
    expect(statuses.map(({ proposal }) => proposal.status)).toEqual(['awaiting_approval', 'rejected', 'withdrawn'])
  })
})
