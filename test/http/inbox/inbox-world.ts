// The world of the tests of the inbox: an app with one, and visitors who keep their cookies and fill in its forms.
import { Hono } from 'hono'
import { readInboxAsset } from '../../../src/http/inbox/assets.ts'
import type { Session } from '../../../src/proposal/session.ts'
import { type HttpWorld, type HttpWorldOptions, openHttp, tokenOf } from '../world.ts'

export const ORIGIN = 'https://inbox.test'
/** The cookie of the tests' own host, whose value is the session. */
const HOST_COOKIE = 'host-session'

/** An answer, read once. */
export interface Shown {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Somebody with a browser. */
export interface Visitor {
  readonly cookies: Map<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Shown>
  /** Sends a form as a page of the inbox would, unless the headers say otherwise. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Shown>
  /** Opens a page, fills in the form that goes to `act` and sends it; answers the page that it is led to. */
  fill(page: string, act: string, fields?: Readonly<Record<string, string>>): Promise<Shown>
  /** Any request, with the visitor's cookies. */
  send(request: Request): Promise<Shown>
}

export interface InboxWorld extends HttpWorld {
  visitor(session: Session | null): Visitor
  /** Somebody who visits the same app where a host has mounted it, below a path. */
  visitorBelow(path: string, session: Session | null): Visitor
}

/** Who a cookie of the tests' host stands for. */
export function sessionOfCookie({ headers }: Request): Session | null {
  const cookie = (headers.get('Cookie') ?? '').split('; ').find((pair) => pair.startsWith(`${HOST_COOKIE}=`))
  if (cookie === undefined) return null
  return JSON.parse(Buffer.from(cookie.slice(HOST_COOKIE.length + 1), 'base64url').toString('utf8')) as Session
}

/** Opens a world with an inbox. */
export async function openInbox(options: Partial<HttpWorldOptions> = {}): Promise<InboxWorld> {
  const inbox = { origin: ORIGIN, session: sessionOfCookie }
  const world = await openHttp({ store: 'memory', ...options, app: { inbox, ...options.app } })
  return {
    ...world,
    visitor: (session) => visitorOf(world, session),
    visitorBelow: (path, session) => visitorOf({ app: new Hono().route(path, world.app) }, session),
  }
}

/** Somebody with a browser at an app. */
export function visitorOf({ app }: Pick<HttpWorld, 'app'>, session: Session | null): Visitor {
  const cookies = new Map<string, string>()
  if (session !== null) cookies.set(HOST_COOKIE, tokenOf(session))
  const send: Visitor['send'] = async (request) => {
    if (cookies.size > 0) request.headers.set('Cookie', [...cookies].map((pair) => pair.join('=')).join('; '))
    const response = await app.fetch(request)
    const set = /^([^=]+)=([^;]*)/.exec(response.headers.get('Set-Cookie') ?? '')
    if (set?.[1] !== undefined) cookies.set(set[1], set[2] ?? '')
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const visitor: Visitor = {
    cookies,
    send,
    get: (path, headers = {}) => send(new Request(ORIGIN + path, { headers })),
    post: (path, fields, headers = {}) => {
      const site = { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' }
      const body = new URLSearchParams(fields)
      return send(new Request(ORIGIN + path, { method: 'POST', body, headers: { ...site, ...headers } }))
    },
    async fill(page, act, fields = {}) {
      const { text } = await visitor.get(page)
      const { action, values } = formIn(text, act)
      const answer = await visitor.post(action, { ...values, ...fields })
      const location = answer.headers.get('Location')
      return location === null ? answer : visitor.get(location)
    },
  }
  return visitor
}

/** The form that goes to an act, and what it has hidden. @throws if there is none */
export function formIn(
  text: string,
  act: string,
): { readonly action: string; readonly values: Readonly<Record<string, string>> } {
  for (const [, action = '', inside = ''] of text.matchAll(
    /<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/g,
  )) {
    if (!action.endsWith(`/${act}`)) continue
    const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
    const empty = [...inside.matchAll(/<textarea[^>]* name="([^"]*)"/g)].map(([, name = '']) => [name, ''])
    const given = hidden.map(([, name = '', value = '']) => [name, value])
    const values = Object.fromEntries([...empty, ...given]) as Readonly<Record<string, string>>
    return { action, values }
  }
  throw new Error(`the page has no form for ${act}`)
}

/** What a page may take with all that it loads. */
export const PAGE_BYTES_MAX = 60_000

/** What it takes. */
export async function loadedWith(text: string): Promise<number> {
  const assets = await Promise.all(['inbox.css', 'inbox.js', 'inbox.svg'].map(readInboxAsset))
  return assets.reduce((sum, asset) => sum + (asset?.bytes.length ?? 0), Buffer.byteLength(text))
}
