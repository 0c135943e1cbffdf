// A gate before an HTTP target: counts the writes that come through, lets another writer in between, and loses what it is told to.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** How a gate is set up. */
export interface HttpGateOptions {
  /** Which requests write; all but GET and HEAD if not given. */
  readonly isWrite?: (method: string, path: string) => boolean
  /** Added as the member `privateNote` to every JSON object that the target answers: a secret, seeded. */
  readonly privateNote?: string
}

/** What the next request meets: it is lost before the target, its answer is, or the answer ends in the middle. */
export type GateFault = 'drop_request' | 'drop_answer' | 'truncate_answer'

/**
 * A running gate. Hand its `url` to the adapter under test and the target's own to nobody else but the test.
 *
 * ```ts
 * const gate = await startHttpGate('http://127.0.0.1:4010')
 * const action = new RefundAction(gate.url)
 * ```
 */
export interface HttpGate {
  readonly url: string
  /** How many writes were seen, also those that were lost. */
  writes(): number
  /** Lets `act` happen once when the next write has come and before the target gets it; null forgets it. */
  beforeNextWrite(act: (() => Promise<void>) | null): void
  /** The next write, or the next read, meets the fault. */
  fault(meets: 'write' | 'read', fault: GateFault): void
  /** Every connection is broken, until `restore`. */
  cut(): void
  restore(): void
  close(): Promise<void>
}

/** Starts a gate on a free port of 127.0.0.1. Spec: harness 3. */
export async function startHttpGate(target: string, options: HttpGateOptions = {}): Promise<HttpGate> {
  const gate = new Gate(target, options)
  await gate.listen()
  return gate
}

class Gate implements HttpGate {
  readonly #target: string
  readonly #options: HttpGateOptions
  readonly #server: Server
  readonly #faults: Record<'write' | 'read', GateFault[]> = { write: [], read: [] }
  #writes = 0
  #isCut = false
  #beforeWrite: (() => Promise<void>) | null = null

  constructor(target: string, options: HttpGateOptions) {
    this.#target = target
    this.#options = options
    this.#server = createServer((request, response) => {
      // Whatever goes wrong on the way to the target is a broken connection to the adapter.
      this.#pass(request, response).catch(() => response.destroy())
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#server.unref()
  }

  writes(): number {
    return this.#writes
  }

  beforeNextWrite(act: (() => Promise<void>) | null): void {
    this.#beforeWrite = act
  }

  fault(meets: 'write' | 'read', fault: GateFault): void {
    this.#faults[meets].push(fault)
  }

  cut(): void {
    this.#isCut = true
  }

  restore(): void {
    this.#isCut = false
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = request
    const body = await bodyOf(request)
    const isWrite = this.#options.isWrite?.(method, path) ?? (method !== 'GET' && method !== 'HEAD')
    if (isWrite) await this.#meetWrite()
    if (this.#isCut) return void response.destroy()
    const fault = this.#faults[isWrite ? 'write' : 'read'].shift()
    if (fault === 'drop_request') return void response.destroy()
    const answer = await fetch(new URL(path, this.#target), {
      method,
      headers: headersOf(request),
      body: body.length === 0 ? null : body,
    })
    const text = this.#withNote(await answer.text())
    if (fault === 'drop_answer') return void response.destroy()
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
      connection: 'close',
    })
    response.end(fault === 'truncate_answer' ? text.slice(0, Math.floor(text.length / 2)) : text)
  }

  async #meetWrite(): Promise<void> {
    this.#writes += 1
    const act = this.#beforeWrite
    this.#beforeWrite = null
    await act?.()
  }

  #withNote(text: string): string {
    const { privateNote } = this.#options
    if (privateNote === undefined || !text.startsWith('{')) return text
    return JSON.stringify({ ...(JSON.parse(text) as object), privateNote })
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** What belongs to the request, without what belongs to this connection. */
function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'].includes(name)) continue
    headers.set(name, Array.isArray(value) ? value.join(', ') : (value ?? ''))
  }
  return headers
}
