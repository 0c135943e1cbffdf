// A proxy between client and server that loses a request, its answer, or half of it, as it is told, and counts what passes.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * `before`: received and thrown away. `after`: carried out, its answer thrown away. `within`: the answer ends half way.
 */
export type Fault = 'before' | 'after' | 'within'

export interface FaultyProxy {
  readonly url: string
  /** Meets the next requests, one each; then everything passes. */
  readonly faults: Fault[]
  /** What was received, as `METHOD path`. */
  readonly seen: string[]
  /** Cuts every connection that is open now. */
  cut(): void
}

/** Starts one in front of a server on loopback; it ends with the test. */
export async function faultyProxy(upstream: string): Promise<FaultyProxy> {
  const faults: Fault[] = []
  const seen: string[] = []
  const server = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`)
    pass(upstream, incoming, outgoing, faults.shift() ?? null)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, faults, seen, cut: () => server.closeAllConnections() }
}

function pass(upstream: string, incoming: IncomingMessage, outgoing: ServerResponse, fault: Fault | null): void {
  const body: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => body.push(chunk))
  incoming.on('end', () => {
    if (fault === 'before') {
      incoming.socket.destroy()
      return
    }
    const forwarded = request(`${upstream}${incoming.url ?? ''}`, {
      method: incoming.method,
      headers: incoming.headers,
    })
    forwarded.on('response', (answer) => {
      answerWith(answer, incoming, outgoing, fault)
    })
    forwarded.end(Buffer.concat(body))
  })
}

// The answer is received whole before it is lost: what was asked for is done by then.
function answerWith(
  answer: IncomingMessage,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: Exclude<Fault, 'before'> | null,
): void {
  const body: Buffer[] = []
  answer.on('data', (chunk: Buffer) => body.push(chunk))
  answer.on('end', () => {
    const whole = Buffer.concat(body)
    if (fault === 'after') {
      incoming.socket.destroy()
      return
    }
    const { 'transfer-encoding': _chunks, ...headers } = answer.headers
    outgoing.writeHead(answer.statusCode ?? 0, { ...headers, 'content-length': String(whole.length) })
    if (fault === null) {
      outgoing.end(whole)
      return
    }
    outgoing.write(whole.subarray(0, Math.floor(whole.length / 2)), () => incoming.socket.destroy())
  })
}
