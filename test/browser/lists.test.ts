// The lists in a browser: they stay fresh by themselves, which changes nothing, and say where they go on.
import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { finance1, finance2, requester } from '../runtime/sessions.ts'
import { openBrowserWorld, PHONE, useBrowser } from './browser-world.ts'

useBrowser()

/** Between two looks of the script. */
const LOOK_MS = 15_000

/** Time stands still on the page until the test lets it pass; answers what it has asked the server for since. */
async function withStoppedClock(page: Page): Promise<string[]> {
  const asked: string[] = []
  await page.clock.install({ time: 0 })
  await page.clock.pauseAt(1_000)
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
  return asked
}

describe('every 15 seconds', () => {
  it('the queue is looked at once, which changes nothing on the page and nothing in the store', async () => {
    const world = await openBrowserWorld()
    const { proposal } = await world.prepared(requester)
    const { page, troubles } = await world.window(finance1)
    const asked = await withStoppedClock(page)
    await page.goto('/inbox', { waitUntil: 'networkidle' })
    const [before, shown] = [await world.stored(proposal), await page.content()]
    asked.length = 0

    await page.clock.runFor(LOOK_MS - 1)
    expect(asked).toEqual([])
    for (let looks = 1; looks <= 3; looks += 1) {
      const answered = page.waitForResponse((response) => response.request().method() === 'HEAD')
      await page.clock.runFor(looks === 1 ? 1 : LOOK_MS)
      const answer = await answered
      expect([answer.status(), (await answer.allHeaders())['content-length'] ?? '0']).toEqual([200, '0'])
    }

    expect(asked).toEqual(['HEAD /inbox', 'HEAD /inbox', 'HEAD /inbox'])
    expect(await page.content()).toBe(shown)
    expect(await world.stored(proposal)).toEqual(before)
    expect(troubles).toEqual([])
  })

  it('new work appears, and what somebody else has settled goes', async () => {
    const world = await openBrowserWorld()
    const { page } = await world.window(finance1, PHONE)
    await withStoppedClock(page)
    await page.goto('/inbox')
    expect(await page.getByText('Nothing waits for you.').count()).toBe(1)
    const { proposal, commitment } = await world.prepared(requester)

    await page.clock.runFor(LOOK_MS)
    await page.getByRole('link', { name: '10.00 EUR' }).waitFor()
    expect(await page.title()).toContain('1 wait for you')
    await world.runtime.approve(finance2, proposal, { commitment })
    await page.clock.runFor(LOOK_MS)
    await page.getByText('Nothing waits for you.').waitFor()

    expect(await page.getByRole('link', { name: '10.00 EUR' }).count()).toBe(0)
  })

  it('nothing moves under a finger that types: the page says that there is something new', async () => {
    const world = await openBrowserWorld()
    const { page } = await world.window(finance1)
    await withStoppedClock(page)
    await page.goto('/inbox')
    await page.getByLabel('Requester').fill('user:ri')
    await world.prepared(requester)

    await page.clock.runFor(LOOK_MS)
    await page.locator('#changed').waitFor({ state: 'visible' })

    expect(await page.getByLabel('Requester').inputValue()).toBe('user:ri')
    expect(await page.getByRole('link', { name: '10.00 EUR' }).count()).toBe(0)
    await page.locator('#changed a').click()
    await page.getByRole('link', { name: '10.00 EUR' }).waitFor()
  })

  it('a proposal is looked at too, and its page stays as it is until somebody asks for it', async () => {
    const world = await openBrowserWorld()
    const { proposal, commitment } = await world.prepared(requester)
    const { page } = await world.window(finance1)
    await withStoppedClock(page)
    await page.goto(`/inbox/proposals/${proposal}/approve`)
    await world.runtime.reject(finance2, proposal, { commitment, comment: 'No' })

    await page.clock.runFor(LOOK_MS)
    await page.locator('#changed').waitFor({ state: 'visible' })

    expect(await page.getByRole('button', { name: /^Approve 10/ }).count()).toBe(1)
  })

  it('a server that cannot be reached is asked again, and the page stays', async () => {
    const world = await openBrowserWorld()
    const { page, troubles } = await world.window(finance1)
    await withStoppedClock(page)
    await page.goto('/inbox')
    await world.prepared(requester)
    await page.route('**/inbox', (route) => route.abort(), { times: 1 })

    const failed = page.waitForEvent('requestfailed')
    await page.clock.runFor(LOOK_MS)
    await failed
    expect(await page.getByText('Nothing waits for you.').count()).toBe(1)
    await page.clock.runFor(LOOK_MS)
    await page.getByRole('link', { name: '10.00 EUR' }).waitFor()

    expect(troubles).toEqual([])
  })
})

describe('a list that goes on', () => {
  it('says so, leads on from exactly there, and says where it ends', async () => {
    const world = await openBrowserWorld()
    const refs: string[] = []
    for (let count = 0; count < 45; count += 1) refs.push((await world.prepared(requester)).proposal)
    const { page, troubles } = await world.window(finance1, PHONE)
    const seen: string[] = []
    const said: string[] = []
    const read = async (): Promise<void> => {
      const links = await page.evaluate<readonly string[]>(
        "[...document.querySelectorAll('.entry > a')].map((one) => one.getAttribute('href'))",
      )
      seen.push(...links.map((link) => link.slice('/inbox/proposals/'.length)))
      said.push(await page.getByRole('navigation', { name: 'Pages' }).locator('span').innerText())
    }

    await page.goto('/inbox')
    expect(await page.title()).toContain('20 or more wait for you')
    await read()
    for (let pages = 0; pages < 2; pages += 1) {
      await page.getByRole('link', { name: 'Those after' }).click()
      await page.getByRole('link', { name: 'To the first' }).waitFor()
      await page.waitForLoadState()
      await read()
    }

    expect(said).toEqual([
      'This is not all: the list goes on.',
      'This is not all: the list goes on.',
      'These are the last.',
    ])
    expect(seen).toEqual(refs)
    expect(await page.getByRole('link', { name: 'Those after' }).count()).toBe(0)
    expect(troubles).toEqual([])
  })
})
