// Counts on PostgreSQL: what passes between the store and the server, and how many transactions wrote.
import { postgresStore } from 'countersign/postgres'
import { cuttingProxy } from '../../test/postgres/cutting-proxy.ts'
import { type Message, tagOf } from '../../test/postgres/messages.ts'
import { lifecycles } from '../lifecycles.ts'
import { oneQuery } from '../postgres-place.ts'
import { inLanes } from './in-lanes.ts'
import { kindOf } from './statement-kind.ts'

/** What one lifecycle takes, on the average. */
export interface PostgresCounts {
  /** Transactions that wrote a change. */
  readonly commits: number
  /** Statements that read or write rows, as the server reports each. */
  readonly statements: number
  /** Statements that open and end transactions, and set something. */
  readonly control: number
  /** Times that the store waited for the server; what is sent before an answer has come is one. */
  readonly roundTrips: number
  /** Of the protocol, both ways. */
  readonly wireBytes: number
}

/** Runs lifecycles in a schema of a database, and counts from the moment at which every statement has run once. */
export async function postgresCounts(
  url: string,
  schema: string,
  inFlight: number,
  units: number,
): Promise<PostgresCounts> {
  const counter = new MessageCounter()
  const proxy = await cuttingProxy(url, {
    decide(message, { number }) {
      counter.sent(message, number)
      return 'pass'
    },
    answered: (message, { number }) => counter.answered(message, number),
  })
  const loop = await lifecycles(await postgresStore({ url: proxy.url, schema }))
  try {
    await inLanes(inFlight, inFlight, loop.run)
    const before = await writers(url, schema)
    counter.reset()
    await inLanes(units, inFlight, loop.run)
    const { statements, control, roundTrips, bytes } = counter
    await loop.assertOnce()
    return {
      commits: ((await writers(url, schema)) - before) / units,
      statements: statements / units,
      control: control / units,
      roundTrips: roundTrips / units,
      wireBytes: bytes / units,
    }
  } finally {
    await loop.close()
    await proxy.close()
  }
}

/** How many transactions have written changes: each row names the one that it came with. */
async function writers(url: string, schema: string): Promise<number> {
  const [found] = await oneQuery<{ count: string }>(
    url,
    `select count(distinct xmin::text) as count from "${schema.replaceAll('"', '""')}".changes`,
  )
  return Number(found?.count)
}

/** A simple query, or the end of a batch: the server says when it is ready for the next one. */
function isAsking({ type }: Message): boolean {
  return type === 'Q' || type === 'S'
}

class MessageCounter {
  statements = 0
  control = 0
  roundTrips = 0
  bytes = 0
  /** By connection: how many answers it waits for. */
  readonly #open = new Map<number, number>()

  sent(message: Message, connection: number): void {
    this.bytes += message.bytes.length
    if (!isAsking(message)) return
    const open = this.#open.get(connection) ?? 0
    if (open === 0) this.roundTrips += 1
    this.#open.set(connection, open + 1)
  }

  answered(message: Message, connection: number): void {
    this.bytes += message.bytes.length
    const tag = tagOf(message)
    if (tag !== null && kindOf(tag) === 'data') this.statements += 1
    else if (tag !== null) this.control += 1
    // Ready for the next query, which comes once for each that was answered.
    if (message.type === 'Z') this.#open.set(connection, Math.max(0, (this.#open.get(connection) ?? 0) - 1))
  }

  reset(): void {
    this.statements = 0
    this.control = 0
    this.roundTrips = 0
    this.bytes = 0
  }
}
