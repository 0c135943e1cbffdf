// The routes of the inbox: its pages, what can be done on them, its files, and sign-in where it has one of its own.
import type { Context, Hono as HonoApp } from 'hono'
import { parseSession } from '../../proposal/session.ts'
import { demandSameOrigin } from '../auth/same-origin.ts'
import { basePath, framed, type Framing } from '../frame.ts'
import { UnknownPath } from '../wire/http-refusals.ts'
import type { HttpProblem } from '../wire/problem.ts'
import { INBOX_ACTS } from './acts.ts'
import { readInboxAsset } from './assets.ts'
import { type Inbox, viewerOf } from './inbox.ts'
import { type Page, pageResponse } from './page.ts'
import type { PageCall } from './page-call.ts'
import { approvePage } from './pages/approve.ts'
import { attentionPage } from './pages/attention.ts'
import { decidedPage } from './pages/decided.ts'
import { problemPageOf } from './pages/problem.ts'
import { proposalPage } from './pages/proposal.ts'
import { queuePage } from './pages/queue.ts'
import { signedOutPage, signInPage } from './pages/sign-in.ts'
import { wholePage } from './pages/whole.ts'
import { demandToken, perform, seeOther } from './perform.ts'
import { readForm } from './session/form-body.ts'
import { formToken } from './session/form-secret.ts'
import type { SignInLinks } from './session/sign-in-links.ts'

const PAGES: readonly { readonly path: string; readonly show: (call: PageCall) => Promise<Page> }[] = [
  { path: '/inbox', show: queuePage },
  { path: '/inbox/attention', show: attentionPage },
  { path: '/inbox/decided', show: decidedPage },
  { path: '/inbox/proposals/:ref', show: proposalPage },
  { path: '/inbox/proposals/:ref/approve', show: approvePage },
  { path: '/inbox/proposals/:ref/whole/:section', show: wholePage },
]

/** Adds the inbox to an app. GET shows and changes nothing, POST answers with a redirect. Spec: http "The inbox page". */
export function mountInbox(app: HonoApp, framing: Framing, inbox: Inbox): void {
  const add = (method: 'get' | 'post', pattern: string, handle: Handle): void => {
    app[method](pattern, async (context) => answered(framing, context, pattern, handle))
  }
  for (const { path, show } of PAGES)
    add(
      'get',
      path,
      signedIn(framing, inbox, async (call) => shown(call, await show(call))),
    )
  for (const act of INBOX_ACTS) {
    const path = `/inbox/proposals/:ref/${act.path}`
    add(
      'post',
      path,
      sameOrigin(
        inbox,
        signedIn(framing, inbox, async (call) => perform(call, act)),
      ),
    )
  }
  add('get', '/inbox/assets/:name', async ({ context }) => assetResponse(context.req.param('name') ?? ''))
  if (inbox.signIn !== null) mountSignIn(add, framing, inbox, inbox.signIn)
}

function mountSignIn(add: Add, framing: Framing, inbox: Inbox, links: SignInLinks): void {
  const begin = (base: string, secret: string): Response => {
    return seeOther(`${base}/inbox`, { 'Set-Cookie': inbox.cookie.set(secret) })
  }
  add('get', '/inbox/sign-in/:link', async ({ context, base }) =>
    pageResponse(signInPage(base, links, context.req.param('link') ?? ''), { base, viewer: null, token: null }),
  )
  add(
    'post',
    '/inbox/sign-in',
    sameOrigin(inbox, async ({ context, base }) => {
      const { link, as } = await readForm(context.req.raw, ['link', 'as'])
      const secret = links.signIn(link, as)
      if (secret !== null) return begin(base, secret)
      return pageResponse(signInPage(base, links, ''), { base, viewer: null, token: null })
    }),
  )
  add(
    'post',
    '/inbox/sign-in/as',
    sameOrigin(
      inbox,
      signedIn(framing, inbox, async (call) => {
        const { token, as } = await readForm(call.request, ['token', 'as'])
        demandToken(call, token)
        return begin(call.base, links.switchTo(call.viewer.secret, as) ?? call.viewer.secret)
      }),
    ),
  )
  add(
    'post',
    '/inbox/sign-out',
    sameOrigin(
      inbox,
      signedIn(framing, inbox, async (call) => {
        demandToken(call, (await readForm(call.request, ['token'])).token)
        links.signOut(call.viewer.secret)
        return seeOther(`${call.base}/inbox`)
      }),
    ),
  )
}

interface Asked {
  readonly context: Context
  readonly base: string
}

type Handle = (asked: Asked) => Promise<Response>
type Add = (method: 'get' | 'post', pattern: string, handle: Handle) => void

async function answered(framing: Framing, context: Context, pattern: string, handle: Handle): Promise<Response> {
  const base = basePath(context.req.raw, { pattern })
  const asPage = async (problem: HttpProblem): Promise<Response> =>
    pageResponse(problemPageOf(base, problem), { base, viewer: null, token: null })
  return framed({ ...framing, asResponse: asPage }, context, { pattern, operation: null }, async () => {
    return { response: await handle({ context, base }) }
  })
}

/** Refuses a request that no page of this inbox sent, before anything of it is read. */
function sameOrigin({ origin }: Inbox, handle: Handle): Handle {
  return async (asked) => {
    demandSameOrigin(asked.context.req.raw, origin)
    return handle(asked)
  }
}

/** Hands on who looks; nobody is sent to where people sign in, or told that they are not. */
function signedIn({ runtime }: Framing, inbox: Inbox, handle: (call: PageCall) => Promise<Response>): Handle {
  return async ({ context, base }) => {
    const { raw: request } = context.req
    const viewer = await viewerOf(inbox, request)
    if (viewer === null) {
      if (inbox.signInPath !== null && request.method !== 'POST') return seeOther(inbox.signInPath)
      return pageResponse(signedOutPage(inbox.signIn), { base, viewer, token: null })
    }
    const { session, secret } = viewer
    const response = await handle({
      runtime,
      inbox,
      base,
      viewer,
      session,
      token: formToken(secret, parseSession(session)),
      request,
      query: new URL(request.url).searchParams,
      now: runtime.clock.now(),
      param: (name) => context.req.param(name) ?? '',
    })
    if (viewer.isNew) response.headers.set('Set-Cookie', inbox.cookie.set(secret))
    return response
  }
}

async function shown({ base, viewer, token, request }: PageCall, page: Page): Promise<Response> {
  return pageResponse(page, { base, viewer, token, isOnlyLook: request.method === 'HEAD' })
}

async function assetResponse(name: string): Promise<Response> {
  const asset = await readInboxAsset(name)
  if (asset === null) throw new UnknownPath()
  return new Response(asset.bytes, {
    headers: { 'Content-Type': asset.mediaType, 'Cache-Control': 'private, max-age=3600' },
  })
}
