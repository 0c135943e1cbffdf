// An inbox that a host has mounted below a path of its own: every link, form, file, redirect and cookie leads there.
import { describe, expect, it } from 'vitest'
import { unresolved } from '../../runtime/operators.ts'
import { finance1, operator, requester } from '../../runtime/sessions.ts'
import { SignInLinks } from '../../../src/http/inbox/session/sign-in-links.ts'
import { formIn, openInbox, sessionOfCookie } from './inbox-world.ts'

/** Where a page leads, in links, forms and files. */
function leads(text: string): readonly string[] {
  return [...text.matchAll(/\s(?:href|src|action)="([^"]*)"/g)].map(([, to = '']) => to)
}

describe.each(['/desk', '/desk/of/finance'])('an inbox below %s', (base) => {
  it('has pages that lead nowhere else, and everything that they lead to is there', async () => {
    const world = await openInbox()
    const { proposal } = await world.prepared(requester)
    for (let number = 0; number < 50; number += 1) await world.prepared(requester)
    const doubtful = await unresolved(world)
    const [visitor, other] = [world.visitorBelow(base, finance1), world.visitorBelow(base, operator)]
    const pages = [
      await visitor.get(`${base}/inbox`),
      await visitor.get(`${base}/inbox/decided`),
      await visitor.get(`${base}/inbox/proposals/${proposal}`),
      await visitor.get(`${base}/inbox/proposals/${proposal}/approve`),
      await visitor.get(`${base}/inbox/proposals/none`),
      await other.get(`${base}/inbox/attention`),
      await other.get(`${base}/inbox/proposals/${doubtful}`),
    ]

    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 200, 200])
    const all = pages.flatMap(({ text }) => leads(text)).filter((to) => to !== '' && !to.startsWith('#'))
    expect(all.filter((to) => !to.startsWith(`${base}/inbox`))).toEqual([])
    const found = await Promise.all(
      [...new Set(all)].map(async (to) => [to, (await visitor.get(to.replaceAll('&amp;', '&'))).status] as const),
    )
    // A form's address takes POST alone.
    expect(found.filter(([to, status]) => status !== 200 && !(status === 405 && isAct(to)))).toEqual([])
    expect(found.some(([to]) => to.includes('inbox.css'))).toBe(true)
  })

  it('takes a decision and leads back to its own page, with the cookie for the whole host', async () => {
    const world = await openInbox()
    const { proposal } = await world.prepared(requester)
    const visitor = world.visitorBelow(base, finance1)
    const page = await visitor.get(`${base}/inbox/proposals/${proposal}/approve`)
    const { action, values } = formIn(page.text, 'approve')

    const answer = await visitor.post(action, values)
    const location = answer.headers.get('Location') ?? ''

    // The prefix of its name binds it to "/".
    expect(page.headers.get('Set-Cookie')).toMatch(/^__Host-countersign-inbox=.*; Path=\/; /)
    expect(answer.status).toBe(303)
    expect(location.startsWith(`${base}/inbox/proposals/${proposal}?said=approved`)).toBe(true)
    expect((await visitor.get(location)).text).toContain('Your approval is recorded.')
    expect((await world.stored(proposal)).proposal.status).toBe('approved')
  })

  it('is as guarded there: a form of another site is refused', async () => {
    const world = await openInbox()
    const { proposal } = await world.prepared(requester)
    const visitor = world.visitorBelow(base, finance1)
    const { action, values } = formIn(
      (await visitor.get(`${base}/inbox/proposals/${proposal}/approve`)).text,
      'approve',
    )

    const answer = await visitor.post(action, values, { 'Sec-Fetch-Site': 'cross-site' })

    expect(answer.status).toBe(403)
    expect((await world.stored(proposal)).proposal.status).toBe('awaiting_approval')
  })

  it('signs in and out there', async () => {
    const signIn = new SignInLinks({ people: { finance1, operator }, clock: { now: () => 0 } })
    const origin = 'http://127.0.0.1:4000'
    const world = await openInbox({ app: { inbox: { origin, signIn } } })
    const visitor = world.visitorBelow(base, null)
    const { text } = await visitor.get(`${base}/inbox/sign-in/${signIn.issue()}`)

    const entered = await visitor.post(...filled(text, 'sign-in', { as: 'finance1' }))
    const queue = await visitor.get(entered.headers.get('Location') ?? '')
    const changed = await visitor.post(...filled(queue.text, 'as', { as: 'operator' }))
    const asOther = await visitor.get(changed.headers.get('Location') ?? '')
    const left = await visitor.post(...filled(asOther.text, 'sign-out', {}))

    for (const answer of [entered, changed, left]) {
      expect([answer.status, answer.headers.get('Location')]).toEqual([303, `${base}/inbox`])
    }
    expect(entered.headers.get('Set-Cookie')).toMatch(/^countersign-inbox=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(queue.text).toContain('user:fiona')
    expect(asOther.text).toContain('user:oscar')
    expect((await visitor.get(`${base}/inbox`)).status).toBe(401)
  })

  it('sends whoever is not signed in to where the host says, which it does not change', async () => {
    const inbox = { origin: 'https://inbox.test', session: sessionOfCookie, signInPath: '/login' }
    const world = await openInbox({ app: { inbox } })

    const answer = await world.visitorBelow(base, null).get(`${base}/inbox`)

    expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/login'])
  })
})

// Links would lead beside the inbox, and no header that anybody can send may say where it is.
describe('a proxy that strips a prefix', () => {
  it('threat T35 is not supported: nothing that it adds moves a link, a form or a redirect', async () => {
    const world = await openInbox()
    const { proposal } = await world.prepared(requester)
    const added = {
      'X-Forwarded-Prefix': '/desk',
      'X-Forwarded-Path': '/desk/inbox',
      'X-Script-Name': '/desk',
      'X-Original-URL': '/desk/inbox',
      'X-Rewrite-URL': '/desk/inbox',
      'X-Forwarded-Host': 'evil.test',
      'X-Forwarded-Proto': 'http',
      Forwarded: 'host=evil.test;proto=http',
    }
    const visitor = world.visitor(finance1)
    await visitor.get('/inbox')

    for (const path of ['/inbox', `/inbox/proposals/${proposal}`, `/inbox/proposals/${proposal}/approve`]) {
      const [through, straight] = [await visitor.get(path, added), await visitor.get(path)]
      expect(leads(through.text)).toEqual(leads(straight.text))
      expect(leads(through.text).filter((to) => !/^(?:$|#|\/inbox)/.test(to))).toEqual([])
    }
    const { action, values } = formIn((await visitor.get(`/inbox/proposals/${proposal}/approve`)).text, 'approve')
    const answer = await visitor.post(action, values, added)
    expect(answer.headers.get('Location')).toMatch(/^\/inbox\/proposals\//)
  })

  it('is refused where it is configured: an origin has no path', async () => {
    const inbox = { origin: 'https://inbox.test/desk', session: sessionOfCookie }

    await expect(openInbox({ app: { inbox } })).rejects.toThrow('"origin" must be a scheme, a host and a port alone.')
  })
})

function isAct(path: string): boolean {
  return /\/(?:approve|reject|withdraw|check|reconcile|resume|settle|revoke)$/.test(path)
}

function filled(
  text: string,
  act: string,
  fields: Readonly<Record<string, string>>,
): readonly [path: string, fields: Readonly<Record<string, string>>] {
  const { action, values } = formIn(text, act)
  return [action, { ...values, ...fields }]
}
