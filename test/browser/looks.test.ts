// How the pages look: nothing that hinders anybody, nothing that moves, nothing beside the screen, little to load.
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { operator } from '../runtime/sessions.ts'
import { type BrowserWorld, DESKTOP, type Look, openBrowserWorld, PHONE, useBrowser } from './browser-world.ts'
import { everyState } from './states.ts'

useBrowser()

const two = { policy: { require: [{ name: 'finance', count: 2, from: { role: 'finance-manager' } }] } }
const PAGE_BYTES_MAX = 60_000
const LOOKS: readonly (readonly [string, Look])[] = [
  ['a desktop in light', DESKTOP],
  ['a desktop in dark', { ...DESKTOP, colorScheme: 'dark' }],
  ['a phone in light', PHONE],
  ['a phone in dark', { ...PHONE, colorScheme: 'dark' }],
]

async function serious(page: Page): Promise<readonly string[]> {
  // Evaluated by the driver, which the page's own policy does not bind.
  await page.evaluate(axe.source)
  const found = await page.evaluate<{
    readonly violations: readonly {
      readonly id: string
      readonly impact: string
      readonly nodes: readonly { readonly html: string }[]
    }[]
  }>('axe.run(document, { resultTypes: ["violations"] })')
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

async function visit(
  world: BrowserWorld,
  look: Look,
  each: (page: Page, name: string) => Promise<void>,
): Promise<void> {
  for (const { name, by, path } of await everyState(world)) {
    const { page, troubles } = await world.window(by, look)
    await page.goto(path)
    // What can be opened is looked at open.
    await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
    await each(page, name)
    expect(troubles).toEqual([])
  }
}

describe('every page', () => {
  it.each(LOOKS)('has nothing that axe finds serious, and fits the screen, on %s', async (_, look) => {
    const world = await openBrowserWorld({ contract: two })

    await visit(world, look, async (page, name) => {
      expect([name, await serious(page)]).toEqual([name, []])
      expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, look.width])
    })
  })

  it('is under 60 kB with all that it loads, and nothing of it moves', async () => {
    const world = await openBrowserWorld({ contract: two })

    for (const { name, by, path } of await everyState(world)) {
      const { page } = await world.window(by, PHONE)
      const sizes: Promise<number>[] = []
      page.on('response', (response) => {
        // A look whether anything has changed has no body.
        if (response.request().method() === 'GET') sizes.push(response.body().then(({ length }) => length))
      })
      await page.addInitScript(`window.shifts = 0
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifts += one.value }).observe({ type: 'layout-shift', buffered: true })`)
      await page.goto(path, { waitUntil: 'networkidle' })
      const loaded = await Promise.all(sizes)

      expect(loaded).toHaveLength(4)
      expect(loaded.reduce((sum, size) => sum + size, 0)).toBeLessThan(PAGE_BYTES_MAX)
      expect([name, await page.evaluate('window.shifts')]).toEqual([name, 0])
    }
  })
})

describe('an operator', () => {
  it('sees what is known in plain words, has it looked at, and records what was found out', async () => {
    const world = await openBrowserWorld({ contract: two })
    const states = await everyState(world)
    const { page } = await world.window(operator)
    const at = (name: string): string => states.find((state) => state.name === name)?.path ?? ''

    await page.goto('/inbox/attention')
    expect(await page.locator('.entry').count()).toBe(3)
    await page.goto(at('in-doubt'))
    expect(await page.getByRole('region', { name: 'What is known' }).innerText()).toContain(
      'The provider accepted the request. It has not yet been seen at the provider.\n\nNothing will be sent again while that is so.',
    )
    await page.getByRole('button', { name: 'Look at the provider now' }).click()
    await page.getByRole('status').first().waitFor()

    await page.goto(at('mismatch'))
    expect(await page.getByText('What was found at the provider is not what was approved.').count()).toBeGreaterThan(0)
    await page.getByText('Settle …').click()
    await page.getByLabel('It cannot be found out').check()
    await page.locator('#settle-reason').fill('bank_statement')
    await page.getByLabel('Where the evidence is kept').fill('CASE-17')
    await page.getByRole('button', { name: 'Record it' }).click()
    await page.getByRole('status').first().waitFor()

    expect(await page.getByRole('status').first().textContent()).toContain('What you found out is recorded.')
    expect(await page.locator('.status-line').innerText()).toContain('Closed without an answer')
  })
})
