// Lists: what each filter finds, page by page, for whoever may see it and for nobody else.
import { describe, expect, it } from 'vitest'
import type { ListInput } from '../../src/runtime/list.ts'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import type { Session } from '../../src/proposal/session.ts'
import { LIFETIME_MS, openWorld, refused, STORES, unsound, type World } from './harness.ts'
import {
  agent,
  elsewhere,
  finance1,
  finance2,
  foreigner,
  operator,
  reader,
  requester,
  service,
  stranger,
} from './sessions.ts'

async function refs(runtime: ProposalRuntime, by: Session, input?: ListInput): Promise<readonly string[]> {
  return (await runtime.list(by, input)).items.map(({ proposal }) => proposal)
}

/** Every page after the first, until there is none. */
async function pages(runtime: ProposalRuntime, by: Session, input: ListInput): Promise<readonly (readonly string[])[]> {
  const found: string[][] = []
  let after: string | undefined
  do {
    const page = await runtime.list(by, { ...input, ...(after === undefined ? {} : { after }) })
    found.push(page.items.map(({ proposal }) => proposal))
    after = page.next ?? undefined
  } while (after !== undefined)
  return found
}

describe.each(STORES)('a list on %s', (store) => {
  it('shows references, codes and times, newest first, and nothing that is sealed', async () => {
    const world = await openWorld({ store })
    const first = await world.prepared(agent)
    await world.clock.advance(1_000)
    const second = await world.approvedProposal()

    const { items, next } = await world.runtime.list(reader)

    expect(next).toBeNull()
    expect(items.map(({ proposal }) => proposal)).toEqual([second.proposal, first.proposal])
    const { subject, createdAt, expiresAt } = (await world.stored(first.proposal)).proposal
    expect(items[1]).toEqual({
      proposal: first.proposal,
      action: 'example.payments/refund@1',
      status: 'awaiting_approval',
      revision: 0,
      requester: { kind: 'agent', id: 'bot' },
      agent: { kind: 'agent', id: 'bot' },
      subject,
      createdAt,
      expiresAt,
      attention: [],
    })
  })

  it('finds by each filter what it names, and by all of them only what fits every one', async () => {
    const world = await openWorld({ store })
    const payout = world.actionWith({ type: 'example.payments/payout@1' })
    const runtime = await world.open({ actions: [world.action, payout], seed: 77 })
    const approved = await runtime.prepare(requester, world.input({ orderReference: 'ORD-1' }))
    await runtime.approve(finance1, approved.proposal, { commitment: approved.commitment })
    const byAgent = await runtime.prepare(agent, world.input({ orderReference: 'ORD-2' }))
    const paid = await runtime.prepare(requester, { ...world.input(), action: 'example.payments/payout@1' })
    const { effect, subject } = (await world.stored(approved.proposal)).proposal

    const find = async (input: ListInput): Promise<readonly string[]> => refs(runtime, reader, input)

    expect(await find({ statuses: ['approved'] })).toEqual([approved.proposal])
    expect(await find({ statuses: ['awaiting_approval', 'approved'] })).toHaveLength(3)
    expect(await find({ statuses: [] })).toEqual([])
    expect(await find({ action: 'example.payments/payout' })).toEqual([paid.proposal])
    expect(await find({ action: 'example.payments/nothing' })).toEqual([])
    expect(await find({ requester: 'agent:bot' })).toEqual([byAgent.proposal])
    expect(await find({ requester: 'user:bot' })).toEqual([])
    expect(await find({ subject: subject ?? '' })).toEqual([approved.proposal])
    expect(await find({ action: 'example.payments/refund', effect: effect.reference })).toEqual([approved.proposal])
    expect(await find({ action: 'example.payments/payout', effect: effect.reference })).toEqual([])
    expect(await find({ statuses: ['approved'], requester: 'agent:bot' })).toEqual([])
    expect(await find({ statuses: ['approved'], requester: 'user:rita', action: 'example.payments/refund' })).toEqual([
      approved.proposal,
    ])
  })

  it('finds what is due: expired and open, or to be verified', async () => {
    const world = await openWorld({ store })
    const executed = await world.approvedProposal()
    await world.runtime.execute(requester, executed.proposal)
    const waiting = await world.prepared()

    expect(await refs(world.runtime, reader, { due: true })).toEqual([])
    await world.clock.advance(5_000)
    expect(await refs(world.runtime, reader, { due: true })).toEqual([executed.proposal])
    await world.runtime.reconcile(service, executed.proposal)
    await world.clock.advance(LIFETIME_MS)
    expect(await refs(world.runtime, reader, { due: true })).toEqual([waiting.proposal])
    await world.runtime.expireDue(service)
    expect(await refs(world.runtime, reader, { due: true })).toEqual([])
  })

  it('finds what needs a person', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    await world.prepared()
    const { verify } = world.action.methods
    world.action.methods.verify = async (input) => unsound({ ...(await verify(input)), matches: 2 })
    await world.runtime.execute(requester, proposal)
    await world.clock.advance(5_000)
    expect((await world.runtime.reconcile(service, proposal)).status).toBe('verification_unresolved')

    expect(await refs(world.runtime, operator, { needsPerson: true })).toEqual([proposal])
  })

  it('comes in pages by key, each item once, also while others are added', async () => {
    const world = await openWorld({ store })
    const made: string[] = []
    for (let nth = 0; nth < 7; nth += 1) made.push((await world.prepared()).proposal)

    expect(await pages(world.runtime, reader, { limit: 3 })).toEqual([
      made.slice(4).toReversed(),
      made.slice(1, 4).toReversed(),
      made.slice(0, 1),
    ])
    expect((await pages(world.runtime, reader, { limit: 7 })).flat()).toEqual(made.toReversed())
    const first = await world.runtime.list(reader, { limit: 4 })
    await world.prepared()
    const second = await world.runtime.list(reader, { limit: 4, after: first.next ?? '' })
    expect(second.items.map(({ proposal }) => proposal)).toEqual(made.slice(0, 3).toReversed())
  })

  it('leaves out what may not be listed or read, and tells nothing of it by its pages', async () => {
    const world = await openWorld({ store })
    const made: string[] = []
    for (let nth = 0; nth < 6; nth += 1) made.push((await world.prepared()).proposal)
    const visible = new Set(made.filter((_, index) => index % 3 === 0))
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => {
      if (act === 'list' || act === 'read') return visible.has(view.proposal?.ref ?? '')
      return can(act, caller, view)
    }

    const found = await pages(world.runtime, reader, { limit: 2 })
    const { next } = await world.runtime.list(reader, { limit: 2 })

    expect(found.flat()).toEqual([...visible].toReversed())
    for (const ref of made) {
      expect(next).not.toContain(ref)
      expect(Buffer.from(next ?? '', 'base64url').includes(ref)).toBe(false)
    }
  })

  it('shows nothing of another tenant, and nothing to who has no right', async () => {
    const world = await openWorld({ store })
    await world.prepared()

    expect(await refs(world.runtime, foreigner)).toEqual([])
    expect(await refs(world.runtime, stranger)).toEqual([])
    expect(await refs(world.runtime, elsewhere(reader), { requester: 'user:rita' })).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['a status that is none', { statuses: ['awaiting_approval', 'done'] }, '/statuses'],
    ['a text for statuses', { statuses: 'approved' }, '/statuses'],
    ['a number among statuses', { statuses: [7] }, '/statuses'],
    ['an action that is no text', { action: 7 }, '/action'],
    ['a requester that is no text', { requester: { kind: 'user', id: 'rita' } }, '/requester'],
    ['an effect without its action', { effect: 'er_x' }, '/action'],
    ['an effect of an unknown action', { action: 'example.payments/nothing', effect: 'er_x' }, '/action'],
    ['an effect that is no reference', { action: 'example.payments/refund', effect: ' x' }, '/effect'],
    ['a subject that is no reference', { subject: '' }, '/subject'],
    ['a cursor that is none', { after: 'nonsense' }, '/after'],
    ['an empty cursor', { after: '' }, '/after'],
    ['a huge cursor', { after: 'A'.repeat(100_000) }, '/after'],
    ['a cursor that is no text', { after: 7 }, '/after'],
  ])('refuses %s', async (_title, input, path) => {
    const world = await openWorld({ store })

    const error = await refused(world.runtime.list(reader, unsound(input)))

    expect(error).toMatchObject({ name: 'MalformedReference', code: 'malformed_reference', path })
  })
})

describe('rule R14: cursors', () => {
  async function manyOf(world: World): Promise<string> {
    for (let nth = 0; nth < 4; nth += 1) await world.prepared()
    const { next } = await world.runtime.list(finance1, { limit: 2, statuses: ['awaiting_approval'] })
    return next ?? ''
  }

  it.each<[string, Session, ListInput]>([
    ['another person', finance2, { statuses: ['awaiting_approval'] }],
    [
      'the same name of another kind',
      { ...finance1, principal: { kind: 'service', id: 'fiona' } },
      { statuses: ['awaiting_approval'] },
    ],
    ['another tenant', elsewhere(finance1), { statuses: ['awaiting_approval'] }],
    ['another filter', finance1, { statuses: ['approved'] }],
    ['no filter', finance1, {}],
    ['one filter more', finance1, { statuses: ['awaiting_approval'], due: true }],
  ])('rule R14: a cursor is of no use to %s', async (_title, by, input) => {
    const world = await openWorld({ store: 'memory' })
    const after = await manyOf(world)

    expect(await refs(world.runtime, finance1, { statuses: ['awaiting_approval'], after, limit: 1 })).toHaveLength(1)
    expect(await refused(world.runtime.list(by, { ...input, after }))).toMatchObject({
      code: 'malformed_reference',
      path: '/after',
    })
  })

  it('rule R14: a reference is no cursor, and a cursor with one character changed is none', async () => {
    const world = await openWorld({ store: 'memory' })
    const after = await manyOf(world)
    const statuses = ['awaiting_approval'] as const
    const [item] = (await world.runtime.list(finance1)).items

    for (const index of [...after].keys()) {
      const other = after[index] === 'A' ? 'B' : 'A'
      const spoiled = after.slice(0, index) + other + after.slice(index + 1)
      if (Buffer.from(spoiled, 'base64url').equals(Buffer.from(after, 'base64url'))) continue
      expect(await refused(world.runtime.list(finance1, { statuses, after: spoiled }))).toHaveProperty('path', '/after')
    }
    expect(await refused(world.runtime.list(finance1, { after: item?.proposal ?? '' }))).toHaveProperty(
      'path',
      '/after',
    )
  })

  it('rule R14: a cursor works in every process with the same keys, and in none with others', async () => {
    const world = await openWorld({ store: 'memory' })
    const after = await manyOf(world)
    const second = await world.open()

    expect(await refs(second, finance1, { statuses: ['awaiting_approval'], after })).toHaveLength(2)
  })
})
