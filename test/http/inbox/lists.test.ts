// The lists of the inbox: what they are filtered by, in which order, on which page, and what they say when nothing is left.
import { describe, expect, it } from 'vitest'
import { answering, executing, gone, lost, operator2, saying, unresolved } from '../../runtime/operators.ts'
import { agent, finance1, finance2, operator, requester, session } from '../../runtime/sessions.ts'
import { STORES } from '../../runtime/harness.ts'
import { refund } from '../../runtime/refund.ts'
import { type InboxWorld, loadedWith, openInbox, PAGE_BYTES_MAX, type Visitor } from './inbox-world.ts'

const colleague = session('user:rob', ['support'])

/** The proposals that a page lists, in its order. */
function listed(text: string): readonly string[] {
  return [...text.matchAll(/<li class="entry"><a href="\/inbox\/proposals\/([^"]+)">/g)].map(([, ref = '']) => ref)
}

async function preparedInTurn(world: InboxWorld, count: number): Promise<readonly string[]> {
  const refs: string[] = []
  for (let number = 0; number < count; number += 1) {
    refs.push((await world.prepared(requester)).proposal)
    await world.clock.advance(1)
  }
  return refs
}

describe.each(STORES)('the queue on %s', (store) => {
  it('is filtered by action and by requester, and says by what', async () => {
    const world = await openInbox({ store })
    const mine = (await world.prepared(requester)).proposal
    const others = (await world.prepared(colleague)).proposal
    const visitor = world.visitor(finance1)
    const action = refund.type.slice(0, refund.type.lastIndexOf('@'))
    const ask = async (search: Readonly<Record<string, string>>): Promise<readonly string[]> =>
      listed((await visitor.get(`/inbox?${new URLSearchParams(search).toString()}`)).text)

    expect(await ask({})).toEqual([mine, others])
    expect(await ask({ action: '', requester: '' })).toEqual([mine, others])
    expect(await ask({ requester: 'user:rob' })).toEqual([others])
    expect(await ask({ requester: '  user:rob ' })).toEqual([others])
    expect(await ask({ action })).toEqual([mine, others])
    expect(await ask({ action, requester: 'user:rita' })).toEqual([mine])
    expect(await ask({ action: 'example.payments/other' })).toEqual([])
    const { text } = await visitor.get(`/inbox?action=${action}&requester=user%3Arob`)
    expect(text).toContain(`<option selected>${action}</option>`)
    expect(text).toContain('name="requester" value="user:rob"')
  })

  it('shows the filter of an address, whatever it is, as text, and that nothing of its kind waits', async () => {
    const world = await openInbox({ store })
    await world.prepared(requester)
    const search = new URLSearchParams({ action: '<b>x', requester: '"><script>' }).toString()

    const { status, text } = await world.visitor(finance1).get(`/inbox?${search}`)

    expect(status).toBe(200)
    expect(text).toContain('Nothing of this kind waits for you.')
    expect(text).toContain('<option selected>&lt;b&gt;x</option>')
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;"')
  })

  it('has what is nearest to its end first, and says who asks, through which agent, and how long is left', async () => {
    const world = await openInbox({ store })
    const first = (await world.prepared(agent)).proposal
    await world.clock.advance(60_000)
    const second = (await world.prepared(requester)).proposal
    await world.clock.advance(60_000)

    const { text } = await world.visitor(finance1).get('/inbox')

    expect(listed(text)).toEqual([first, second])
    const [, one = '', two = ''] = text.split('<li class="entry">')
    for (const said of ['10.00', 'EUR', 'agent:bot', 'user:olga', 'Prepared 2 min', refund.type]) {
      expect(one).toContain(said)
    }
    expect(two).toContain('user:rita')
    expect(two).toContain(' left</strong>')
  })

  it('has every entry of more than fit one page, in pages that keep the filter', async () => {
    const world = await openInbox({ store })
    const refs = await preparedInTurn(world, 45)
    await world.prepared(colleague)

    const pages = await pagesFrom(world.visitor(finance1), '/inbox?requester=user%3Arita')

    expect(pages.map((text) => listed(text).length)).toEqual([20, 20, 5])
    expect(pages.flatMap(listed)).toEqual(refs)
    expect(pages[0]).toContain('<title>20 or more wait for you')
    expect(pages[0]).toContain('This is not all: the list goes on.')
    expect(pages[0]).not.toContain('To the first')
    expect(pages[2]).toContain('These are the last.')
    expect(pages[2]).toContain('<a href="/inbox?requester=user%3Arita">To the first</a>')
  })

  it('leaves nothing out and shows nothing twice while others decide between two pages', async () => {
    const world = await openInbox({ store })
    const refs = await preparedInTurn(world, 25)
    const visitor = world.visitor(finance1)
    const first = await visitor.get('/inbox')
    for (const ref of refs.slice(0, 20)) await world.runtime.withdraw(requester, ref)

    const second = await visitor.get(nextIn(first.text) ?? '')

    expect([...listed(first.text), ...listed(second.text)]).toEqual(refs)
  })

  it('begins at its beginning for a place that is none, or that is somebody else’s', async () => {
    const world = await openInbox({ store })
    const refs = await preparedInTurn(world, 21)
    const others = nextIn((await world.visitor(finance2).get('/inbox')).text) ?? ''
    const visitor = world.visitor(finance1)

    for (const path of [others, '/inbox?after=x', '/inbox?after=', `/inbox?after=${'x'.repeat(3_000)}`]) {
      const { status, text } = await visitor.get(path)
      expect([status, listed(text)]).toEqual([200, refs.slice(0, 20)])
    }
  })
})

describe('a long queue', () => {
  it('says that the list goes on where none of those that were looked at belongs in it, and goes on', async () => {
    const world = await openInbox()
    const both = session('user:rita', ['support', 'finance-manager'])
    await preparedInTurn(world, 201)
    const last = (await world.prepared(colleague)).proposal
    const visitor = world.visitor(both)

    const first = await visitor.get('/inbox')
    const second = await visitor.get(nextIn(first.text) ?? '')

    expect(listed(first.text)).toEqual([])
    expect(first.text).toContain('Nothing so far.')
    expect(first.text).toContain('This is not all: the list goes on.')
    expect(first.text).not.toContain('Nothing waits for you')
    expect(listed(second.text)).toEqual([last])
  })

  it('is under 60 kB where every text on it is as long and as strange as can be', async () => {
    const strange = '\u200B<\u202E'.repeat(4_000)
    const world = await openInbox({
      methods: {
        preview: ({ amount, refunded }) => ({
          title: strange,
          orderReference: strange,
          amount,
          alreadyRefunded: refunded,
        }),
      },
    })
    await preparedInTurn(world, 45)

    const pages = await pagesFrom(world.visitor(finance1), '/inbox')

    for (const text of pages) expect(await loadedWith(text)).toBeLessThan(PAGE_BYTES_MAX)
    expect(pages[0]).toContain('… (the rest is on its page)')
    expect(pages[0]).toContain('has characters that mislead')
  })
})

describe('the other lists', () => {
  it('my decisions go on, newest first, on a second page, and none of them waits any more', async () => {
    const world = await openInbox()
    const refs = await preparedInTurn(world, 51)
    for (const ref of refs) {
      const { commitment } = (await world.stored(ref)).proposal
      await world.runtime.approve(finance1, ref, { commitment })
      await world.clock.advance(1)
    }
    const visitor = world.visitor(finance1)

    const pages = await pagesFrom(visitor, '/inbox/decided')
    const queue = await visitor.get('/inbox')

    expect(pages.flatMap(listed)).toEqual(refs.toReversed())
    expect(pages).toHaveLength(3)
    expect(queue.text).toContain('Nothing waits for you. What others decide is not shown here.')
  })

  it('what is in doubt is oldest first, with the time in doubt and its next look, and goes on on a second page', async () => {
    const world = await openInbox()
    executing(world, lost)
    answering(world, gone)
    const refs = await preparedInTurn(world, 21)
    await world.clock.advance(3_600_000)
    for (const ref of refs) {
      const { commitment } = (await world.stored(ref)).proposal
      await world.runtime.approve(finance1, ref, { commitment })
      await world.runtime.execute(requester, ref)
    }
    await world.clock.advance(120_000)

    const pages = await pagesFrom(world.visitor(operator), '/inbox/attention')

    expect(pages.flatMap(listed)).toEqual(refs)
    // Prepared more than an hour ago, and in doubt for two minutes.
    expect(pages[0]?.match(/<strong>In doubt for 2 min<\/strong>/g)).toHaveLength(20)
    expect(pages[0]?.match(/a look is due now/g)).toHaveLength(20)
    expect(pages[0]).toContain('Nothing asks for a person.')
    expect(nextIn(pages[0] ?? '')).toContain('/inbox/attention?doubt=')
  })

  it('rule R8 what one operator settled alone waits for a second one there, and for nobody afterwards', async () => {
    const world = await openInbox()
    const ref = await unresolved(world)
    await world.runtime.settle(operator, ref, saying('did_not_occur'))
    await world.clock.advance(60_000)

    const waiting = await world.visitor(operator2).get('/inbox/attention')
    const { items } = await world.runtime.list(operator2, { needsPerson: true })
    const { nextStep } = await world.runtime.settle(operator2, ref, saying('did_not_occur'))
    const done = await world.visitor(operator2).get('/inbox/attention')

    expect(listed(waiting.text)).toEqual([ref])
    expect(waiting.text).toContain('It stays barred until a second one says the same.')
    expect(waiting.text).toContain('In doubt for')
    expect(items.map(({ proposal, attention }) => [proposal, attention])).toEqual([[ref, ['settlement_unconfirmed']]])
    expect([nextStep, listed(done.text)]).toEqual(['prepare_again', []])
  })
})

/** The way on from a page, if there is one. */
function nextIn(text: string): string | null {
  return /<a href="([^"]+)">Those after<\/a>/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? null
}

/** A page and all that follow it. */
async function pagesFrom(visitor: Visitor, path: string): Promise<readonly string[]> {
  const { text } = await visitor.get(path)
  const next = nextIn(text)
  return next === null ? [text] : [text, ...(await pagesFrom(visitor, next))]
}
