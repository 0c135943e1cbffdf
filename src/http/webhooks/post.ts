// One POST to one address that was checked: no redirect is followed, no connection is kept, and hardly anything is read.
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'

/** What is sent, and where to. */
export interface Post {
  readonly url: URL
  /** An address of the URL's host: the connection goes there and nowhere else, whatever the name means by then. */
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** What is known of the answer. */
export interface PostAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
}

/** Nobody looks at the body of an answer; a short one is taken so that its sender is not cut off. */
const BODY_BYTES_MAX = 16_384
const HEADER_BYTES_MAX = 16_384

/** @throws whatever keeps the status of an answer from being known. */
export async function post({ url, address, headers, body, signal }: Post): Promise<PostAnswer> {
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replaceAll(/^\[|\]$/gu, '')
  const options = {
    method: 'POST',
    host: address,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    headers: { ...headers, host: url.host, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
    agent: false as const,
    maxHeaderSize: HEADER_BYTES_MAX,
    signal,
    // The certificate is that of the name, not of the address.
    ...(isSecure && isIP(host) === 0 ? { servername: host } : {}),
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = isSecure ? requestHttps(options) : requestHttp(options)
  request.once('response', resolve)
  request.on('error', reject)
  // An answer that only asks for another protocol is none.
  request.once('upgrade', (_answer, socket) => {
    socket.destroy()
    reject(new Error('The receiver answered with an upgrade.'))
  })
  request.end(body)
  const answer = await promise
  await readShort(answer)
  return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] }
}

// The status is what counts: that the rest does not come, or never ends, changes nothing.
async function readShort(answer: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > BODY_BYTES_MAX) break
    }
  } catch {
    // Cut off by whoever sent it, or by the time limit.
  } finally {
    answer.destroy()
  }
}
