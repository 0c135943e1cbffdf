// What is drawn: on the picture of the button that approves, the amount and the payee stand as they were meant.
import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { finance1, requester } from '../runtime/sessions.ts'
import { openBrowserWorld, useBrowser } from './browser-world.ts'
import { amountIn, type Ink, inksIn, isolate, LABEL, paint } from './picture.ts'

useBrowser()

const HOSTILE: readonly (readonly [string, string, readonly Ink[]])[] = [
  ['an override', 'ORD-1 \u202E00.01 RUE\u202C', ['payee', 'mark', 'payee', 'mark']],
  ['an override that is never closed', 'ORD-1 \u202E00.01 RUE', ['payee', 'mark', 'payee']],
  ['isolates', '\u2067gnp.eciovni\u2069 1.00', ['mark', 'payee', 'mark', 'payee']],
  ['a right-to-left mark before digits', '\u200F99.00 USD', ['mark', 'payee']],
  ['Hebrew, an amount and Latin letters', '\u05E9\u05DC\u05D5\u05DD 99.00 USD', ['payee']],
  ['Arabic with digits of its own', '\u0627\u062D\u0645\u062F \u0669\u0669 99.00 USD', ['payee']],
]

/** A page whose button approves 10.00 EUR for somebody, painted. */
async function painted(payee: string): Promise<Page> {
  const world = await openBrowserWorld({
    methods: {
      preview: ({ amount, refunded }) => ({
        title: 'Refund',
        orderReference: payee,
        amount,
        alreadyRefunded: refunded,
      }),
    },
  })
  const { proposal } = await world.prepared(requester)
  const { page } = await world.window(finance1)
  await page.goto(`/inbox/proposals/${proposal}/approve`)
  await paint(page)
  return page
}

describe('threat T17, on the picture of the button', () => {
  it.each(HOSTILE)('with %s the amount is drawn first and as ever, and the payee after it', async (_, payee, inks) => {
    const [page, harmless] = [await painted(payee), await painted('ORD-1')]

    expect(await inksIn(page)).toEqual(['amount', ...inks])
    expect(await amountIn(page)).toEqual(await amountIn(harmless))
  })

  it.each(HOSTILE)('with %s the payee is drawn as it is by itself, whatever stands beside it', async (_, payee) => {
    const page = await painted(payee)
    const drawn = await page.locator(LABEL).screenshot()

    await isolate(page)

    expect((await page.locator(LABEL).screenshot()).equals(drawn)).toBe(true)
  })
})
