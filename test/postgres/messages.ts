// The messages of PostgreSQL's protocol, cut out of a stream of bytes.

/** One message, as whoever sent it meant it. */
export interface Message {
  /** The letter of its type; of the messages that come before a session `startup`, which carry none. */
  readonly type: string
  readonly bytes: Buffer
}

const HEADER_BYTES = 5
const STARTUP_HEADER_BYTES = 4

/** Reads messages from chunks that end anywhere. Those of a client begin with one that has no type. */
export class Messages {
  #held: Buffer = Buffer.alloc(0)
  #isStarted: boolean

  constructor(from: 'client' | 'server') {
    this.#isStarted = from === 'server'
  }

  /** The messages that are complete with this chunk. */
  read(chunk: Buffer): readonly Message[] {
    this.#held = Buffer.concat([this.#held, chunk])
    const messages: Message[] = []
    for (let next = this.#next(); next !== null; next = this.#next()) messages.push(next)
    return messages
  }

  #next(): Message | null {
    const header = this.#isStarted ? HEADER_BYTES : STARTUP_HEADER_BYTES
    if (this.#held.length < header) return null
    // The length counts itself and what follows, and not the type.
    const length = this.#held.readUInt32BE(header - 4) + header - 4
    if (this.#held.length < length) return null
    const type = this.#isStarted ? String.fromCodePoint(this.#held.readUInt8(0)) : 'startup'
    const bytes = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    this.#isStarted = true
    return { type, bytes }
  }
}

/** The SQL of a message of a client: of a simple query, or of one to be parsed; null in all others. */
export function sqlOf({ type, bytes }: Message): string | null {
  if (type === 'Q') return bytes.toString('utf8', HEADER_BYTES, bytes.length - 1)
  if (type !== 'P') return null
  const nameEnd = bytes.indexOf(0, HEADER_BYTES)
  return bytes.toString('utf8', nameEnd + 1, bytes.indexOf(0, nameEnd + 1))
}

/** What a message of a server says was done, such as `COMMIT`; null in all others. */
export function tagOf({ type, bytes }: Message): string | null {
  return type === 'C' ? bytes.toString('utf8', HEADER_BYTES, bytes.length - 1) : null
}

/** Whether the server answers to a message at once: a query, the end of a batch, or a step of signing in. */
export function isAnswered({ type }: Message): boolean {
  return type === 'Q' || type === 'S' || type === 'p' || type === 'startup'
}
