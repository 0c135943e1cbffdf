// The guard of cookies: who may send what from where, on the pages and on the API; nothing is changed by opening a link.
import { describe, expect, it } from 'vitest'
import {
  agent,
  director,
  finance1,
  finance2,
  foreigner,
  operator,
  requester,
  stranger,
} from '../../runtime/sessions.ts'
import { openHttp, tokenOf } from '../world.ts'
import { formIn, openInbox, ORIGIN, sessionOfCookie, type Visitor } from './inbox-world.ts'

const SITES: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.test' }],
  ['a neighbour below the same domain', { 'Sec-Fetch-Site': 'same-site', Origin: 'https://other.inbox.test' }],
  ['an address that was typed', { 'Sec-Fetch-Site': 'none' }],
  ['an old browser on another site', { Origin: 'https://evil.test' }],
  ['a page without an origin in an old browser', { Origin: 'null' }],
  ['a page that says two things', { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.test' }],
]

async function without(visitor: Visitor, path: string, init: RequestInit): Promise<{ status: number; text: string }> {
  return visitor.send(new Request(ORIGIN + path, init))
}

describe('a form of the inbox', () => {
  it.each([...SITES, ['nowhere', {}] as const])('threat T36 is refused from %s', async (_, headers) => {
    const world = await openInbox()
    const { proposal, revision } = await world.prepared(requester)
    const visitor = world.visitor(finance1)
    const { values } = formIn((await visitor.get(`/inbox/proposals/${proposal}/approve`)).text, 'approve')

    const answer = await without(visitor, `/inbox/proposals/${proposal}/approve`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(values).toString(),
    })

    expect([answer.status, answer.text.includes('cross_site_request')]).toEqual([403, true])
    expect((await world.stored(proposal)).proposal.revision).toBe(revision)
  })

  it.each([
    ['without a token', (values: Record<string, string>) => ({ ...values, token: '' }), 403],
    ['with another one', (values: Record<string, string>) => ({ ...values, token: 'A'.repeat(43) }), 403],
    ['with a field more', (values: Record<string, string>) => ({ ...values, more: 'x' }), 422],
    ['with a field less', ({ commitment: _, ...values }: Record<string, string>) => values, 422],
  ])('threat T36 is refused %s', async (_, change, status) => {
    const world = await openInbox()
    const { proposal, revision } = await world.prepared(requester)
    const visitor = world.visitor(finance1)
    const { action, values } = formIn((await visitor.get(`/inbox/proposals/${proposal}/approve`)).text, 'approve')

    const answer = await visitor.post(action, change({ ...values }))

    expect(answer.status).toBe(status)
    expect((await world.stored(proposal)).proposal.revision).toBe(revision)
  })

  it('threat T36 is refused to a browser that opened none, and to somebody else on the same browser', async () => {
    const world = await openInbox()
    const { proposal, revision } = await world.prepared(requester)
    const visitor = world.visitor(finance1)
    const { action, values } = formIn((await visitor.get(`/inbox/proposals/${proposal}/approve`)).text, 'approve')

    const other = await world.visitor(finance1).post(action, values)
    visitor.cookies.set('host-session', tokenOf(finance2))
    const swapped = await visitor.post(action, values)

    expect([other.status, swapped.status]).toEqual([403, 403])
    expect((await world.stored(proposal)).proposal.revision).toBe(revision)
  })

  it.each(['application/json', 'text/plain', 'multipart/form-data; boundary=x'])('is refused as %s', async (type) => {
    const world = await openInbox()
    const { proposal } = await world.prepared(requester)

    const answer = await world
      .visitor(finance1)
      .post(`/inbox/proposals/${proposal}/approve`, {}, { 'Content-Type': type })

    expect(answer.status).toBe(415)
  })
})

describe('the API under a cookie', () => {
  const api = { authenticate: sessionOfCookie }
  const types = [
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    null,
  ]

  it.each(SITES.flatMap(([name, headers]) => types.map((type) => ({ name, headers, type }))))(
    'threat T36 $type from $name is refused with 403',
    async ({ headers, type }) => {
      const world = await openInbox({ app: api })
      const { proposal, commitment, revision } = await world.prepared(requester)
      const request = new Request(`${ORIGIN}/v1/proposals/${proposal}/approve`, {
        method: 'POST',
        headers: { ...headers, ...(type === null ? {} : { 'Content-Type': type }) },
        body: new TextEncoder().encode(JSON.stringify({ commitment })),
      })

      const answer = await world.visitor(finance1).send(request)

      expect([answer.status, answer.text.includes('"cross_site_request"')]).toEqual([403, true])
      expect((await world.stored(proposal)).proposal.revision).toBe(revision)
    },
  )

  it('threat T36 is guarded without an inbox too, where only what a browser says of its own accord can tell', async () => {
    const world = await openHttp({ store: 'memory', app: { authenticate: sessionOfCookie } })
    const { proposal, commitment } = await world.prepared(requester)
    const ask = async (headers: Readonly<Record<string, string>>): Promise<number> => {
      const cookie = { Cookie: `host-session=${tokenOf(finance1)}` }
      const sending = { headers: { ...cookie, ...headers }, json: { commitment } }
      return (await world.send(null, 'POST', `/v1/proposals/${proposal}/approve`, sending)).status
    }

    // A page that says two things cannot be told without an origin to compare, and no browser sends one.
    const others = SITES.filter(([, headers]) => headers['Sec-Fetch-Site'] !== 'same-origin')
    for (const [, headers] of others) expect(await ask(headers)).toBe(403)
    expect(await ask({})).toBe(403)
    expect(await ask({ 'Sec-Fetch-Site': 'same-origin' })).toBe(200)
  })

  it('trace S56, threat T36 takes a request of its own pages with the token, and refuses it without', async () => {
    const world = await openInbox({ app: api })
    const { proposal, commitment } = await world.prepared(requester)
    const visitor = world.visitor(finance1)
    const { values } = formIn((await visitor.get(`/inbox/proposals/${proposal}/approve`)).text, 'approve')
    const ask = (headers: Readonly<Record<string, string>>): Promise<{ status: number }> =>
      without(visitor, `/v1/proposals/${proposal}/approve`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', ...headers },
        body: JSON.stringify({ commitment }),
      })

    expect((await ask({})).status).toBe(403)
    expect((await ask({ 'X-Countersign-Token': values['token'] ?? '' })).status).toBe(200)
  })

  it('threat T36 takes a bearer token beside a stray cookie, and refuses it from another site', async () => {
    const world = await openInbox()
    const { proposal, commitment } = await world.prepared(requester)
    const ask = (headers: Readonly<Record<string, string>>): Promise<{ status: number }> =>
      world.send(finance1, 'POST', `/v1/proposals/${proposal}/approve`, {
        headers: { Cookie: 'balancer=1', ...headers },
        json: { commitment },
      })

    expect((await ask({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect((await ask({})).status).toBe(200)
  })
})

describe('opening a link', () => {
  it('case C072, threat T13 changes nothing, whatever the method and whoever opens it', async () => {
    const world = await openInbox()
    const { proposal, revision } = await world.prepared(requester)
    const before = JSON.stringify(await world.bareStore.proposal(...(await keyOf(world, proposal))))
    const posts = world.app.routes.filter(({ method, path }) => method === 'POST' && path.startsWith('/inbox'))
    const gets = world.app.routes.filter(({ method, path }) => method === 'GET' && path.startsWith('/inbox'))

    for (const { path } of [...posts, ...gets]) {
      const at = path
        .replace(':ref', proposal)
        .replace(':id', 'x')
        .replace(':name', 'inbox.css')
        .replace(':section', 'preview')
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        for (const by of [finance1, requester, stranger, null]) {
          const { status } = await without(world.visitor(by), at, { method, headers: { Purpose: 'prefetch' } })
          expect([at, method, [200, 401, 404, 405].includes(status)]).toEqual([at, method, true])
        }
      }
    }

    expect(posts.length).toBeGreaterThan(7)
    expect(JSON.stringify(await world.bareStore.proposal(...(await keyOf(world, proposal))))).toBe(before)
    expect(revision).toBe(0)
  })
})

async function keyOf(
  world: Awaited<ReturnType<typeof openInbox>>,
  ref: string,
): Promise<Parameters<Awaited<ReturnType<typeof openInbox>>['bareStore']['proposal']>> {
  const { proposal } = await world.stored(ref)
  return [proposal.tenant, proposal.ref]
}

describe('who may not', () => {
  it('threat T5 sees nothing of another tenant, nor that it exists', async () => {
    const world = await openInbox()
    const { proposal } = await world.prepared(requester)
    const visitor = world.visitor(foreigner)

    const [there, nowhere] = await Promise.all([
      visitor.get(`/inbox/proposals/${proposal}`),
      visitor.get('/inbox/proposals/01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    ])
    const lists = await Promise.all(['/inbox', '/inbox/attention', '/inbox/decided'].map((path) => visitor.get(path)))

    expect([there.status, nowhere.status]).toEqual([404, 404])
    expect(plain(there.text)).toBe(plain(nowhere.text))
    expect(lists.filter(({ text }) => text.includes(proposal))).toEqual([])
  })

  it('threat T19 is never shown what is private to the action', async () => {
    const world = await openInbox()
    const { proposal, commitment } = await world.prepared(requester)
    await world.runtime.approve(finance1, proposal, { commitment, comment: 'fine' })
    const parts = ['', '/approve', '/whole/preview', '/whole/timeline', '/whole/decisions']
    const paths = ['/inbox', '/inbox/decided', ...parts.map((part) => `/inbox/proposals/${proposal}${part}`)]
    const customer = world.action.business.customer

    for (const by of [requester, finance1, finance2, operator, director, agent]) {
      const shown = await Promise.all(paths.map((path) => world.visitor(by).get(path)))
      expect(shown.filter(({ text }) => text.includes(customer))).toEqual([])
    }
    expect(customer.length).toBeGreaterThan(3)
  })

  it('is told that nobody is signed in, or sent to where that is done', async () => {
    const world = await openInbox()
    const sent = await openInbox({ app: { inbox: { origin: ORIGIN, session: sessionOfCookie, signInPath: '/login' } } })

    expect((await world.visitor(null).get('/inbox')).status).toBe(401)
    expect((await sent.visitor(null).get('/inbox')).headers.get('Location')).toBe('/login')
  })
})

/** Without what is drawn for each request. */
function plain(text: string): string {
  return text.replaceAll(/nonce="[^"]*"|<p class="quiet"><code>.*<\/p>/g, '')
}

describe('every page', () => {
  it('has one policy for its content, that allows what it has and nothing else, and is not kept', async () => {
    const world = await openInbox()
    const { headers, text } = await world.visitor(finance1).get('/inbox')
    const nonce = /<script nonce="([^"]+)"/.exec(text)?.[1] ?? ''

    expect(headers.get('Content-Security-Policy')?.split('; ').toSorted()).toEqual(
      [
        "default-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
        `script-src 'nonce-${nonce}' 'strict-dynamic'`,
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "require-trusted-types-for 'script'",
      ].toSorted(),
    )
    expect(nonce).toHaveLength(43)
    expect([headers.get('Cache-Control'), headers.get('X-Frame-Options'), headers.get('Referrer-Policy')]).toEqual([
      'no-store',
      'DENY',
      'no-referrer',
    ])
    expect(headers.get('Set-Cookie')).toMatch(
      /^__Host-countersign-inbox=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
    expect(text).not.toMatch(
      /<script(?! nonce="[\w-]+" src="\/inbox\/assets\/inbox\.js\?v=[0-9a-f]+" defer>)|\son\w+=|\sstyle=/,
    )
  })
})
