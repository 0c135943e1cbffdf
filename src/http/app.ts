// The app: every endpoint on one Hono app that answers the same wherever it is mounted.
import type { Context, Hono as HonoApp } from 'hono'
import type { Logger } from '../runtime/ports.ts'
import type { ProposalRuntime } from '../runtime/runtime.ts'
import { SILENT } from '../runtime/silent-logger.ts'
import { guardCookies, restsOnCookie } from './auth/same-origin.ts'
import { type Authenticate, sessionOf } from './auth/session.ts'
import type { Endpoint } from './endpoint.ts'
import { ENDPOINTS } from './endpoints.ts'
import { basePath, type Framed, framed, type Framing, type OnInternalError } from './frame.ts'
import { described, Hono } from './hono-library.ts'
import { demandApiToken } from './inbox/session/api-token.ts'
import { type Inbox, type InboxOptions, readInbox } from './inbox/inbox.ts'
import { mountInbox } from './inbox/mount.ts'
import type { OpenCall, OpenEndpoint } from './open-endpoint.ts'
import { type OpenApiDocument, openApiDocument } from './openapi/document.ts'
import { openOperationOf } from './openapi/open-operation.ts'
import { operationOf } from './openapi/operation.ts'
import { swaggerFolder } from './openapi/swagger-assets.ts'
import type { Meters } from './operations/meters.ts'
import { type ReadingRules, readRequest } from './request.ts'
import { documentationPages, showDocument } from './routes/documentation.ts'
import { explainProblem, showHealth, showMetrics, showReadiness } from './routes/service.ts'
import { MethodNotAllowed, UnknownPath } from './wire/http-refusals.ts'

/** What an app is made of. */
export interface AppOptions {
  readonly runtime: ProposalRuntime
  /** Who calls; the only source of identity. `bearerJwt` and `staticTokens` make one. */
  readonly authenticate: Authenticate
  /** One line a request: method, route, status, duration, request id. Default: silent. */
  readonly logger?: Logger
  /** Refuses to prepare without `Idempotency-Key`. Default false. */
  readonly requireIdempotencyKey?: boolean
  /** Serves `/metrics`; made by `prometheusMeters`. Without it there is none. */
  readonly meters?: Meters
  /** Serves `/inbox`, where people approve in a browser. Without it there is none. */
  readonly inbox?: InboxOptions
  /** Receives what was thrown and is no refusal; it is answered as `internal`, and nothing of it is told. */
  readonly onInternalError?: OnInternalError
}

/**
 * The HTTP API as a Hono app, to be served as it is or mounted under any path with `route`. It keeps nothing: any number
 * of servers may run on one store. Spec: http.
 * @throws TypeError for options that are none.
 *
 * @example
 * const app = createApp({ runtime, authenticate: bearerJwt({ … }) })
 */
export function createApp(options: AppOptions): HonoApp {
  demandOptions(options)
  const { runtime, authenticate, logger = SILENT, meters = null, onInternalError } = options
  const framing: Framing = { runtime, logger, meters, onInternalError }
  const rules: ReadingRules = { requireIdempotencyKey: options.requireIdempotencyKey ?? false }
  const inbox = options.inbox === undefined ? null : readInbox(options.inbox)
  const app = new Hono()

  for (const endpoint of ENDPOINTS) {
    const { method, path: pattern, operationId: operation } = endpoint
    app[method](pattern, described(operationOf(endpoint)), async (context) =>
      framed(framing, context, { pattern, operation }, () => {
        return answerTo(endpoint, context, { runtime, authenticate, rules, inbox })
      }),
    )
  }
  for (const endpoint of openEndpoints(app, framing)) {
    const { path: pattern } = endpoint
    app.get(pattern, described(openOperationOf(endpoint)), async (context) =>
      framed(framing, context, { pattern, operation: null }, async () => {
        return { response: await endpoint.handle(openCall(framing, context, pattern)) }
      }),
    )
  }
  if (inbox !== null) mountInbox(app, framing, inbox)
  refuseTheRest(app, framing, authenticate)
  return app
}

// Whatever is no endpoint is a refusal, too; below `/v1` only to whoever may ask at all.
function refuseTheRest(app: HonoApp, framing: Framing, authenticate: Authenticate): void {
  const routes = app.routes.filter(({ method }) => method !== 'ALL')
  for (const [pattern, ones] of Map.groupBy(routes, ({ path }) => path)) {
    const allow = allowedMethods(ones)
    app.all(pattern, async (context) =>
      framed(framing, context, { pattern, operation: null }, async () => {
        if (pattern.startsWith('/v1/')) await sessionOf(authenticate, context.req.raw)
        throw new MethodNotAllowed(allow)
      }),
    )
  }
  app.all('/v1/*', async (context) =>
    framed(framing, context, { pattern: '/v1/*', operation: null }, async () => {
      await sessionOf(authenticate, context.req.raw)
      throw new UnknownPath()
    }),
  )
  app.notFound(async (context) =>
    framed(framing, context, { pattern: '/*', operation: null }, () => {
      throw new UnknownPath()
    }),
  )
}

function openEndpoints(app: HonoApp, { logger, meters }: Framing): readonly OpenEndpoint[] {
  const folder = swaggerFolder()
  if (folder === null) logger.warn({}, '/docs needs the package swagger-ui-dist: npm install swagger-ui-dist')
  let document: Promise<OpenApiDocument> | null = null
  return [
    explainProblem,
    showDocument(() => (document ??= openApiDocument(app))),
    ...(folder === null ? [] : documentationPages(folder)),
    showHealth,
    showReadiness,
    ...(meters === null ? [] : [showMetrics]),
  ]
}

function openCall(framing: Framing, { req }: Context, pattern: string): OpenCall {
  return {
    framing,
    request: req.raw,
    basePath: basePath(req.raw, { pattern }),
    param: (name) => req.param(name) ?? '',
  }
}

interface Answering {
  readonly runtime: ProposalRuntime
  readonly authenticate: Authenticate
  readonly rules: ReadingRules
  readonly inbox: Inbox | null
}

// Who calls comes first, and whether a page of ours asks where a cookie says so; then what was sent, which tells nothing of what is stored; then the operation.
async function answerTo(
  endpoint: Endpoint,
  context: Context,
  { runtime, authenticate, rules, inbox }: Answering,
): Promise<Framed> {
  const { raw: request } = context.req
  const session = await sessionOf(authenticate, request)
  guardCookies(request, inbox?.origin ?? null)
  if (inbox !== null && restsOnCookie(request)) demandApiToken(request, inbox.cookie, session)
  const read = await readRequest(endpoint, request, rules)
  const path = new URL(request.url).pathname
  const param = (name: string): string => context.req.param(name) ?? ''
  const { status, body, headers } = await endpoint.handle({ runtime, session, path, param, ...read })
  return {
    response: Response.json(body, { status, ...(headers === undefined ? {} : { headers }) }),
    ...outcomeOf(body),
  }
}

function outcomeOf(body: unknown): { readonly outcome?: string } {
  const outcome: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'outcome') : undefined
  return typeof outcome === 'string' ? { outcome } : {}
}

// HEAD is answered like GET, without its body.
function allowedMethods(routes: readonly { readonly method: string }[]): readonly string[] {
  const methods = new Set(routes.map(({ method }) => method))
  return [...(methods.has('GET') ? ['GET', 'HEAD'] : []), ...(methods.has('POST') ? ['POST'] : [])]
}

function demandOptions(options: AppOptions): void {
  const given: unknown = options
  const needed = 'An app is made with { runtime, authenticate }.'
  if (typeof given !== 'object' || given === null) throw new TypeError(needed)
  const { runtime, authenticate }: { runtime?: unknown; authenticate?: unknown } = given
  if (typeof runtime !== 'object' || runtime === null) throw new TypeError(needed)
  if ('then' in runtime) throw new TypeError('The runtime is a promise: an await is missing.')
  if (typeof authenticate !== 'function') {
    throw new TypeError('An app needs "authenticate", such as bearerJwt({ … }): without it nobody could be told apart.')
  }
}
