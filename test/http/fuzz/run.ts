// One run: a world, and one case after the other with a mood before each; every exchange is held against every check.
import type { Tally } from '../../model/run.ts'
import type { Judge } from '../validated-app.ts'
import { received, type Received } from '../world.ts'
import { sessionOf } from './callers.ts'
import type { Case } from './cases.ts'
import { type CheckName, failedChecks } from './checks.ts'
import type { Exchange, Sent } from './exchange.ts'
import type { FuzzWorld } from './fuzz-world.ts'
import { MOODS } from './moods.ts'
import { ORIGIN, requestOf, sentOf } from './sending.ts'
import { type Stock, type Stocked, stockOf } from './stock.ts'

/** Answers a request; the app itself, unless a test puts something in between. */
export type Answering = (request: Request, world: FuzzWorld) => Promise<Response>

/** A step: what happens, then what is asked. */
export interface Step {
  readonly mood: string
  readonly asked: Case
}

/** An exchange that fails a check. Its message names every check that it fails. */
export class CheckFailed extends Error {
  readonly checks: readonly CheckName[]
  constructor({ asked, sent, answer, about }: Exchange, failed: readonly (readonly [CheckName, string])[]) {
    const { kind, flaw, caller, operation } = asked
    super(
      [
        ...failed.map(([name, words]) => `${name}: ${words}`),
        `  ${kind}${flaw === '' ? '' : ` (${flaw})`} by ${caller} of ${operation.operationId} in ${about?.status ?? 'nothing'}`,
        `  ${sent.method} ${sent.url} ${JSON.stringify(sent.headers)}`,
        `  ${typeof sent.body === 'string' ? sent.body : String(sent.body?.length)}`,
        `  ${answer.status} ${answer.text.slice(0, 600)}`,
      ].join('\n'),
    )
    this.name = 'CheckFailed'
    this.checks = failed.map(([name]) => name)
  }
}

// Mostly one of the caller's own tenant: what others may do is soon seen.
function chosen({ about, caller }: Case, { proposals }: Stock): Stocked {
  const { tenant } = sessionOf(caller)
  const own = proposals.filter((one) => one.tenant === tenant)
  const candidates = about % 6 === 0 ? proposals : own
  const found = candidates[about % candidates.length]
  if (found === undefined) throw new Error('a tenant has proposals')
  return found
}

interface Answered {
  readonly answer: Received
  readonly faults: Exchange['faults']
}

function viewOf(ref: string): string {
  return `/v1/proposals/${ref}`
}

const NOBODYS = '0000000000ABCDEFGHJKMNPQRS'

function elsewhere(sent: Sent, ref: string): Sent {
  return { ...sent, path: sent.path.replace(ref, NOBODYS), url: sent.url.replace(ref, NOBODYS) }
}

/** What a run needs beside its world. */
export interface RunParts {
  readonly answering: Answering
  readonly tally: Tally
  readonly judge: Judge
}

export class Run {
  readonly #world: FuzzWorld
  readonly #answering: Answering
  readonly #tally: Tally
  readonly #judge: Judge
  #stock: Stock
  #cursor = '0'
  #orders = 0

  private constructor(world: FuzzWorld, { answering, tally, judge }: RunParts, stock: Stock) {
    this.#world = world
    this.#answering = answering
    this.#tally = tally
    this.#judge = judge
    this.#stock = stock
  }

  static async open(world: FuzzWorld, parts: RunParts): Promise<Run> {
    return new Run(world, parts, await stockOf(world.bareStore, null))
  }

  /** @throws CheckFailed */
  async step({ mood: name, asked }: Step): Promise<void> {
    const world = this.#world
    const mood = MOODS[name]
    if (mood === undefined) throw new Error(`there is no mood ${name}`)
    await mood.happens(world)
    // What time has brought about is there before anything is asked.
    await world.clock.advance(0)
    const before = await stockOf(world.bareStore, this.#stock)
    const order = `ORD-CASE-${++this.#orders}-of-many`
    const sent = sentOf(asked, { about: chosen(asked, before), cursor: this.#cursor, order })
    const named = before.proposals.find(({ ref }) => sent.path.split('/').includes(ref)) ?? null
    // Whoever erases has seen what is erased, and so has everything in between.
    if (asked.operation.operationId === 'eraseProposal' && named !== null) await this.#read(sent, viewOf(named.ref))
    const { answer, faults } = await this.#ask(sent)
    const after = await stockOf(world.bareStore, before)
    const isForeign = named !== null && named.tenant !== sessionOf(asked.caller).tenant
    const twin = isForeign ? (await this.#ask(elsewhere(sent, named.ref))).answer : null
    world.calm()
    const readBack = await this.#readBack(sent, answer)
    const exchange: Exchange = {
      asked,
      mood,
      sent,
      answer,
      before,
      after,
      about: named,
      twin,
      faults: [...faults, ...(readBack?.faults ?? [])],
      erasedOrders: after.proposals.flatMap(({ ref, isErased }) => (isErased ? (world.orders.get(ref) ?? []) : [])),
      readBack: readBack?.answer ?? null,
    }
    this.#count(exchange)
    const failed = failedChecks(exchange)
    if (failed.length > 0) throw new CheckFailed(exchange, failed)
    this.#stock = after
    this.#remember(exchange, order)
  }

  async #ask(sent: Sent): Promise<Answered> {
    const request = requestOf(sent)
    const response = await this.#answering(request, this.#world)
    return { faults: await this.#judge(request, response.clone()), answer: await received(response) }
  }

  // What was made is read by whoever made it, and what was erased by whoever erased it.
  async #readBack(sent: Sent, { status, json, headers }: Received): Promise<Answered | null> {
    if (status === 201) return this.#read(sent, headers.get('Location') ?? '/')
    return json['outcome'] === 'erased' ? this.#read(sent, viewOf(String(json['proposal']))) : null
  }

  async #read({ headers: { Authorization = '' } }: Sent, path: string): Promise<Answered> {
    const headers = { Authorization }
    return this.#ask({ method: 'GET', path, url: ORIGIN + path, headers, body: null, texts: [] })
  }

  #remember({ answer, sent }: Exchange, order: string): void {
    const { next, proposal } = answer.json
    if (typeof next === 'string') this.#cursor = next
    const isNew = answer.status === 201 && typeof proposal === 'string' && sent.texts.includes(order)
    if (isNew) this.#world.orders.set(proposal, order)
  }

  #count({ asked: { kind, operation }, answer }: Exchange): void {
    const { outcome, code } = answer.json
    const word = [outcome, code].find((one) => typeof one === 'string') ?? ''
    this.#tally.add('cases')
    this.#tally.add(`kind ${kind}`)
    this.#tally.add(`status ${answer.status}`)
    this.#tally.add(`${operation.operationId} ${answer.status} ${word}`.trim())
  }
}
