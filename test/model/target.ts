// A payment provider in this process: it books effects by idempotency key, and requests may reach it late, twice or never.
import type { Clock } from '../../src/runtime/ports.ts'

/** The business that everybody writes to: one order, whose version every write raises. */
export interface Business {
  version: number
  /** How many payments were booked for the order. */
  paid: number
  /** Nobody minds when it changes. */
  note: string
  isGone: boolean
}

/** A request as it is on the wire. */
export interface Request {
  readonly key: string
  readonly reference: string
  readonly order: string
  readonly amount: { readonly amount: string; readonly currency: string }
  readonly precondition: string
  readonly epoch: number
}

/** An effect that took place. */
export interface Booking {
  readonly id: string
  readonly request: Request
  /** When it took place: on the wall clock, and on the one that no jump moves. */
  readonly at: number
  readonly atMs: number
  /** The network delivered the request a second time, which nobody but the target can stop. */
  readonly isDuplicate: boolean
}

/** What became of a request that arrived. */
export type Arrival =
  | { readonly kind: 'booked' | 'known'; readonly booking: Booking }
  | { readonly kind: 'stale' | 'refused' }

/** What a target promises. */
export interface TargetOptions {
  readonly clock: Clock
  readonly business: Business
  /** How long a key is run once only; null for a target that does not know keys. */
  readonly keyLifetimeMs: number | null
  readonly enforcesPrecondition: boolean
}

/** Names the state that a write is conditional on. */
export function preconditionOf({ version }: Business): string {
  return `version:${version}`
}

/** A request that lands by then has landed before its settling boundary, however late in its lease it was sent. */
const LANDS_WITHIN_MS = 46_000

export class Target {
  readonly booked: Booking[] = []
  /** Effects about which the target said something final that was not so. */
  readonly liedAbout = new Set<string>()
  /** Effects about which the target broke its word: it said what was not so, or a request landed after all it promised. */
  readonly untrueOf = new Set<string>()
  readonly #options: TargetOptions
  /** By key: since when it is known. */
  readonly #keys = new Map<string, { readonly since: number; readonly booking: Booking }>()
  readonly #underWay = new Set<Request>()
  readonly #refused = new Set<string>()
  readonly #fences = new Map<string, number>()

  constructor(options: TargetOptions) {
    this.#options = options
  }

  /** Delivers a request at once. */
  arrive(request: Request, isDuplicate: boolean): Arrival {
    const { clock, business, enforcesPrecondition } = this.#options
    if (this.#refused.has(request.key) || request.epoch < (this.#fences.get(request.key) ?? 0))
      return { kind: 'refused' }
    const known = this.#remembered(request.key)
    if (known !== null) return { kind: 'known', booking: known }
    if (enforcesPrecondition && request.precondition !== preconditionOf(business)) return { kind: 'stale' }
    const booking: Booking = {
      id: `pay-${this.booked.length + 1}`,
      request,
      at: clock.now(),
      atMs: clock.monotonic(),
      isDuplicate,
    }
    this.booked.push(booking)
    this.#keys.set(request.key, { since: clock.now(), booking })
    business.version += 1
    business.paid += 1
    return { kind: 'booked', booking }
  }

  /** Delivers a request after a while. */
  arriveIn(ms: number, request: Request, isDuplicate: boolean): void {
    this.#underWay.add(request)
    if (ms > LANDS_WITHIN_MS) this.untrueOf.add(request.reference)
    this.#options.clock.timer(ms, () => {
      this.#underWay.delete(request)
      this.arrive(request, isDuplicate)
    })
  }

  /** Whether a request under these keys has landed or still may. */
  mayHold(keys: readonly string[]): boolean {
    return [...this.#underWay, ...this.booked.map(({ request }) => request)].some(({ key }) => keys.includes(key))
  }

  /** The effects under these keys that a read sees which lags so far behind. */
  find(keys: readonly string[], lagMs = 0): readonly Booking[] {
    const seenMs = this.#options.clock.monotonic() - lagMs
    return this.booked.filter(({ request, atMs }) => keys.includes(request.key) && atMs <= seenMs)
  }

  /** From now on nothing is done under these keys any more, whatever is still on its way. */
  refuse(keys: readonly string[]): void {
    for (const key of keys) this.#refused.add(key)
  }

  /** From now on nothing is done under these keys that was sent below the fence. */
  fence(keys: readonly string[], epoch: number): void {
    for (const key of keys) this.#fences.set(key, Math.max(epoch, this.#fences.get(key) ?? 0))
  }

  #remembered(key: string): Booking | null {
    const { clock, keyLifetimeMs } = this.#options
    const known = this.#keys.get(key)
    if (known === undefined || keyLifetimeMs === null) return null
    return clock.now() < known.since + keyLifetimeMs ? known.booking : null
  }
}
