// The business system as an HTTP server: reads a request whole, answers it in one transaction, writes the answer out.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { businessRoutes } from './business-routes.ts'
import { controlRoutes } from './control-routes.ts'
import { payablesRoutes } from './payables-routes.ts'
import { problem, type Reply } from './reply.ts'
import { recordRequest } from './request-log.ts'
import type { IncomingRequest, World } from './route.ts'

const bodyBytesMax = 64 * 1_024
const routes = [...businessRoutes, ...payablesRoutes, ...controlRoutes]

/** Not listening yet. */
export function createBusinessServer(world: World): Server {
  return createServer((message, response) => {
    serve(world, message, response).catch((error: unknown) => {
      console.error('business system:', error instanceof Error ? error.message : error)
      write(problem('internal_error'), response)
    })
  })
}

async function serve(world: World, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const read = await readRequest(message)
  if (read.kind === 'gone') return
  write(read.kind === 'request' ? handle(world, read.request) : read.reply, response)
}

/**
 * One transaction from the log entry to the booking, begun as a writer: between the look at the versions and the
 * booking nobody else can write. The reply is acted on after the commit.
 */
function handle(world: World, request: IncomingRequest): Reply {
  return world.database
    .transaction(() => {
      if (!request.url.pathname.startsWith('/_')) record(world, request)
      return route(world, request)
    })
    .immediate()
}

function record({ database, clock }: World, request: IncomingRequest): void {
  const { method, url, idempotencyKey, precondition, body } = request
  recordRequest(database, {
    at: clock.now(),
    method,
    path: url.pathname + url.search,
    idempotencyKey,
    precondition,
    body,
  })
}

function route(world: World, request: IncomingRequest): Reply {
  const atPath = routes.filter(({ path }) => isAt(path, request.url.pathname))
  if (atPath.length === 0) return problem('not_found')
  const taken = atPath.find(({ method }) => method === request.method)
  if (taken !== undefined) return taken.answer(request, world)
  return { ...problem('method_not_allowed'), headers: { allow: atPath.map(({ method }) => method).join(', ') } }
}

/** A last segment that begins with a colon stands for any one segment. */
function isAt(path: string, pathname: string): boolean {
  const open = path.indexOf(':')
  if (open === -1) return path === pathname
  return pathname.startsWith(path.slice(0, open)) && !pathname.slice(open).includes('/')
}

type Read =
  | { readonly kind: 'request'; readonly request: IncomingRequest }
  | { readonly kind: 'unreadable'; readonly reply: Reply }
  /** The client left before its request was whole; nothing has been seen. */
  | { readonly kind: 'gone' }

async function readRequest(message: IncomingMessage): Promise<Read> {
  const url = URL.parse(message.url ?? '', 'http://business-system')
  if (url === null) return { kind: 'unreadable', reply: problem('malformed_request', 'the path is not a URL path') }
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    // What is too much is read to its end and thrown away: leaving the loop would break the connection.
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) chunks.push(chunk)
    }
  } catch {
    return { kind: 'gone' }
  }
  if (bytes > bodyBytesMax) return { kind: 'unreadable', reply: problem('body_too_large') }
  return {
    kind: 'request',
    request: {
      method: message.method ?? '',
      url,
      idempotencyKey: header(message, 'idempotency-key'),
      precondition: header(message, 'if-match'),
      body: parseBody(Buffer.concat(chunks).toString('utf8')),
    },
  }
}

function header(message: IncomingMessage, name: string): string | null {
  return message.headersDistinct[name]?.join(', ') ?? null
}

function parseBody(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function write(reply: Reply, response: ServerResponse): void {
  switch (reply.kind) {
    case 'drop':
      response.destroy()
      break
    case 'silence':
      break
    case 'answer':
      // Every answer ends its connection, so that no later request can fall on one that is just being closed.
      response.writeHead(reply.status, {
        'content-type': reply.status < 400 ? 'application/json' : 'application/problem+json',
        connection: 'close',
        ...reply.headers,
      })
      response.end(JSON.stringify(reply.body))
  }
}
