// A proxy before a PostgreSQL server that cuts, silences, delays and splits, message by message.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { isAnswered, type Message, Messages } from './messages.ts'

/**
 * What becomes of a message of a client. Cut `before`, the server never gets it; cut `after`, the server has done what it
 * says, and no word of that comes back; `torn`, the server gets half of its bytes. A silence is the same without an end: the
 * connection stays, and nothing passes any more in either direction.
 */
export const FATES = ['cut_before', 'cut_after', 'torn', 'silent_before', 'silent_after'] as const
export type Fate = (typeof FATES)[number] | 'pass'

/** What a proxy does; by default it passes everything. */
export interface ProxyOptions {
  /** Decides on every message of every client, in the order in which they come. */
  readonly decide?: (message: Message, connection: Connection) => Fate | Promise<Fate>
  /** Told of every message of the server before it is passed on. */
  readonly answered?: (message: Message, connection: Connection) => void | Promise<void>
  /** The pieces in which bytes are passed on; each is a packet of its own. */
  readonly pieces?: (bytes: Buffer) => readonly Buffer[]
  /** How many turns of the event loop each piece is held. */
  readonly turns?: () => number
}

/** A connection of a client through the proxy. */
export interface Connection {
  /** Counted from 1. */
  readonly number: number
  /** Ends it on both sides. */
  cut(): void
}

export interface CuttingProxy {
  /** The address of the server, through the proxy. */
  readonly url: string
  close(): Promise<void>
}

/** Opens a proxy before the server of an address. */
export async function cuttingProxy(url: string, options: ProxyOptions = {}): Promise<CuttingProxy> {
  const { hostname: host, port } = new URL(url)
  const relays = new Set<Relay>()
  let connections = 0
  const server = createServer({ allowHalfOpen: true }, (client) => {
    connections += 1
    const upstream = connect({ host, port: Number(port), noDelay: true })
    const relay: Relay = new Relay(client, upstream, options, { number: connections, cut: () => relay.end() })
    relays.add(relay)
    upstream.once('close', () => relays.delete(relay))
  })
  const address = new URL(url)
  address.port = String(await portOf(server))
  return {
    url: address.href,
    async close() {
      for (const relay of relays) relay.end()
      await once(server.close(), 'close')
    },
  }
}

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port is free')
  return address.port
}

/** Ready for the next query, a step of signing in, and an error. */
const ENDS_OF_ANSWERS: ReadonlySet<string> = new Set(['Z', 'R', 'E'])

class Relay {
  readonly #client: Socket
  readonly #upstream: Socket
  readonly #options: ProxyOptions
  readonly #connection: Connection
  /** Once cut or silent, nothing that the server says is passed on. */
  #isMuted = false
  #onMuted: () => void = () => {}

  constructor(client: Socket, upstream: Socket, options: ProxyOptions, connection: Connection) {
    this.#client = client
    this.#upstream = upstream
    this.#options = options
    this.#connection = connection
    client.setNoDelay(true)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    // Whoever goes first takes the other along; what was sent before still arrives.
    client.once('close', () => upstream.end())
    upstream.once('close', () => {
      if (!this.#isMuted) client.end()
      client.once('end', () => client.destroy())
    })
    const gone = (): void => this.end()
    this.#fromClient().catch(gone)
    this.#fromServer().catch(gone)
  }

  end(): void {
    this.#client.destroy()
    this.#upstream.destroy()
  }

  async #fromClient(): Promise<void> {
    const messages = new Messages('client')
    try {
      for await (const chunk of this.#client) {
        for (const message of messages.read(chunk as Buffer)) {
          if (this.#isMuted) continue
          await this.#meet(message, (await this.#options.decide?.(message, this.#connection)) ?? 'pass')
        }
      }
    } catch {
      // The client is gone.
    }
    this.#upstream.end()
  }

  async #meet(message: Message, fate: Fate): Promise<void> {
    if (fate === 'pass') {
      await this.#pass(this.#upstream, message.bytes)
      return
    }
    this.#isMuted = true
    if (fate === 'cut_after' || fate === 'silent_after') {
      const done = isAnswered(message) ? this.#answer() : null
      await this.#pass(this.#upstream, message.bytes)
      await done
    }
    if (fate === 'torn') await this.#pass(this.#upstream, message.bytes.subarray(0, message.bytes.length / 2))
    if (fate !== 'silent_before' && fate !== 'silent_after') this.#client.destroy()
  }

  /** Until the server has said something more, or is gone. */
  async #answer(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onMuted = resolve
      this.#upstream.once('close', resolve)
    })
  }

  async #fromServer(): Promise<void> {
    const messages = new Messages('server')
    try {
      for await (const chunk of this.#upstream) {
        for (const message of messages.read(chunk as Buffer)) await this.#hear(message)
      }
    } catch {
      // The server is gone.
    }
  }

  async #hear(message: Message): Promise<void> {
    if (!this.#isMuted) {
      await this.#options.answered?.(message, this.#connection)
      await this.#pass(this.#client, message.bytes)
    } else if (ENDS_OF_ANSWERS.has(message.type)) this.#onMuted()
  }

  async #pass(to: Socket, bytes: Buffer): Promise<void> {
    for (const piece of this.#options.pieces?.(bytes) ?? [bytes]) {
      for (let turns = this.#options.turns?.() ?? 0; turns > 0; turns -= 1) await setImmediate()
      if (to.destroyed || !to.writable) return
      if (!to.write(piece)) await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => {})
    }
  }
}
