// One exchange with the server: a request sent once, and what can be said about it afterwards.
import { MalformedAnswer } from './client-errors.ts'

/** A request of the API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** Below the base address, with its query. */
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** How requests leave. */
export interface Wire {
  readonly base: string
  readonly token: () => string | Promise<string>
  readonly fetch: (request: Request) => Promise<Response>
}

/** `unsent`: it has not left. `lost`: it may have been received and acted on; nobody knows. */
export type Exchange =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: Headers; readonly body: unknown }
  | { readonly kind: 'unsent' | 'lost'; readonly cause: unknown; readonly retryAfter: string | null }

/** Visible characters: anything else could end the header that the token stands in. */
const TOKEN = /^[!-~]+$/

/**
 * Sends once. A redirect is not followed: the credentials are for this server alone.
 * @throws MalformedAnswer for what is no answer of this API, TypeError for a token that is none, and whatever the caller's
 * signal is aborted with
 */
export async function exchange(wire: Wire, request: ApiRequest): Promise<Exchange> {
  const sent = await requestOf(wire, request)
  try {
    const response = await wire.fetch(sent)
    return await answerOf(response)
  } catch (error) {
    if (error instanceof MalformedAnswer) throw error
    request.signal?.throwIfAborted()
    return { kind: isUnsent(error) ? 'unsent' : 'lost', cause: error, retryAfter: null }
  }
}

async function requestOf({ base, token }: Wire, request: ApiRequest): Promise<Request> {
  const given = await token()
  if (typeof given !== 'string' || !TOKEN.test(given)) throw new TypeError('The token must be of visible characters.')
  const timeout = AbortSignal.timeout(request.timeoutMs)
  return new Request(`${base}${request.path}`, {
    method: request.method,
    headers: {
      Accept: 'application/json, application/problem+json',
      Authorization: `Bearer ${given}`,
      ...(request.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...request.headers,
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body, finite) }),
    redirect: 'manual',
    signal: request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]),
  })
}

// JSON would turn these into null without a word, and null may mean something else.
function finite(_name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('A number that is sent must be finite.')
  return value
}

async function answerOf(response: Response): Promise<Exchange> {
  const { status, headers } = response
  // A browser hides the status of a redirect that it did not follow.
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await discard(response)
    throw new MalformedAnswer(status, 'The server answered with a redirect, which is not followed.')
  }
  if (isOurs(response)) {
    const body = parsed(await response.text())
    if (body !== undefined) return { kind: 'answered', status, headers, body }
  } else {
    await discard(response)
  }
  // Something between us and the server speaks: whether the server was reached, nobody says. A success that cannot be
  // read is an answer that is lost.
  if (status >= 500 || status < 300 || status === 408 || status === 429) {
    const cause = new MalformedAnswer(status, `The answer, of status ${status}, is no JSON of this API.`)
    return { kind: 'lost', cause, retryAfter: headers.get('Retry-After') }
  }
  throw new MalformedAnswer(status, `The answer, of status ${status}, is no JSON of this API.`)
}

// Outcomes are `application/json` also where they are a conflict; every problem has its own media type.
function isOurs({ status, headers }: Response): boolean {
  const mediaType = (headers.get('Content-Type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType === 'application/json') return status < 300 || status === 409
  return mediaType === 'application/problem+json' && status >= 400
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// The connection is free again only when its answer is done with.
async function discard({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => {})
}

/** What fails before there is a connection. Where nothing is said, as in a browser, the request may have left. */
const BEFORE_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function isUnsent(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && BEFORE_CONNECTED.has(cause.code)) return true
  }
  return false
}
