// The app: every endpoint on one Hono app that answers the same wherever it is mounted.
import type { Context, Hono as HonoApp } from 'hono'
import type { Logger } from '../runtime/ports.ts'
import type { ProposalRuntime } from '../runtime/runtime.ts'
import { SILENT } from '../runtime/silent-logger.ts'
import { type Authenticate, sessionOf } from './auth/session.ts'
import type { Endpoint } from './endpoint.ts'
import { ENDPOINTS } from './endpoints.ts'
import { type Framed, framed, type Framing, type OnInternalError } from './frame.ts'
import { Hono } from './hono-library.ts'
import type { Meters } from './operations/meters.ts'
import { type ReadingRules, readRequest } from './request.ts'
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
  const app = new Hono()

  for (const endpoint of ENDPOINTS) {
    const { method, path: pattern, operationId: operation } = endpoint
    app[method](pattern, async (context) =>
      framed(framing, context, { pattern, operation }, () => {
        return answerTo(endpoint, context, { runtime, authenticate, rules })
      }),
    )
  }
  for (const [pattern, allow] of allowedMethods(ENDPOINTS)) {
    app.all(pattern, async (context) =>
      framed(framing, context, { pattern, operation: null }, async () => {
        await sessionOf(authenticate, context.req.raw)
        throw new MethodNotAllowed(allow)
      }),
    )
  }
  const unknown = { pattern: '/*', operation: null }
  app.all('/v1/*', async (context) =>
    framed(framing, context, unknown, async () => {
      await sessionOf(authenticate, context.req.raw)
      throw new UnknownPath()
    }),
  )
  app.notFound(async (context) =>
    framed(framing, context, unknown, () => {
      throw new UnknownPath()
    }),
  )
  return app
}

interface Answering {
  readonly runtime: ProposalRuntime
  readonly authenticate: Authenticate
  readonly rules: ReadingRules
}

// Who calls comes first; then what was sent, which tells nothing of what is stored; then the operation.
async function answerTo(
  endpoint: Endpoint,
  context: Context,
  { runtime, authenticate, rules }: Answering,
): Promise<Framed> {
  const { raw: request } = context.req
  const session = await sessionOf(authenticate, request)
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
function allowedMethods(endpoints: readonly Endpoint[]): ReadonlyMap<string, readonly string[]> {
  const byPath = Map.groupBy(endpoints, ({ path }) => path)
  return new Map(
    [...byPath].map(([path, ones]) => [
      path,
      ones.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : ['POST'])),
    ]),
  )
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
