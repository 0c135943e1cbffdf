// A browser among enemies: texts that want to be script or something else, other sites, frames, links that are opened early.
import { describe, expect, it } from 'vitest'
import { createApp, SignInLinks } from '../../src/http.ts'
import { finance1, finance2, requester } from '../runtime/sessions.ts'
import { openBrowserWorld, serve, useBrowser } from './browser-world.ts'

useBrowser()

const PAYLOADS: readonly string[] = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' autofocus onfocus='alert(1)",
  '</textarea><script>alert(1)</script>',
  '<a href="javascript:alert(1)">click</a>',
  '<iframe src="https://evil.test"></iframe>',
  '<form action="https://evil.test"><button>Approve</button></form>',
  '<style>body{display:none}</style>',
  '<meta http-equiv="refresh" content="0;url=https://evil.test">',
  '<base href="https://evil.test/">',
  '{{constructor.constructor("alert(1)")()}}',
  'https://evil.test/pay?now',
  '\u202E00.01 RUE\u202C',
  '\u2066\u2067gnp.eciovni\u2069',
  'pay\u200Bpal \uFEFF\u{E0041}',
  'Ame\u0301lie \u0430dmin',
]
const COUNTED = 'script, img, iframe, object, embed, form, a, style, link, meta, base, svg, button, input'

describe('a text of somebody else', () => {
  it.each(PAYLOADS)('case C106, threat T18 is nothing but text: %j', async (payload) => {
    const harmless = await openBrowserWorld()
    const world = await openBrowserWorld({
      methods: {
        preview: ({ amount, refunded }) => ({
          title: payload,
          orderReference: payload,
          amount,
          alreadyRefunded: refunded,
        }),
      },
    })
    const { proposal, commitment } = await world.prepared(requester)
    const plain = await harmless.prepared(requester)
    const { page, troubles } = await world.window(finance1)
    const other = await harmless.window(finance1)

    for (const path of ['', '/approve']) {
      await page.goto(`/inbox/proposals/${proposal}${path}`)
      await other.page.goto(`/inbox/proposals/${plain.proposal}${path}`)
      expect(await page.locator(COUNTED).count()).toBe(await other.page.locator(COUNTED).count())
    }
    await page.getByLabel('Comment').fill(payload)
    await page.getByRole('button', { name: /^Approve 10/ }).click()
    await page.getByRole('status').first().waitFor()

    expect(await page.locator('blockquote form, blockquote a, blockquote img, h1 img, h1 a').count()).toBe(0)
    expect(troubles).toEqual([])
    expect((await world.stored(proposal)).proposal.commitment).toBe(commitment)
  })
})

describe('another site', () => {
  it.each([
    // Cookies know no ports, so that only where it came from tells.
    ['below the same address', '127.0.0.1'],
    ['elsewhere', 'localhost'],
  ])('threat T36 can neither send a form nor fetch, %s', async (_, host) => {
    const world = await openBrowserWorld()
    const { proposal, commitment, revision } = await world.prepared(requester)
    const seen: string[] = []
    const target = `${world.origin}/inbox/proposals/${proposal}/approve`
    const evil = await serve(() => {
      const inputs = Object.entries({ token: 'x', revision: '0', comment: '', commitment })
      const fields = inputs.map(([name, value]) => `<input name="${name}" value="${value}">`).join('')
      const page = `<form method="post" action="${target}">${fields}<button>win</button></form>
<script>fetch(${JSON.stringify(`${world.origin}/v1/proposals/${proposal}/approve`)}, { method: 'POST', mode: 'no-cors', credentials: 'include', body: JSON.stringify({ commitment: ${JSON.stringify(commitment)} }) }).finally(() => { document.title = 'sent' })</script>`
      return new Response(page, { headers: { 'Content-Type': 'text/html' } })
    }, host)
    const { page } = await world.window(finance1)
    page.on('response', (response) => seen.push(`${response.status()} ${response.request().method()}`))
    await page.goto('/inbox')
    await page.goto(evil)
    await page.waitForFunction("document.title === 'sent'")
    await page.getByRole('button', { name: 'win' }).click()
    await page.getByRole('heading', { name: 'The request did not come from a page of this server.' }).waitFor()

    expect(seen).toContain('403 POST')
    expect((await world.stored(proposal)).proposal.revision).toBe(revision)
    expect((await world.stored(proposal)).approvals).toEqual([])
  })

  it('cannot put the page into a frame', async () => {
    const world = await openBrowserWorld()
    const evil = await serve(
      () => new Response(`<iframe src="${world.origin}/inbox"></iframe>`, { headers: { 'Content-Type': 'text/html' } }),
    )
    const { page } = await world.window(finance1)
    await page.goto(evil)

    expect(await page.frameLocator('iframe').getByText('Waits for me').count()).toBe(0)
  })
})

describe('a link that is printed', () => {
  it('case C072, threat T13 is not used up by being opened, works once, and lets one change who one is', async () => {
    const world = await openBrowserWorld()
    const links = new SignInLinks({ people: { fiona: finance1, felix: finance2 }, clock: world.clock })
    let answer: (request: Request) => Response | Promise<Response> = () => new Response(null)
    const origin = await serve((request) => answer(request))
    const app = createApp({ runtime: world.runtime, authenticate: () => null, inbox: { origin, signIn: links } })
    answer = (request) => app.fetch(request)
    const link = `${origin}/inbox/sign-in/${links.issue()}`
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'GET'])
      await fetch(link, { method, headers: { Purpose: 'prefetch' } })
    const { page } = await world.window(null)

    await page.goto(link)
    await page.getByLabel('Sign in as').selectOption('felix')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.locator('.who summary').innerText()).toBe('user:felix')
    expect((await page.context().cookies(origin)).map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([
      [true, 'Lax'],
    ])
    await page.locator('.who summary').click()
    await page.getByLabel('Go on as').selectOption('fiona')
    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByText('user:fiona').waitFor()
    await page.goto(link)
    expect(await page.getByRole('heading', { name: 'This link is over' }).count()).toBe(1)
    await page.goto(`${origin}/inbox`)
    await page.locator('.who summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(await page.getByRole('heading', { name: 'You are not signed in' }).count()).toBe(1)
  })
})
