// One HTTP request on a connection of its own: it says before the first byte leaves, and can prove that none did.
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { NotSent } from '../proposal/action.ts'

/** What is sent. */
export interface SendOnceOptions {
  /** Default `POST`. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
  /** Of the executor's call. It is called once, when the connection stands and before the request is written to it. */
  readonly markSending?: () => void
  /** The largest answer that is read, in bytes. Default 1 MiB. */
  readonly answerBytesMax?: number
}

const ANSWER_BYTES_MAX = 1_048_576
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * Sends one request and answers what came back, whatever its status. Nothing is sent twice, no redirect is followed, no
 * connection is reused. Spec: rules R4, harness 4 b.
 *
 * ```ts
 * async execute({ snapshot, idempotencyKey, signal, markSending }) {
 *   const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
 *   const answer = await sendOnce(url, { headers, body: JSON.stringify(snapshot), signal, markSending })
 * ```
 *
 * @throws NotSent if nothing of the request left this process: no such host, no connection, no secure one, a signal that
 * fired before it stood. Whatever else it throws says nothing about what happened at the other end.
 */
export async function sendOnce(url: string | URL, options: SendOnceOptions = {}): Promise<Response> {
  const target = new URL(url)
  const isSecure = target.protocol === 'https:'
  if (!isSecure && target.protocol !== 'http:') throw new TypeError('sendOnce speaks http and https')
  const { method = 'POST', headers = {}, body, signal, markSending, answerBytesMax = ANSWER_BYTES_MAX } = options
  const connection = { method, headers, agent: false as const, ...(signal === undefined ? {} : { signal }) }
  const request = isSecure ? requestHttps(target, connection) : requestHttp(target, connection)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  let isSending = false
  request.once('response', resolve)
  request.once('error', (error) => reject(isSending ? error : new NotSent('not_connected', { cause: error })))
  request.once('socket', (socket) => {
    // Nothing is written to a request that has not ended: neither its head nor its body.
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      isSending = true
      markSending?.()
      request.end(body)
    })
  })
  const answer = await promise
  return responseOf(answer, await readAll(answer, answerBytesMax))
}

async function readAll(answer: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new RangeError(`The answer has more than ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function responseOf({ statusCode = 0, headersDistinct }: IncomingMessage, bytes: Buffer): Response {
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Response(NO_BODY.has(statusCode) ? null : new Uint8Array(bytes), { status: statusCode, headers })
}
