// Takes the pictures of the inbox that the README shows: from the example that "countersign serve" offers, in Chromium.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'
import { repositoryRoot } from './repository.ts'

interface Greeting {
  readonly url: string
  readonly inbox: string
  readonly provider: string
  readonly tokens: Readonly<Record<string, string>>
}

const executablePath = findChromium()
if (executablePath === null) throw new Error('no Chromium was found: install it, or name it with CHROMIUM=PATH')
const folder = mkdtempSync(join(tmpdir(), 'countersign-pictures-'))
const pictures = join(repositoryRoot, 'docs')
mkdirSync(pictures, { recursive: true })
const main = join(repositoryRoot, 'src/cli/main.ts')
const server = spawn(process.execPath, ['--conditions=countersign-source', main, 'serve', '--json', '--port', '0'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'ignore'],
})
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--force-color-profile=srgb'] })
try {
  const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string]
  await takeAll(browser, JSON.parse(line) as Greeting)
} finally {
  await browser.close()
  server.kill()
  await once(server, 'close')
  rmSync(folder, { recursive: true, force: true })
}

async function takeAll(from: Browser, greeting: Greeting): Promise<void> {
  const invoice = await prepare(greeting, 'example.payables/invoice-payment@1', { invoiceReference: 'INV-2051' })
  await prepare(greeting, 'example.payables/invoice-payment@1', { invoiceReference: 'INV-2001' })
  await prepare(greeting, 'example.payments/refund@1', refundOf('ORD-1001', 'damaged item', '60.00'))
  const doubtful = await prepare(greeting, 'example.payments/refund@1', refundOf('ORD-1002', 'lost parcel', '10.00'))
  await decide(greeting, 'finance2', invoice)
  await decide(greeting, 'finance2', doubtful)
  await post(`${greeting.provider}/_faults`, null, { fault: 'commit_then_drop', count: 1 })
  await post(`${greeting.url}/v1/proposals/${doubtful.proposal}/execute`, greeting.tokens['requester'] ?? '', {})

  const context = await from.newContext()
  const page = await context.newPage()
  await page.goto(greeting.inbox)
  await page.getByLabel('Sign in as').selectOption('finance1')
  await page.getByRole('button', { name: 'Sign in' }).click()
  const at = `${greeting.url}/inbox/proposals/${invoice.proposal}`
  await take(page, 'inbox-queue', { width: 760, height: 640 })
  await page.goto(at)
  await take(page, 'inbox-proposal', { width: 375, height: 812, dark: true })
  await page.goto(`${at}/approve`)
  await take(page, 'inbox-approve', { width: 375, height: 812, from: 'button.primary' })
  await page.goto(`${greeting.url}/inbox/proposals/${doubtful.proposal}`)
  await take(page, 'inbox-in-doubt', { width: 760, height: 640, dark: true, from: '.timeline li' })
}

async function take(
  page: Page,
  name: string,
  look: { readonly width: number; readonly height: number; readonly dark?: true; readonly from?: string },
): Promise<void> {
  const { width, height, dark = false, from } = look
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
  if (from !== undefined) {
    await page.locator(from).last().scrollIntoViewIfNeeded()
  }
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}

interface Prepared {
  readonly proposal: string
  readonly commitment: string
}

async function prepare({ url, tokens }: Greeting, action: string, command: unknown): Promise<Prepared> {
  return (await post(`${url}/v1/proposals`, tokens['agent'] ?? '', { action, command })) as Prepared
}

async function decide({ url, tokens }: Greeting, by: string, { proposal, commitment }: Prepared): Promise<void> {
  await post(`${url}/v1/proposals/${proposal}/approve`, tokens[by] ?? '', { commitment, comment: 'Checked.' })
}

async function post(url: string, token: string | null, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token === null ? {} : { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  return response.json()
}

function refundOf(orderReference: string, intent: string, amount: string): unknown {
  return { orderReference, intent, amount: { amount, currency: 'EUR' } }
}
