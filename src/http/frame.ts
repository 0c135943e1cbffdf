// The frame of every answer: a request id, errors as problems, the headers that all have, one line in the log, one figure.
import type { Context } from 'hono'
import type { Logger } from '../runtime/ports.ts'
import type { ProposalRuntime } from '../runtime/runtime.ts'
import { logAccess } from './operations/access-log.ts'
import type { Meters } from './operations/meters.ts'
import { errorFields } from './wire/error-fields.ts'
import { type HttpProblem, problemOf, problemResponse } from './wire/problem.ts'
import { requestId } from './wire/request-id.ts'
import { securityHeaders } from './wire/security-headers.ts'

/** What answering needs, whatever is answered. */
export interface Framing {
  readonly runtime: ProposalRuntime
  readonly logger: Logger
  readonly meters: Meters | null
  readonly onInternalError: OnInternalError | undefined
  /** In place of problem+json, where it is people who read it. */
  readonly asResponse?: (problem: HttpProblem) => Promise<Response>
}

/** Receives what was thrown and is no refusal, with the id of its request. Nothing of it is answered or logged. */
export type OnInternalError = (error: unknown, request: { readonly requestId: string }) => void

/** A response, and in one word what became of the operation, if there was one. */
export interface Framed {
  readonly response: Response
  readonly outcome?: string
}

/** Where a request goes: its pattern, and the operation, as far as there is one. */
export interface Route {
  readonly pattern: string
  readonly operation: string | null
}

/** Answers within the frame. Whatever is thrown becomes a problem; nothing is thrown here. */
export async function framed(
  framing: Framing,
  context: Context,
  route: Route,
  answer: () => Framed | Promise<Framed>,
): Promise<Response> {
  const { runtime, meters } = framing
  const { clock } = runtime
  const began = clock.monotonic()
  const { raw: request } = context.req
  const id = requestId(request.headers, () => runtime.ids.token())
  const { response, outcome } = await answered(framing, { request, id, route }, answer)
  const headers = new Headers(securityHeaders())
  // Set and not joined: of two policies a browser obeys both.
  for (const [name, value] of response.headers) headers.set(name, value)
  headers.set('X-Request-Id', id)
  const complete = new Response(response.body, { status: response.status, headers })
  const line = { method: methodOf(request), route: route.pattern, status: response.status }
  const durationMs = clock.monotonic() - began
  logAccess(framing.logger, { ...line, durationMs, requestId: id })
  meters?.request({ ...line, operation: route.operation, outcome: outcome ?? null, durationMs })
  return complete
}

async function answered(
  framing: Framing,
  { request, id, route }: { readonly request: Request; readonly id: string; readonly route: Route },
  answer: () => Framed | Promise<Framed>,
): Promise<Framed> {
  try {
    return await answer()
  } catch (error) {
    const problem = problemOf(error, id, basePath(request, route))
    const { status, code } = problem.body
    if (status >= 500) logTrouble(framing.logger, { requestId: id, code, ...errorFields(error) })
    if (code === 'internal') tellHost(framing, error, id)
    const { asResponse } = framing
    return { response: asResponse === undefined ? problemResponse(problem) : await asResponse(problem), outcome: code }
  }
}

// A logger that throws does not stand in the way of an answer.
function logTrouble(logger: Logger, fields: Parameters<Logger['error']>[0]): void {
  try {
    logger.error(fields, 'a request could not be answered')
  } catch {
    // The answer is on its way, and there is nobody else to tell.
  }
}

// The host's function may throw, or reject later; neither can stand in the way of the answer.
function tellHost({ onInternalError }: Framing, error: unknown, id: string): void {
  new Promise<unknown>((resolve) => {
    resolve(onInternalError?.(error, { requestId: id }))
  }).catch(() => {})
}

/** Where the app is mounted: what stands in front of the route's own segments. */
export function basePath(request: Request, { pattern }: Pick<Route, 'pattern'>): string {
  const { pathname } = new URL(request.url)
  const base = pattern.endsWith('*') ? beforeStem(pathname, pattern.slice(0, -1)) : beforeRoute(pathname, pattern)
  // Two slashes would begin the address of another host.
  return base.startsWith('//') ? '' : base
}

function beforeRoute(path: string, pattern: string): string {
  const segments = path.split('/')
  return segments.slice(0, Math.max(1, segments.length - pattern.split('/').length + 1)).join('/')
}

// What a wildcard stands for has as many segments as the caller likes.
function beforeStem(path: string, stem: string): string {
  return path.slice(0, Math.max(0, path.indexOf(stem)))
}

// Methods that nobody knows are one in the log and in the figures: their number must not depend on who calls.
function methodOf({ method }: Request): string {
  return METHODS.has(method) ? method : 'OTHER'
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
