// The worker: does what waits for nobody but time, through the operations of its runtime, until it is stopped.
import { isReference, type Reference } from '../../effect/reference.ts'
import { Refusal } from '../../proposal/errors.ts'
import type { Session } from '../../proposal/session.ts'
import type { Logger } from '../ports.ts'
import { ProposalRuntime } from '../runtime.ts'
import { SILENT } from '../silent-logger.ts'
import { dutiesOf } from './duties.ts'
import { Holds, type Visit } from './holds.ts'
import type { Outbox } from './outbox.ts'
import { type Job, type Lane, Turns } from './turns.ts'

/** What a worker is made of. */
export interface WorkerOptions {
  readonly runtime: ProposalRuntime
  /** As whom it acts, in every tenant: a service, with the rights that actions give it and no others (rules R14). */
  readonly principal: { readonly kind: 'service'; readonly id: string }
  /** Its roles. Default `['worker']`. */
  readonly roles?: readonly string[]
  /** Delivers events; without it nobody does. */
  readonly outbox?: Outbox
  /** Told of what could not be done, by code and reference. Default: silent. */
  readonly logger?: Logger
  /** How many operations are under way at once, 1 to 256. Default 8. */
  readonly parallelism?: number
  /** How often it looks for work, in milliseconds, give or take a quarter; 10 to 3,600,000. Default 1,000. */
  readonly pollMs?: number
}

const PARALLELISM_DEFAULT = 8
const PARALLELISM_MAX = 256
const POLL_DEFAULT_MS = 1_000
const POLL_MIN_MS = 10
const POLL_MAX_MS = 3_600_000
/** A store that is away is asked again ever more seldom, up to this. */
const STORE_WAIT_MAX_MS = 60_000
const PAGE = 50
/** How far one look goes through what is held, for each tenant and kind; the next one goes on from there. */
const PAGES_MAX = 20

/**
 * Runs expiry, automatic execution, reconciliation, deferred erasure, retention and delivery, for every tenant. It holds no
 * lease and no right of its own: each operation is guarded by its own admission, so any number of workers, in any number of
 * processes, may work on one store. Spec: store 4, rules R18.
 *
 * @example
 * const worker = new Worker({ runtime, principal: { kind: 'service', id: 'worker' } })
 * worker.start()
 * process.once('SIGTERM', () => void worker.stop({ limitMs: 30_000 }))
 */
export class Worker {
  readonly #runtime: ProposalRuntime
  readonly #who: Omit<Session, 'tenant'>
  readonly #logger: Logger
  readonly #pollMs: number
  readonly #holds: Holds
  readonly #turns: Turns
  readonly #stopping = new AbortController()
  readonly #underWay = new Map<string, Promise<void>>()
  #state: 'new' | 'running' | 'stopping' = 'new'
  #look: Promise<void> | null = null
  #cancelTimer: (() => void) | null = null
  #storeFailures = 0

  /** @throws TypeError for options that are none */
  constructor(options: WorkerOptions) {
    const { runtime, principal, roles = ['worker'], outbox, logger = SILENT } = options
    if (!(runtime instanceof ProposalRuntime)) throw new TypeError('A worker needs the runtime whose work it does.')
    // Where no compiler looked, a person could be handed in, whose approvals would then be those of a program.
    const kind: string = principal.kind
    if (kind !== 'service' || !isReference(principal.id)) {
      throw new TypeError('The principal of a worker is a service: { kind: "service", id }.')
    }
    if (!Array.isArray(roles) || !roles.every(isReference))
      throw new TypeError('The roles of a worker are a list of names.')
    const places = within(options.parallelism ?? PARALLELISM_DEFAULT, [1, PARALLELISM_MAX], 'parallelism')
    this.#pollMs = within(options.pollMs ?? POLL_DEFAULT_MS, [POLL_MIN_MS, POLL_MAX_MS], 'pollMs')
    this.#runtime = runtime
    this.#who = { principal: { kind: 'service', id: principal.id }, roles: [...roles], assurance: [] }
    this.#logger = logger
    this.#holds = new Holds(runtime.clock, runtime.ids)
    this.#turns = new Turns(dutiesOf(runtime, outbox, this.#stopping.signal), places)
  }

  /** Begins to look for work, at once and then again and again. @throws TypeError if it was started before */
  start(): void {
    if (this.#state !== 'new') throw new TypeError('A worker is started once; a stopped one is replaced by another.')
    this.#state = 'running'
    this.#wake(0)
  }

  /**
   * Takes no more work, and waits for what is under way, up to the limit. Answers whether all of it ended. What did not goes
   * on while the process lives; if that ends, its lease lapses, and the next worker has it verified and never repeated.
   */
  async stop({ limitMs }: { readonly limitMs: number }): Promise<boolean> {
    this.#state = 'stopping'
    this.#stopping.abort()
    this.#cancelTimer?.()
    this.#cancelTimer = null
    this.#turns.clear()
    const { promise: limit, resolve } = Promise.withResolvers<boolean>()
    const cancel = this.#runtime.clock.timer(limitMs, () => resolve(false))
    const ended = Promise.all([this.#look, ...this.#underWay.values()]).then(() => true)
    const isDone = await Promise.race([ended, limit])
    cancel()
    return isDone
  }

  #wake(ms: number): void {
    if (this.#state !== 'running' || this.#look !== null) return
    this.#cancelTimer?.()
    this.#cancelTimer = this.#runtime.clock.timer(ms, () => {
      this.#cancelTimer = null
      this.#look = this.#lookOnce().finally(() => {
        this.#look = null
        this.#wake(this.#nextLookMs())
      })
    })
  }

  #nextLookMs(): number {
    const waitMs = Math.min(this.#pollMs * 2 ** this.#storeFailures, Math.max(this.#pollMs, STORE_WAIT_MAX_MS))
    return Math.ceil(waitMs * (0.75 + this.#runtime.ids.fraction() / 2))
  }

  async #lookOnce(): Promise<void> {
    try {
      this.#holds.forgetOld()
      for (const tenant of await this.#runtime.work.tenants()) {
        // A copy: lanes change their order as they are served.
        for (const lane of this.#turns.line(tenant).lanes.slice()) await this.#fill(lane)
        this.#begin()
      }
      this.#storeFailures = 0
    } catch (error) {
      this.#storeFailures += 1
      this.#logger.warn({ code: codeOf(error) }, 'a worker could not look for work')
    }
  }

  /** Reads what is due in a lane whose last work has been begun, past what is held. */
  async #fill(lane: Lane): Promise<void> {
    const { duty, line, waiting } = lane
    const { clock } = this.#runtime
    if (waiting.length > 0 || clock.monotonic() < lane.lookAtMs) return
    for (let pages = 0; pages < PAGES_MAX && waiting.length === 0 && this.#state === 'running'; pages += 1) {
      const page = await duty.find(line.tenant, lane.after, PAGE)
      for (const { ref } of page) {
        const name = nameOf(lane, ref)
        if (this.#holds.isHeld(name) || this.#underWay.has(name)) continue
        waiting.push({ lane, ref, isRetry: this.#holds.failures(name) > 0 })
      }
      lane.after = page.length < PAGE ? null : (page.at(-1) ?? null)
      if (lane.after === null) break
    }
    if (lane.after === null && duty.everyMs > 0) {
      lane.lookAtMs = clock.monotonic() + duty.everyMs * (0.75 + this.#runtime.ids.fraction() / 2)
    }
  }

  #begin(): void {
    if (this.#state !== 'running') return
    for (let job = this.#turns.take(); job !== null; job = this.#turns.take()) {
      const name = nameOf(job.lane, job.ref)
      // Found twice, under two instants: once is enough.
      if (this.#underWay.has(name)) this.#turns.ended(job)
      else this.#underWay.set(name, this.#do(name, job))
    }
  }

  async #do(name: string, job: Job): Promise<void> {
    const visit = await this.#visit(job)
    this.#underWay.delete(name)
    this.#turns.ended(job)
    const failures = this.#holds.visited(name, visit)
    if (visit.kind === 'more') job.lane.waiting.push({ ...job, isRetry: false })
    this.#begin()
    // What lies behind the page that has been worked through is not kept waiting; what came to nothing is no hurry.
    if (failures === 0 && !this.#turns.hasWaiting() && this.#turns.hasMore()) this.#wake(0)
  }

  async #visit({ lane, ref }: Job): Promise<Visit> {
    const { duty, line } = lane
    try {
      return await duty.visit({ tenant: line.tenant, ...this.#who }, ref)
    } catch (error) {
      // One piece of work that cannot be done is no reason not to do the others (threat T54).
      const about = line.tenant === ref ? {} : { proposal: ref }
      const fields = { tenant: line.tenant, duty: duty.name, ...about, code: codeOf(error) }
      if (this.#holds.failures(nameOf(lane, ref)) === 0) this.#logger.warn(fields, 'due work could not be done')
      return { kind: 'waiting' }
    }
  }
}

function nameOf({ duty, line }: Lane, ref: Reference): string {
  return JSON.stringify([line.tenant, duty.name, ref])
}

// No message: what was thrown may be of the host's own, and hold anything.
function codeOf(error: unknown): string {
  if (error instanceof Refusal) return error.code
  return error instanceof Error ? error.name : 'thrown'
}

function within(value: number, [min, max]: readonly [number, number], name: string): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new TypeError(`The ${name} of a worker must be a whole number from ${min} to ${max}.`)
}
