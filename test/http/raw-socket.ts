// A server on a real socket with the limits that are shipped, and a client that writes whatever bytes it likes.
import { once } from 'node:events'
import type { Server, ServerOptions } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { onTestFinished } from 'vitest'
import { type AppOptions, serverLimits, serverProperties } from '../../src/http.ts'
import { requester } from '../runtime/sessions.ts'
import { validated } from './validated-app.ts'
import { type HttpWorld, openHttp, tokenOf } from './world.ts'

/** A response as it came over the socket. */
export interface RawResponse {
  readonly status: number
  readonly head: string
  readonly body: string
}

export interface RawServer {
  readonly world: HttpWorld
  readonly port: number
  /** Opens a connection; what it receives is collected until the server closes it. */
  open(): RawConnection
  /** Writes all of it and reads until the server closes the connection. */
  exchange(...bytes: readonly (string | Uint8Array)[]): Promise<readonly RawResponse[]>
  /** How many proposals there are. */
  proposals(): Promise<number>
}

export interface RawConnection {
  readonly socket: Socket
  /** Everything that was received, once the server has closed the connection. */
  received(): Promise<readonly RawResponse[]>
  /** Resolves when so many responses have begun. */
  begun(count: number): Promise<void>
}

export interface RawServerOptions {
  /** Whether the adapter puts its own Request and Response in the place of Node's, as it does by default. */
  readonly overrideGlobalObjects?: boolean
  readonly limits?: Partial<ServerOptions>
  readonly app?: Partial<AppOptions>
}

/** Opens a world in memory behind a server on a free port of the loopback address, until the test is over. */
export async function openRawServer(options: RawServerOptions = {}): Promise<RawServer> {
  const world = await openHttp({ store: 'memory', app: options.app ?? {} })
  const server = createAdaptorServer({
    fetch: validated(world.app),
    overrideGlobalObjects: options.overrideGlobalObjects ?? false,
    serverOptions: { ...serverLimits, ...options.limits },
  }) as Server
  Object.assign(server, serverProperties)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const open = (): RawConnection => openConnection(port)
  return {
    world,
    port,
    open,
    async exchange(...bytes) {
      const connection = open()
      for (const piece of bytes) connection.socket.write(piece)
      return connection.received()
    },
    async proposals() {
      const { json } = await world.get(requester, '/v1/proposals')
      return (json['items'] as readonly unknown[]).length
    },
  }
}

function openConnection(port: number): RawConnection {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  // A server that refuses to read on may reset the connection; what was received before counts.
  socket.on('error', () => socket.destroy())
  const closed = new Promise<void>((resolve) => {
    socket.once('end', resolve)
    socket.once('close', () => resolve())
  })
  return {
    socket,
    async received() {
      await closed
      socket.destroy()
      return responsesOf(text)
    },
    async begun(count) {
      while (text.split('HTTP/1.1 ').length <= count) await once(socket, 'data')
    },
  }
}

/** Splits a stream of responses by the lengths or chunks that they announce. */
function responsesOf(text: string): readonly RawResponse[] {
  const responses: RawResponse[] = []
  let rest = text
  while (rest !== '') {
    const [head, after] = splitAt(rest, '\r\n\r\n')
    const { body, next } = /^transfer-encoding: chunked$/im.test(head) ? chunkedBody(after) : sizedBody(head, after)
    responses.push({ status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]), head, body })
    rest = next
  }
  return responses
}

function sizedBody(head: string, after: string): { body: string; next: string } {
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
  return { body: after.slice(0, length), next: after.slice(length) }
}

function chunkedBody(after: string): { body: string; next: string } {
  let body = ''
  let rest = after
  for (;;) {
    const [size, chunk] = splitAt(rest, '\r\n')
    const length = Number.parseInt(size, 16)
    body += chunk.slice(0, length)
    rest = chunk.slice(length + 2)
    if (!(length > 0)) return { body, next: rest }
  }
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)]
}

/** The lines of headers of a request that prepares, without those that say how long its body is. */
export const AUTHORIZED = `Host: localhost\r\nAuthorization: Bearer ${tokenOf(requester)}\r\n`

/** A whole request. Header lines end in CRLF. */
export function requestText(line: string, headerLines: string, body = ''): string {
  return `${line} HTTP/1.1\r\n${headerLines}\r\n${body}`
}

/** A request that would prepare a proposal, closing its connection, with more header lines if they are named. */
export function preparing(world: HttpWorld, more = '', close = true): string {
  const body = JSON.stringify(world.input())
  const lines = `${AUTHORIZED}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}`
  return requestText('POST /v1/proposals', `${lines}${close ? 'Connection: close\r\n' : ''}`, body)
}
