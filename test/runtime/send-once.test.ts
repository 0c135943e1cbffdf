// Sending once: when a request provably never left, when it may have, and that it is never sent again by itself.
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Executed, NotSent } from '../../src/proposal/action.ts'
import { sendOnce, type SendOnceOptions } from '../../src/runtime/send-once.ts'
import { openExecution } from './execution-world.ts'
import type { Refund } from './refund.ts'

interface Sending {
  readonly answer: Response | null
  readonly error: unknown
  /** How often the request said that it was about to leave. */
  readonly marks: number
}

describe('a request that gets an answer', () => {
  it('said before it left that it was leaving, and brings the answer whatever its status', async () => {
    const seen: string[] = []
    let marks = 0
    const url = await serve((request, response) => {
      seen.push(`${request.method} ${String(request.headers['idempotency-key'])} marks ${marks}`)
      request.on('data', (chunk: Buffer) => seen.push(chunk.toString()))
      request.on('end', () => response.writeHead(422, { 'content-type': 'text/plain' }).end('no'))
    })

    const answer = await sendOnce(url, {
      body: 'refund',
      headers: { 'idempotency-key': 'ik_1' },
      markSending: () => {
        marks += 1
      },
    })

    expect(seen).toEqual(['POST ik_1 marks 1', 'refund'])
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([422, 'text/plain', 'no'])
  })

  it('follows no redirect', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests += 1
      response.writeHead(307, { location: '/again' }).end()
    })

    const { answer } = await send(url)

    expect([answer?.status, requests]).toEqual([307, 1])
  })

  it('has no body where there can be none', async () => {
    const url = await serve((_, response) => response.writeHead(204).end())

    const { answer } = await send(url, { method: 'DELETE' })

    expect([answer?.status, answer?.body]).toEqual([204, null])
  })
})

describe('case C017 a request that never left', () => {
  it('met nobody at the port', async () => {
    const url = await serve(() => {})
    await close(url)

    expect(await send(url)).toMatchObject({ error: expectNotSent, marks: 0 })
  })

  it('has a host that does not exist', async () => {
    expect(await send('http://nobody.invalid/')).toMatchObject({ error: expectNotSent, marks: 0 })
  })

  it('met somebody who does not speak TLS', async () => {
    const port = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))

    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ error: expectNotSent, marks: 0 })
  })

  it('was given up before there was a connection', async () => {
    const url = await serve((_, response) => response.end())

    expect(await send(url, { signal: AbortSignal.abort() })).toMatchObject({ error: expectNotSent, marks: 0 })
  })
})

describe('a request that may have arrived', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['whose connection breaks before an answer', (socket) => socket.destroy()],
    ['whose answer is nonsense', (socket) => socket.end('nonsense\r\n\r\n')],
    ['whose answer is cut short', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n123')],
  ])('is one %s', async (_, answer) => {
    let requests = 0
    const port = await listen((socket) => {
      socket.once('data', () => {
        requests += 1
        answer(socket)
      })
    })

    const { error, marks } = await send(`http://127.0.0.1:${port}/`)

    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(NotSent)
    expect([marks, requests]).toEqual([1, 1])
  })

  it('is one that is given up while it waits', async () => {
    const abort = new AbortController()
    const url = await serve(() => abort.abort())

    const { error, marks } = await send(url, { signal: abort.signal })

    expect(error).not.toBeInstanceOf(NotSent)
    expect(marks).toBe(1)
  })

  it('is one whose answer is larger than it may be', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(100)))

    const { error } = await send(url, { answerBytesMax: 99 })

    expect(error).toBeInstanceOf(RangeError)
  })
})

describe('an executor that sends once', () => {
  it('to nobody: the attempt was never sent, and the proposal is approved as before', async () => {
    const url = await serve(() => {})
    await close(url)
    const world = await openExecution({ store: 'memory' })
    world.action.methods.execute = async ({ markSending, signal }) =>
      executed(await sendOnce(url, { markSending, signal }))
    const proposal = await world.approved('sent to nobody')

    const { status } = await world.execute(proposal)

    expect(status).toBe('approved')
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({ kind: 'not_sent', evidence: 'FAILED' })
  })

  it('to somebody who hangs up: it is not known what happened', async () => {
    const url = await serve((request) => request.socket.destroy())
    const world = await openExecution({ store: 'memory' })
    world.action.methods.execute = async ({ markSending, signal }) =>
      executed(await sendOnce(url, { markSending, signal }))
    const proposal = await world.approved('sent to somebody')

    const { status } = await world.execute(proposal)

    expect(status).toBe('failed_unknown')
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({ evidence: 'UNKNOWN' })
  })
})

it('only http and https are spoken', async () => {
  expect((await send('ftp://127.0.0.1/')).error).toBeInstanceOf(TypeError)
})

function executed(answer: Response): Executed<Refund> {
  return answer.ok ? { status: 'accepted' } : { status: 'failed_unknown', reason: 'odd_answer' }
}

const expectNotSent: unknown = expect.any(NotSent)
const servers = new Map<string, Server>()

async function send(url: string, options: SendOnceOptions = {}): Promise<Sending> {
  let marks = 0
  const markSending = (): void => {
    marks += 1
  }
  try {
    const answer = await sendOnce(url, { body: 'refund', ...options, markSending })
    return { answer, error: null, marks }
  } catch (error) {
    return { answer: null, error, marks }
  }
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createHttpServer(answer)
  const port = await opened(server)
  servers.set(`http://127.0.0.1:${port}/`, server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${port}/`
}

async function listen(connected: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    connected(socket)
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return opened(server)
}

async function opened(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function close(url: string): Promise<void> {
  const server = servers.get(url)
  if (server === undefined) throw new Error('there is no such server')
  server.close()
  await once(server, 'close')
}
