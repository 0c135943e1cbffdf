// People decide in a real browser: approve, reject, take back; with another approver, an impatient finger, no script, no mouse.
import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../runtime/harness.ts'
import { finance1, finance2, requester, session } from '../runtime/sessions.ts'
import { type BrowserWorld, DESKTOP, type Look, openBrowserWorld, PHONE, useBrowser } from './browser-world.ts'

useBrowser()

const two = { policy: { require: [{ name: 'finance', count: 2, from: { role: 'finance-manager' } }] } }
const LOOKS: readonly (readonly [string, Look])[] = [
  ['a desktop in light', DESKTOP],
  ['a desktop in dark', { ...DESKTOP, colorScheme: 'dark' }],
  ['a phone in light', PHONE],
  ['a phone in dark', { ...PHONE, colorScheme: 'dark' }],
]

async function recorded(world: BrowserWorld, ref: string): Promise<{ status: string; decisions: readonly string[] }> {
  const { proposal, approvals } = await world.stored(ref)
  return { status: proposal.status, decisions: approvals.map(({ decision, approver }) => `${approver.id} ${decision}`) }
}

describe('approving', () => {
  it.each(LOOKS)('takes two steps, and the button names the amount and the target, on %s', async (_, look) => {
    const world = await openBrowserWorld()
    const { proposal } = await world.prepared(requester)
    const { page, troubles } = await world.window(finance1, look)

    await page.goto('/inbox')
    await page.getByRole('link', { name: '10.00 EUR' }).click()
    await page.getByRole('button', { name: 'Approve …' }).click()
    const before = await recorded(world, proposal)
    await page.getByLabel('Comment').fill('As agreed\nwith the customer')
    await page.getByRole('button', { name: 'Approve 10.00 EUR · ORD-1001' }).click()

    expect(before.decisions).toEqual([])
    expect(await recorded(world, proposal)).toEqual({ status: 'approved', decisions: ['fiona approve'] })
    expect(await page.getByRole('status').first().textContent()).toContain(
      'Your approval is recorded. The policy is met.',
    )
    expect(await page.locator('blockquote').innerText()).toBe('As agreed\nwith the customer')
    await page.goto('/inbox')
    expect(await page.getByText('Nothing waits for you.').count()).toBe(1)
    expect(troubles).toEqual([])
  })

  it('waits for the second approver, and no longer for the first', async () => {
    const world = await openBrowserWorld({ contract: two })
    const { proposal } = await world.prepared(requester)
    const [first, second] = [await world.window(finance1), await world.window(finance2, PHONE)]
    const statuses: string[] = []

    for (const { page } of [first, second]) {
      await page.goto('/inbox')
      await page.getByRole('link', { name: '10.00 EUR' }).click()
      await page.getByRole('button', { name: 'Approve …' }).click()
      await page.getByRole('button', { name: /^Approve 10/ }).click()
      await page.getByRole('status').first().waitFor()
      statuses.push((await recorded(world, proposal)).status)
    }
    await first.page.goto('/inbox')

    expect(await first.page.getByText('Nothing waits for you.').count()).toBe(1)
    expect(statuses).toEqual(['awaiting_approval', 'approved'])
    expect((await recorded(world, proposal)).decisions).toEqual(['fiona approve', 'felix approve'])
  })

  it('is refused to whoever asked, with the reason', async () => {
    const world = await openBrowserWorld({ contract: { policy: { ...two.policy, exclude: { requester: true } } } })
    const both = session('user:rita', ['support', 'finance-manager'])
    const { proposal } = await world.prepared(both)
    const { page } = await world.window(both)

    await page.goto('/inbox')
    expect(await page.getByText('Nothing waits for you.').count()).toBe(1)
    await page.goto(`/inbox/proposals/${proposal}`)

    expect(await page.getByText('You may not decide on this proposal: the policy excludes you').count()).toBe(1)
    expect(await page.getByText('user:rita, the requester, may not approve.').count()).toBe(1)
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0)
  })

  it('case C042 is recorded once: a double click, back, refresh and a second tab change nothing more', async () => {
    const world = await openBrowserWorld({ contract: two })
    const { proposal } = await world.prepared(requester)
    const { page } = await world.window(finance1)
    const other = await page.context().newPage()
    for (const one of [page, other]) await one.goto(`/inbox/proposals/${proposal}/approve`)

    await page.getByRole('button', { name: /^Approve 10/ }).dblclick()
    await page.getByRole('status').first().waitFor()
    await page.reload()
    await page.goBack()
    expect(await page.getByRole('button', { name: /^Approve 10/ }).count()).toBe(0)
    await page.goForward()
    await other.getByRole('button', { name: /^Approve 10/ }).click()
    await other.getByRole('status').first().waitFor()

    expect(await other.getByRole('status').first().textContent()).toContain('You had already done so')
    expect(await recorded(world, proposal)).toEqual({ status: 'awaiting_approval', decisions: ['fiona approve'] })
  })

  it('works without script, where a double click is as harmless', async () => {
    const world = await openBrowserWorld({ contract: two })
    const { proposal } = await world.prepared(requester)
    const { page } = await world.window(finance1, PHONE, { javaScriptEnabled: false })

    await page.goto('/inbox')
    await page.getByRole('link', { name: '10.00 EUR' }).click()
    await page.getByRole('button', { name: 'Approve …' }).click()
    await page.getByRole('button', { name: /^Approve 10/ }).dblclick()
    await page.getByRole('status').first().waitFor()

    expect(await recorded(world, proposal)).toEqual({ status: 'awaiting_approval', decisions: ['fiona approve'] })
  })

  it('needs no mouse', async () => {
    const world = await openBrowserWorld()
    const { proposal } = await world.prepared(requester)
    const { page } = await world.window(finance1)
    const tabTo = async (name: RegExp): Promise<void> => {
      for (let steps = 0; steps < 30; steps += 1) {
        await page.keyboard.press('Tab')
        const text = await page.evaluate('(document.activeElement.innerText || document.activeElement.id)')
        if (name.test(String(text))) return
      }
      throw new Error(`the keyboard does not reach ${String(name)}`)
    }

    await page.goto('/inbox')
    await tabTo(/10\.00 EUR/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Decide' }).waitFor()
    await tabTo(/^Approve …/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Approve?' }).waitFor()
    await tabTo(/^comment$/)
    await page.keyboard.type('typed')
    await tabTo(/^Approve 10/)
    await page.keyboard.press('Enter')
    await page.getByRole('status').first().waitFor()

    expect(await recorded(world, proposal)).toEqual({ status: 'approved', decisions: ['fiona approve'] })
  })
})

describe('rejecting and taking back', () => {
  it('a rejection has its comment', async () => {
    const world = await openBrowserWorld()
    const { proposal } = await world.prepared(requester)
    const { page } = await world.window(finance1, PHONE)

    await page.goto(`/inbox/proposals/${proposal}`)
    await page.getByText('Reject …').click()
    await page.getByLabel('Comment').fill('Not this customer')
    await page.getByRole('button', { name: 'Reject 10.00 EUR · ORD-1001' }).click()
    await page.getByRole('status').first().waitFor()

    expect(await recorded(world, proposal)).toEqual({ status: 'rejected', decisions: ['fiona reject'] })
    expect(await page.locator('blockquote').innerText()).toBe('Not this customer')
    await page.goto('/inbox/decided')
    expect(await page.getByText('You rejected it').count()).toBe(1)
  })

  it('an approval is taken back, and waits for its giver again', async () => {
    const world = await openBrowserWorld({ contract: two })
    const { proposal, commitment } = await world.prepared(requester)
    await world.runtime.approve(finance1, proposal, { commitment })
    const { page } = await world.window(finance1)

    await page.goto(`/inbox/proposals/${proposal}`)
    await page.getByRole('button', { name: 'Take my approval back' }).click()
    await page.getByRole('status').first().waitFor()

    expect(await page.getByRole('status').first().textContent()).toContain('Your approval is taken back.')
    await page.goto('/inbox')
    expect(await page.getByRole('link', { name: '10.00 EUR' }).count()).toBe(1)
  })

  it('its requester withdraws a proposal', async () => {
    const world = await openBrowserWorld()
    const { proposal } = await world.prepared(requester)
    const { page } = await world.window(requester)

    await page.goto(`/inbox/proposals/${proposal}`)
    await page.getByText('Withdraw …').click()
    await page.getByRole('button', { name: 'Withdraw 10.00 EUR · ORD-1001' }).click()
    await page.getByRole('status').first().waitFor()

    expect((await recorded(world, proposal)).status).toBe('withdrawn')
  })
})

describe('while the page is open', () => {
  it('case C079 it changes: the decision is refused, and the page says what changed', async () => {
    const world = await openBrowserWorld({ contract: two })
    const { proposal, commitment } = await world.prepared(requester)
    const { page } = await world.window(finance1)
    await page.goto(`/inbox/proposals/${proposal}/approve`)
    await world.runtime.approve(finance2, proposal, { commitment })

    await page.getByRole('button', { name: /^Approve 10/ }).click()
    await page.getByRole('status').first().waitFor()

    expect(await page.getByRole('status').first().textContent()).toContain('has changed since it was read')
    expect(await page.getByRole('region', { name: 'Since you opened it' }).innerText()).toContain(
      'Approved, by user:felix',
    )
    expect((await recorded(world, proposal)).decisions).toEqual(['felix approve'])
  })

  it('somebody else decides: the page says so by itself, and stays as it is', async () => {
    const world = await openBrowserWorld({ contract: two })
    const { proposal, commitment } = await world.prepared(requester)
    const { page } = await world.window(finance1)
    await page.goto(`/inbox/proposals/${proposal}`)
    expect(await page.locator('#changed').isVisible()).toBe(false)
    await world.runtime.approve(finance2, proposal, { commitment })

    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.locator('#changed').waitFor({ state: 'visible' })

    expect(await page.getByRole('region', { name: 'Policy' }).innerText()).toContain('Nobody has decided yet')
    await page.locator('#changed a').click()
    expect(await page.getByRole('region', { name: 'Policy' }).innerText()).toContain('user:felix approved')
  })

  it('case C079 it expires: nothing is recorded, and the page says why', async () => {
    const world = await openBrowserWorld()
    const { proposal } = await world.prepared(requester)
    const { page } = await world.window(finance1)
    await page.goto(`/inbox/proposals/${proposal}/approve`)
    await world.clock.advance(3 * HOUR_MS)

    await page.getByRole('button', { name: /^Approve 10/ }).click()
    await page.getByRole('status').first().waitFor()

    expect(await page.getByRole('status').first().textContent()).toContain('It had expired. Nothing was recorded.')
    expect(await recorded(world, proposal)).toEqual({ status: 'expired', decisions: [] })
  })
})
