// What is drawn: on the picture of the button that approves, the amount and the payee stand as they were meant.
import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { finance1, requester } from '../runtime/sessions.ts'
import { openBrowserWorld, useBrowser } from './browser-world.ts'
import { drawnOn, type Ink, isolate, paint, pictureOf } from './picture.ts'

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

/** The amount beside a payee that does nothing. */
let ordinary: Promise<readonly number[]> | null = null

async function ordinaryAmount(): Promise<readonly number[]> {
  ordinary ??= painted('ORD-1').then(async (page) => (await drawnOn(page)).amount)
  return ordinary
}

describe('threat T17, on the picture of the button', () => {
  it.each(HOSTILE)(
    'with %s the amount is first and as ever, and the payee is as it is by itself',
    async (_, payee, inks) => {
      const page = await painted(payee)
      const drawn = await drawnOn(page)

      expect(drawn.inks).toEqual(['amount', ...inks])
      expect(drawn.amount).toEqual(await ordinaryAmount())
      await isolate(page)
      expect((await pictureOf(page)).equals(drawn.picture)).toBe(true)
    },
  )
})
