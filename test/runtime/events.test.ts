// The outbox as a caller reads it: in order, page by page, and only what that caller may hear of.
import { describe, expect, it } from 'vitest'
import { StoredDataCorrupt } from '../../src/proposal/errors.ts'
import type { EventsPage } from '../../src/runtime/events.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { openWorld, refused, STORES, type World } from './harness.ts'
import { permissions } from './operators.ts'
import { elsewhere, finance1, privacy, reader, requester, session } from './sessions.ts'

/** May have events and read. */
const feed = session('service:feed', ['auditor', 'feed'])
/** May have events and not read. */
const blind = session('service:blind', ['feed'])

async function openFeed(store: StoreName, can?: Parameters<typeof openWorld>[0]['methods']): Promise<World> {
  return openWorld({
    store,
    contract: { permissions: { ...permissions, events: 'feed' } },
    ...(can === undefined ? {} : { methods: can }),
  })
}

describe.each(STORES)('the outbox on %s', (store) => {
  it('tells every change of status once, in its order', async () => {
    const world = await openFeed(store)
    const { proposal } = await world.approvedProposal()
    await world.runtime.withdraw(requester, proposal)

    const page = await world.runtime.events(feed)

    expect(page.items.map(({ type, revision, proposal: ref }) => [type, revision, ref])).toEqual([
      ['proposal.prepared', 0, proposal],
      ['proposal.approval_needed', 0, proposal],
      ['proposal.approved', 1, proposal],
      ['proposal.closed', 2, proposal],
    ])
    expect(page.more).toBe(false)
  })

  it('goes on behind any event, and behind the last one with what came since', async () => {
    const world = await openFeed(store)
    await world.prepared()
    const first = await world.runtime.events(feed, { limit: 1 })
    const [{ position } = { position: '' }] = first.items

    expect(types(await world.runtime.events(feed, { after: position }))).toEqual(['proposal.approval_needed'])
    expect(first.more).toBe(true)

    const { next } = await world.runtime.events(feed, { after: position })
    expect(await world.runtime.events(feed, { after: next ?? '' })).toMatchObject({ items: [], more: false })
    await world.prepared()
    expect(types(await world.runtime.events(feed, { after: next ?? '' }))).toEqual([
      'proposal.prepared',
      'proposal.approval_needed',
    ])
  })

  it('has positions of one length, whatever lies between them', async () => {
    const world = await openFeed(store)
    for (let made = 0; made < 6; made += 1) await world.prepared()

    const { items } = await world.runtime.events(feed)

    expect(items).toHaveLength(12)
    expect(new Set(items.map(({ position }) => position.length)).size).toBe(1)
    expect(new Set(items.map(({ position }) => position)).size).toBe(12)
  })

  it('is empty at its beginning, which has a name', async () => {
    const world = await openFeed(store)

    expect(await world.runtime.events(feed)).toEqual({ items: [], next: null, more: false })
    expect(await world.runtime.events(feed, { after: '0' })).toEqual({ items: [], next: null, more: false })
  })

  it.each([
    ['may read and not have events', reader],
    ['may have events and not read', blind],
    ['decides', finance1],
    ['is of another tenant', elsewhere(feed)],
  ])('tells nothing to somebody who %s', async (_who, by) => {
    const world = await openFeed(store)
    await world.approvedProposal()

    expect((await world.runtime.events(by)).items).toEqual([])
  })

  it('takes the place of nobody else, and nothing that was not made for it', async () => {
    const world = await openFeed(store)
    await world.prepared()
    const { next } = await world.runtime.events(feed, { limit: 1 })
    const listed = await world.runtime.list(feed, { limit: 1 })

    for (const [by, after] of [
      [reader, next],
      [elsewhere(feed), next],
      [feed, listed.next],
      [feed, '1'],
      [feed, ''],
      [feed, 'x'.repeat(3_000)],
    ] as const) {
      expect(await refused(world.runtime.events(by, { after: after ?? '' }))).toMatchObject({
        code: 'malformed_reference',
        path: '/after',
      })
    }
  })

  it('holds a page to its limits', async () => {
    const world = await openFeed(store)

    expect(await refused(world.runtime.events(feed, { limit: 201 }))).toMatchObject({ code: 'limit_exceeded' })
    expect(await refused(world.runtime.events(feed, { limit: 0 }))).toMatchObject({ path: '/limit' })
  })

  it('tells of an erased proposal that it is, and of one that is hidden nothing', async () => {
    const world = await openFeed(store)
    const { proposal } = await world.prepared()
    await world.runtime.erase(privacy, proposal, { reason: 'asked_by_subject' })

    expect(types(await world.runtime.events(feed))).toContain('proposal.erased')
  })

  it('goes on past a proposal whose row cannot be read', async () => {
    let damaged = ''
    const world = await openWorld({
      store,
      contract: { permissions: { ...permissions, events: 'feed' } },
      around: async (name, call) => {
        const answer = await call()
        const isDamaged = name === 'proposal' && damaged !== '' && JSON.stringify(answer).includes(damaged)
        if (isDamaged) throw new StoredDataCorrupt(`proposals/acme/${damaged}`)
        return answer
      },
    })
    const { proposal } = await world.prepared()
    const whole = await world.prepared()
    damaged = proposal

    const { items } = await world.runtime.events(feed)

    expect(items.map((event) => event.proposal)).toEqual([whole.proposal, whole.proposal])
  })

  it('refuses rather than leave out what nobody can be asked about', async () => {
    let asked = false
    const world = await openFeed(store, {
      can: () => {
        if (asked) throw new Error('the directory is away')
        return true
      },
    })
    await world.prepared()
    asked = true

    expect(await refused(world.runtime.events(feed))).toMatchObject({ code: 'authorization_unavailable' })
  })
})

function types({ items }: EventsPage): readonly string[] {
  return items.map(({ type }) => type)
}
