// A browser and an inbox that it reaches: Chromium, a server on loopback, and people who are signed in by the host's cookie.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { findChromium } from '../../tools/chromium.ts'
import type { HttpWorldOptions } from '../http/world.ts'
import { tokenOf } from '../http/world.ts'
import { type InboxWorld, openInbox, sessionOfCookie } from '../http/inbox/inbox-world.ts'

type Handler = (request: Request) => Response | Promise<Response>

/** What a browser looks like. */
export interface Look {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'light' | 'dark'
}

export const DESKTOP: Look = { width: 1_200, height: 900, colorScheme: 'light' }
export const PHONE: Look = { width: 375, height: 667, colorScheme: 'light' }

/** A page, and what it should never have done. */
export interface Watched {
  readonly page: Page
  /** Dialogs, errors of scripts, violations of the policy, and requests to anywhere else. */
  readonly troubles: string[]
}

export interface BrowserWorld extends InboxWorld {
  readonly origin: string
  /** Opens a browser window in which somebody is signed in. */
  window(session: Session | null, look?: Look, options?: BrowserContextOptions): Promise<Watched>
}

let running: Browser | null = null

/** To be called in every file of browser tests: one browser for all of its tests. */
export function useBrowser(): void {
  beforeAll(async () => {
    running = await launch()
  })
  afterAll(async () => {
    await running?.close()
    running = null
  })
}

/** Starts Chromium. It runs pages of our own alone, so that it needs no sandbox, which root has none of. */
async function launch(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === null) throw new Error('no Chromium was found')
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--force-color-profile=srgb'] })
}

/** Opens a world that a browser can reach. */
export async function openBrowserWorld(options: Partial<HttpWorldOptions> = {}): Promise<BrowserWorld> {
  let handler: Handler = () => new Response(null, { status: 503 })
  const origin = await serve((request) => handler(request))
  const inbox = { origin, session: sessionOfCookie }
  const world = await openInbox({ ...options, app: { inbox, ...options.app } })
  handler = (request) => world.app.fetch(request)
  return { ...world, origin, window: async (session, look, more) => openWindow(origin, session, look, more) }
}

/** Serves on loopback until the test is over; answers the origin. */
export async function serve(handler: Handler, host = '127.0.0.1'): Promise<string> {
  const server = createAdaptorServer({ fetch: handler }) as Server
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

async function openWindow(
  origin: string,
  session: Session | null,
  { width, height, colorScheme }: Look = DESKTOP,
  more: BrowserContextOptions = {},
): Promise<Watched> {
  if (running === null) throw new Error('useBrowser was not called')
  const context = await running.newContext({ viewport: { width, height }, colorScheme, baseURL: origin, ...more })
  onTestFinished(async () => context.close())
  if (session !== null) await context.addCookies([{ name: 'host-session', value: tokenOf(session), url: origin }])
  const page = await context.newPage()
  return { page, troubles: watch(page, origin) }
}

/** Collects what a page should never do. */
function watch(page: Page, origin: string): string[] {
  const troubles: string[] = []
  page.on('dialog', (dialog) => {
    troubles.push(`dialog ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  page.on('pageerror', (error) => troubles.push(`error ${error.message}`))
  page.on('console', (message) => {
    if (/content security policy|trusted/i.test(message.text())) troubles.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) troubles.push(`request to ${request.url()}`)
  })
  return troubles
}
