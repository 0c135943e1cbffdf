// The lists of the inbox: what they are filtered by, in which order, on which page, and what they say when nothing is left.
import { describe, expect, it } from 'vitest'
import { answering, executing, gone, lost } from '../../runtime/operators.ts'
import { agent, finance1, operator, requester, session } from '../../runtime/sessions.ts'
import { STORES } from '../../runtime/harness.ts'
import { refund } from '../../runtime/refund.ts'
import { readInboxAsset } from '../../../src/http/inbox/assets.ts'
import { type InboxWorld, openInbox } from './inbox-world.ts'

const colleague = session('user:rob', ['support'])
const PAGE_BYTES_MAX = 60_000

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
    const refs = await preparedInTurn(world, 101)
    await world.prepared(colleague)
    const visitor = world.visitor(finance1)
    const shown: string[] = []

    let path: string | null = '/inbox?requester=user%3Arita'
    const sizes: number[] = []
    while (path !== null) {
      const { text } = await visitor.get(path)
      shown.push(...listed(text))
      sizes.push(Buffer.byteLength(text))
      expect(text).toContain('101 wait for you')
      path = /<a href="([^"]+)">Those after<\/a>/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? null
    }

    expect(shown).toEqual(refs)
    expect(sizes).toHaveLength(3)
    const assets = await Promise.all(['inbox.css', 'inbox.js', 'inbox.svg'].map(readInboxAsset))
    const loaded = assets.reduce((sum, asset) => sum + (asset?.bytes.length ?? 0), Math.max(...sizes))
    expect(loaded).toBeLessThan(PAGE_BYTES_MAX)
  })

  it('shows its last page where the one that was asked for is gone, and its first for what is no page', async () => {
    const world = await openInbox({ store })
    const refs = await preparedInTurn(world, 51)
    const visitor = world.visitor(finance1)

    const { text } = await visitor.get('/inbox?page=9')
    expect(listed(text)).toEqual(refs.slice(50))
    expect(text).toContain('51 to 51 of 51')
    expect(text).not.toContain('Those after')
    expect(text).toContain('<a href="/inbox?page=1">Those before</a>')
    for (const page of ['0', '-1', 'x', '1e3', '']) {
      expect(listed((await visitor.get(`/inbox?page=${page}`)).text)).toEqual(refs.slice(0, 50))
    }
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

    const [one, two, queue] = await Promise.all(
      ['/inbox/decided', '/inbox/decided?page=2', '/inbox'].map((path) => visitor.get(path)),
    )

    expect([...listed(one?.text ?? ''), ...listed(two?.text ?? '')]).toEqual(refs.toReversed())
    expect(queue?.text).toContain('Nothing waits for you. What others decide is not shown here.')
  })

  it('what needs a person is oldest first, with its next look, and goes on on a second page', async () => {
    const world = await openInbox()
    executing(world, lost)
    answering(world, gone)
    const refs = await preparedInTurn(world, 51)
    for (const ref of refs) {
      const { commitment } = (await world.stored(ref)).proposal
      await world.runtime.approve(finance1, ref, { commitment })
      await world.runtime.execute(requester, ref)
    }
    const visitor = world.visitor(operator)

    const [one, two] = await Promise.all(
      ['/inbox/attention', '/inbox/attention?page=2'].map((path) => visitor.get(path)),
    )

    expect([...listed(one?.text ?? ''), ...listed(two?.text ?? '')]).toEqual(refs)
    expect(one?.text.match(/a look is due now/g)).toHaveLength(50)
    expect(one?.text).toContain('<a href="/inbox/attention?page=2">Those after</a>')
  })
})
