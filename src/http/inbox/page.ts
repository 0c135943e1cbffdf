// A page: its frame of HTML, its headers, and the tag by which a script sees that there is something new.
import { createHash } from 'node:crypto'
import { principalName } from '../../proposal/principal.ts'
import { parseSession } from '../../proposal/session.ts'
import { newSecret } from './session/form-secret.ts'
import { securityHeaders } from '../wire/security-headers.ts'
import { assetPath } from './assets.ts'
import { html, type Html, NOTHING } from './html.ts'
import type { Viewer } from './inbox.ts'
import { renderText } from './preview/render-value.ts'

/** The tabs, in their order. */
export const TABS = [
  { name: 'queue', path: '/inbox', label: 'Waits for me' },
  { name: 'attention', path: '/inbox/attention', label: 'Needs a person' },
  { name: 'decided', path: '/inbox/decided', label: 'My decisions' },
] as const

/** What a handler shows. */
export interface Page {
  readonly title: string
  /** A function where a page is looked at far oftener than it is shown. */
  readonly main: Html | (() => Promise<Html>)
  readonly status?: number
  readonly tab?: (typeof TABS)[number]['name']
  /** Changes when the page would say something else, time apart; without it the page is not looked at again. */
  readonly tag?: string
  /** What a script does when the tag has changed: show the new page, or say so. */
  readonly whenChanged?: 'reload' | 'tell'
}

/** Where a page is shown, and to whom; null if to nobody who is signed in. */
export interface Showing {
  readonly base: string
  readonly viewer: Viewer | null
  readonly token: string | null
  /** Whether the headers are all that is asked for, as the script does that looks whether anything has changed. */
  readonly isOnlyLook?: boolean
}

/** The page as a response. Spec: reliability 5.8. */
export async function pageResponse(page: Page, showing: Showing): Promise<Response> {
  const nonce = newSecret()
  const text =
    showing.isOnlyLook === true ? '' : `<!doctype html>\n${(await document(page, showing, nonce)).toString()}\n`
  return new Response(text, {
    status: page.status ?? 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      ...(page.tag === undefined ? {} : { ETag: `"${page.tag}"` }),
      ...pageHeaders(nonce),
    },
  })
}

function pageHeaders(nonce: string): Readonly<Record<string, string>> {
  return securityHeaders({
    'script-src': `'nonce-${nonce}' 'strict-dynamic'`,
    'style-src': "'self'",
    'img-src': "'self'",
    'connect-src': "'self'",
    'form-action': "'self'",
    'require-trusted-types-for': "'script'",
  })
}

/** A tag over what a page rests on. */
export function tagOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

async function document(page: Page, { base, viewer, token }: Showing, nonce: string): Promise<Html> {
  const { title, main, tab = null, tag = '', whenChanged = 'tell' } = page
  return html`<html lang="en" data-tag="${tag}" data-when-changed="${whenChanged}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Countersign</title>
<link rel="icon" type="image/svg+xml" href="${await assetPath(base, 'inbox.svg')}">
<link rel="stylesheet" href="${await assetPath(base, 'inbox.css')}">
<script nonce="${nonce}" src="${await assetPath(base, 'inbox.js')}" defer></script>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header>
<p class="brand">Countersign</p>
${viewer === null ? NOTHING : tabs(base, tab)}
${viewer === null ? NOTHING : who(base, viewer, token ?? '')}
</header>
<main id="main" tabindex="-1">
${typeof main === 'function' ? await main() : main}
</main>
<p id="changed" class="changed" role="status" hidden><a href="">This has changed since it was opened. Show it as it is now.</a></p>
</body>
</html>`
}

function tabs(base: string, current: Page['tab'] | null): Html {
  const links = TABS.map(({ name, path, label }) =>
    name === current
      ? html`<a href="${base + path}" aria-current="page">${label}</a>`
      : html`<a href="${base + path}">${label}</a>`,
  )
  return html`<nav aria-label="Inbox">${links}</nav>`
}

function who(base: string, { session, people }: Viewer, token: string): Html {
  const name = renderText(principalName(parseSession(session).principal))
  if (people === null) return html`<p class="who">${name}</p>`
  const options = people.names.map((one) =>
    one === people.name ? html`<option selected>${one}</option>` : html`<option>${one}</option>`,
  )
  return html`<details class="who"><summary>${name}</summary>
<form method="post" action="${base}/inbox/sign-in/as">${tokenField(token)}
<label for="as">Go on as</label> <select id="as" name="as">${options}</select> <button>Change</button></form>
<form method="post" action="${base}/inbox/sign-out">${tokenField(token)}<button>Sign out</button></form></details>`
}

/** The field that every form has. */
export function tokenField(token: string): Html {
  return html`<input type="hidden" name="token" value="${token}">`
}
