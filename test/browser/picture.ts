// Pictures of a part of a page: which ink stands where, read off what the browser has drawn.
import type { Page } from 'playwright-core'

/** What the elements are painted in: far apart, on white. */
const INKS = { amount: '#f00', payee: '#00f', mark: '#0a0' } as const

/** Whose ink it is. */
export type Ink = keyof typeof INKS

/** The button that approves. */
const LABEL = 'button.primary'

/** Paints the amount, the payee and the marks in the label each in an ink of its own, on plain white. Nothing else is changed. */
export async function paint(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const label = document.querySelector('${LABEL}')
    const set = (element, style) => Object.assign(element.style, { background: '#fff', ...style })
    set(label, { color: '#fff', borderColor: '#fff' })
    const [amount, payee, ...others] = label.querySelectorAll('.money, .text')
    if (amount === undefined || payee === undefined || others.length > 0) throw new Error('no amount and payee')
    set(amount, { color: '${INKS.amount}' })
    set(payee, { color: '${INKS.payee}' })
    for (const mark of payee.querySelectorAll('.mark')) set(mark, { color: '${INKS.mark}' })
  })()`)
}

/** Keeps both apart from what is beside them by force: where the page does so itself, this moves nothing. */
export async function isolate(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    for (const one of document.querySelectorAll('${LABEL} .money, ${LABEL} .text')) {
      one.dir = 'auto'
      one.style.unicodeBidi = 'isolate'
    }
  })()`)
}

/** What is drawn of a label. */
interface Drawn {
  readonly picture: Buffer
  /** From left to right, each run once; what stands above each other is one run, `amount+payee`. */
  readonly inks: readonly string[]
  /** The amount, column by column: so many pixels of it. Where it stands says nothing. */
  readonly amount: readonly number[]
}

/** The label as it is drawn now. */
export async function drawnOn(page: Page): Promise<Drawn> {
  const picture = await pictureOf(page)
  const columns = await columnsIn(page, picture)
  const inked = columns.map((column) => NAMES.filter((ink) => column[ink] > 0).join('+')).filter((one) => one !== '')
  const amounts = columns.map(({ amount }) => amount)
  return {
    picture,
    inks: inked.filter((one, index) => one !== inked[index - 1]),
    amount: amounts.slice(
      amounts.findIndex((count) => count > 0),
      amounts.findLastIndex((count) => count > 0) + 1,
    ),
  }
}

/** A picture of the label alone. */
export async function pictureOf(page: Page): Promise<Buffer> {
  return page.locator(LABEL).screenshot()
}

type Column = Readonly<Record<Ink, number>>

const NAMES = Object.keys(INKS) as readonly Ink[]

// Decoded by a page of its own: the policy of the inbox lets no picture in.
async function columnsIn(page: Page, picture: Buffer): Promise<readonly Column[]> {
  const decoder = await page.context().newPage()
  try {
    return await decoder.evaluate<readonly Column[]>(`(async () => {
      const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (one) => one.charCodeAt(0))
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      const inkAt = (x, y) => {
        const at = 4 * (y * image.width + x)
        const [red, green, blue] = data.slice(at, at + 3)
        if (red - green > 60 && red - blue > 60) return 'amount'
        if (blue - red > 60 && blue - green > 60) return 'payee'
        return green - red > 60 && green - blue > 60 ? 'mark' : null
      }
      return Array.from({ length: image.width }, (_, x) => {
        const inks = Array.from({ length: image.height }, (_, y) => inkAt(x, y))
        const count = (name) => inks.filter((ink) => ink === name).length
        return { amount: count('amount'), payee: count('payee'), mark: count('mark') }
      })
    })()`)
  } finally {
    await decoder.close()
  }
}
