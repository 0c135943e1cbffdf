// A fake payment provider in this process: it charges, loses answers as it is told, and counts what really happened.
import { DefinitiveFailure } from '../../proposal/action.ts'
import { EventTrace } from '../event-trace.ts'
import type { ChargeFaultName, LookUpFaultName } from '../faults.ts'
import { seededIds } from '../seeded-ids.ts'
import { VirtualClock } from '../virtual-clock.ts'
import { bodyOf, type Charge, type ChargeRequest, PaymentBooks } from './payment-books.ts'
import { answerLookUp, type ChargeLookUp } from './charge-look-up.ts'

/** What a fake provider is made of. */
export interface FakePaymentProviderOptions {
  /** The faults of the first charges, one for each. */
  readonly chargeFaults?: readonly ChargeFaultName[]
  /** The faults of the first look-ups, one for each. */
  readonly lookUpFaults?: readonly LookUpFaultName[]
  /** Whose time it lives in; a clock of its own if not given. */
  readonly clock?: VirtualClock
  /** Draws request ids and latencies. Default 1. */
  readonly seed?: number
  /** How long an idempotency key is remembered. Default 24 h; 0 for a provider that knows no keys. */
  readonly keyLifetimeMs?: number
  /** The longest that a request takes, on the clock; each takes a drawn part of it. Default 0. */
  readonly latencyMs?: number
}

/** What a charge is answered with. An `error` comes with status 200: only who reads the body notices. */
export interface ChargeAnswer {
  readonly status: 'booked' | 'accepted' | 'error'
  readonly chargeId: string | null
  readonly providerRequestId: string | null
}

/** The provider answered, and not with a charge. Whether money has moved does not follow from the status. */
export class PaymentProviderError extends Error {
  override readonly name = 'PaymentProviderError'
  readonly status: number

  constructor(status: number) {
    super(`The payment provider answered with status ${status}.`)
    this.status = status
  }
}

const DAY_MS = 24 * 60 * 60_000

/**
 * A payment provider whose every fault can be chosen and whose counters can be believed. Spec: harness 2, H1.
 *
 * ```ts
 * const provider = new FakePaymentProvider({ chargeFaults: [ChargeFault.TIMEOUT_AFTER_COMMIT] })
 * ```
 */
export class FakePaymentProvider {
  readonly clock: VirtualClock
  /** What happened here, in order. */
  readonly trace: EventTrace = new EventTrace()
  readonly #books: PaymentBooks
  readonly #chargeFaults: ChargeFaultName[]
  readonly #lookUpFaults: LookUpFaultName[]
  readonly #keyLifetimeMs: number
  readonly #latencyMs: number
  readonly #fraction: () => number
  readonly #afterLook = new Map<string, (() => void)[]>()
  #chargeCalls = 0
  #lookUpCalls = 0

  constructor(options: FakePaymentProviderOptions = {}) {
    const ids = seededIds(options.seed ?? 1)
    this.clock = options.clock ?? new VirtualClock(0)
    this.#books = new PaymentBooks(ids, () => this.clock.now())
    this.#chargeFaults = [...(options.chargeFaults ?? [])]
    this.#lookUpFaults = [...(options.lookUpFaults ?? [])]
    this.#keyLifetimeMs = options.keyLifetimeMs ?? DAY_MS
    this.#latencyMs = options.latencyMs ?? 0
    this.#fraction = () => ids.fraction()
    // The first draws of small seeds are all but nothing.
    for (const _ of [1, 2, 3]) this.#fraction()
  }

  /** How many requests to charge have arrived, whatever became of them. */
  get chargeCalls(): number {
    return this.#chargeCalls
  }

  /** How many look-ups have arrived. */
  get lookUpCalls(): number {
    return this.#lookUpCalls
  }

  /** Every entry of the books, in the order of booking. */
  get charges(): readonly Charge[] {
    return this.#books.charges
  }

  /** How often money has moved, also where it moved back. */
  get effects(): number {
    return this.charges.filter(({ state }) => state !== 'failed').length
  }

  /** The sum that has moved. */
  get totalCents(): number {
    return this.charges.reduce((sum, { amountCents, state }) => sum + (state === 'failed' ? 0 : amountCents), 0)
  }

  /** The entries of one client reference. */
  chargesOf(clientReference: string): readonly Charge[] {
    return this.charges.filter((charge) => charge.clientReference === clientReference)
  }

  /** Lets these faults meet the next charges, after those that wait already. */
  queueChargeFaults(...faults: readonly ChargeFaultName[]): void {
    this.#chargeFaults.push(...faults)
  }

  /** Likewise for look-ups. */
  queueLookUpFaults(...faults: readonly LookUpFaultName[]): void {
    this.#lookUpFaults.push(...faults)
  }

  /**
   * Charges a customer. One call is one request.
   *
   * @throws DefinitiveFailure if it was refused for certain; a `TimeoutError`, {@link PaymentProviderError} or the
   * reason of the signal for everything else, which says nothing about the money.
   */
  async charge(request: ChargeRequest): Promise<ChargeAnswer> {
    this.#chargeCalls += 1
    this.#note('charge', request)
    this.#books.begin(request)
    let isUnderWay = false
    try {
      if (this.#latencyMs > 0) await this.#wait(Math.floor(this.#fraction() * this.#latencyMs))
      const known = this.#known(request)
      if (known !== null) return known
      if (this.#books.isFenced(request)) throw new DefinitiveFailure('fenced')
      const fault = this.#chargeFaults.shift() ?? null
      if (fault !== null) this.#note(fault, request)
      isUnderWay = fault === 'late_landing'
      return await this.#answer(request, fault)
    } finally {
      if (!isUnderWay) this.#books.end(request)
    }
  }

  /** Looks charges up by their exact client reference. Reads only. @throws PaymentProviderError when it is down. */
  async lookUp(clientReference: string, signal?: AbortSignal): Promise<ChargeLookUp> {
    this.#lookUpCalls += 1
    const fault = this.#lookUpFaults.shift() ?? null
    this.trace.add({ at: this.clock.now(), event: fault ?? 'look_up', about: clientReference })
    if (fault === 'unavailable') throw new PaymentProviderError(503)
    if (fault === 'read_hangs') return never(signal)
    const found = answerLookUp({ books: this.#books, clientReference, fault, now: this.clock.now() })
    this.#goOn(clientReference)
    return found
  }

  /**
   * The in-flight fence: how many requests under this reference are still on their way, and when the last of the others
   * ended. It is never behind.
   */
  inFlight(clientReference: string): { readonly count: number; readonly lastEndedAt: number | null } {
    return { count: this.#books.inFlight(clientReference), lastEndedAt: this.#books.endedAt(clientReference) }
  }

  /** From now on the provider refuses what carries a lower fencing token, also what is on its way. */
  raiseFence(clientReference: string, epoch: number): void {
    this.#books.raiseFence(clientReference, epoch)
    this.trace.add({ at: this.clock.now(), event: `fence ${epoch}`, about: clientReference })
    this.#goOn(clientReference)
  }

  #known(request: ChargeRequest): ChargeAnswer | null {
    if (request.idempotencyKey === undefined) return null
    const known = this.#books.remembered(request.idempotencyKey, this.#keyLifetimeMs)
    if (known === null) return null
    if (known.body !== bodyOf(request)) throw new PaymentProviderError(422)
    if ('errorStatus' in known.answer) throw new PaymentProviderError(known.answer.errorStatus)
    return answerOf(known.answer)
  }

  #book(request: ChargeRequest): Charge {
    const charge = this.#books.book(request)
    this.#books.remember(request, charge)
    this.#note('booked', request)
    return charge
  }

  async #answer(request: ChargeRequest, fault: ChargeFaultName | null): Promise<ChargeAnswer> {
    switch (fault) {
      case null:
        return answerOf(this.#book(request))
      case 'refuse_before_commit':
        throw new DefinitiveFailure('charge_refused')
      case 'drop_before_commit':
        throw timeout()
      case 'commit_then_drop':
        this.#book(request)
        throw timeout()
      case 'commit_then_error':
        this.#book(request)
        throw new PaymentProviderError(500)
      case 'commit_then_error_inside':
        this.#book(request)
        return { status: 'error', chargeId: null, providerRequestId: null }
      case 'hang':
        this.#book(request)
        return never(request.signal)
      case 'late_landing':
        this.#later(request, () => {
          if (this.#known(request) === null && !this.#books.isFenced(request)) this.#book(request)
          this.#books.end(request)
        })
        throw timeout()
      case 'double_effect':
        this.#book(request)
        return answerOf(this.#book(request))
      case 'stored_error':
        this.#books.remember(request, { errorStatus: 500 })
        throw new PaymentProviderError(500)
      case 'forgotten_key':
        return answerOf(this.#books.book(request))
      case 'rate_limited':
        throw new PaymentProviderError(429)
      case 'too_early':
        throw new PaymentProviderError(425)
      case 'key_in_use':
        throw new PaymentProviderError(409)
      case 'fail_after_acceptance':
        return { ...answerOf(this.#books.book(request, 'failed')), status: 'accepted' }
      case 'reverse_after_look': {
        const charge = this.#book(request)
        this.#later(request, () => {
          this.#books.reverse(charge)
          this.#note('reversed', request)
        })
        return answerOf(charge)
      }
    }
  }

  #later({ clientReference }: ChargeRequest, happen: () => void): void {
    this.#afterLook.set(clientReference, [...(this.#afterLook.get(clientReference) ?? []), happen])
  }

  #goOn(clientReference: string): void {
    const waiting = this.#afterLook.get(clientReference) ?? []
    this.#afterLook.delete(clientReference)
    for (const happen of waiting) happen()
  }

  async #wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.clock.timer(ms, resolve)
    })
  }

  #note(event: string, { clientReference }: ChargeRequest): void {
    this.trace.add({ at: this.clock.now(), event, about: clientReference })
  }
}

function answerOf({ chargeId, providerRequestId }: Charge): ChargeAnswer {
  return { status: 'booked', chargeId, providerRequestId }
}

function timeout(): DOMException {
  return new DOMException('The payment provider did not answer in time.', 'TimeoutError')
}

// Nothing is ever said; only who has a signal stops waiting.
async function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = (): void => {
      const reason: unknown = signal?.reason
      reject(reason instanceof Error ? reason : new DOMException('The call was given up.', 'AbortError'))
    }
    if (signal?.aborted === true) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
  })
}
