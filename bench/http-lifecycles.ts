// Lifecycles over loopback: the client's side of it.
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { transferNamed } from './lifecycles.ts'
import type { Loop } from './loop.ts'
import { Child } from './servers/child.ts'
import { BASES, TOKENS } from './servers/http-places.ts'

type Base = keyof typeof BASES
type Caller = keyof typeof TOKENS
type Json = Readonly<Record<string, unknown>>

/** A server in a process of its own, on a new SQLite file. */
export interface HttpServer {
  /** What is done by requests, at one of the two apps. */
  at(base: Base): Requests
  readonly cpuMs: () => Promise<number>
  /** Bytes that the process has in memory. */
  memory(): Promise<number>
  /** @throws AssertionError unless the effects of so many lifecycles happened, each exactly once */
  assertBooked(lifecycles: number): Promise<void>
  close(): Promise<void>
}

export interface Requests {
  readonly prepare: () => Promise<Json>
  readonly read: (proposal: string) => Promise<Json>
  /** Four requests: until it is verified. */
  readonly lifecycle: () => Promise<void>
}

export async function httpServer(file: string): Promise<HttpServer> {
  const { child, ready } = await Child.start('./http-server.ts', [file])
  const agent = new Agent({ keepAlive: true })
  return {
    at: (base) => requestsTo(Number(ready), agent, BASES[base]),
    cpuMs: async () => Number(await child.ask('cpu')),
    memory: async () => Number(await child.ask('memory')),
    async assertBooked(lifecycles) {
      assert.equal(await child.ask('booked'), lifecycles)
    },
    async close() {
      agent.destroy()
      await child.end()
    },
  }
}

/** Whole lifecycles over HTTP; the server is closed with them. */
export function httpLifecycles(server: HttpServer): Loop {
  const requests = server.at('countersign')
  let done = 0
  return {
    async run() {
      await requests.lifecycle()
      done += 1
    },
    assertOnce: () => server.assertBooked(done),
    close: () => server.close(),
  }
}

function requestsTo(port: number, agent: Agent, base: string): Requests {
  const ask = async (by: Caller, path: string, body?: unknown): Promise<Json> => {
    const headers = { Authorization: `Bearer ${TOKENS[by]}`, 'Content-Type': 'application/json' }
    const method = body === undefined ? 'GET' : 'POST'
    const { promise, resolve, reject } = Promise.withResolvers<Json>()
    const sent = request({ host: '127.0.0.1', port, path: base + path, method, agent, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if ((answer.statusCode ?? 0) < 300) resolve(JSON.parse(text) as Json)
        else reject(new Error(`${path} was answered ${answer.statusCode}: ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    return promise
  }
  const prepare = async (): Promise<Json> => {
    return ask('support', '/v1/proposals', transferNamed(`transfer ${crypto.randomUUID()}`))
  }
  return {
    prepare,
    read: (proposal) => ask('support', `/v1/proposals/${proposal}`),
    async lifecycle() {
      const { proposal, commitment } = await prepare()
      const at = `/v1/proposals/${String(proposal)}`
      await ask('finance', `${at}/approve`, { commitment })
      await ask('support', `${at}/execute`, {})
      const { outcome } = await ask('support', `${at}/reconcile`, { now: true })
      assert.equal(outcome, 'verified')
    },
  }
}
