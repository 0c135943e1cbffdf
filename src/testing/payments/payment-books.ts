// The books of the fake payment provider: charges by client reference, and what is remembered of keys and requests.
import type { Ids } from '../../runtime/ports.ts'

/** What a caller asks for. */
export interface ChargeRequest {
  readonly customerId: string
  readonly amountCents: number
  /** The caller's name for the charge, by which it is found again. It does not deduplicate anything. */
  readonly clientReference: string
  /** With a key, the provider runs the request once while it remembers the key. */
  readonly idempotencyKey?: string
  /** A fencing token; requests below the raised fence of their reference are refused. */
  readonly epoch?: number
  readonly signal?: AbortSignal
}

/** A charge in the books. `failed` never moved money; `reversed` did, and was undone. Instants are the provider's. */
export interface Charge {
  readonly chargeId: string
  readonly providerRequestId: string
  readonly customerId: string
  readonly amountCents: number
  readonly clientReference: string
  readonly bookedAt: number
  readonly state: 'booked' | 'reversed' | 'failed'
}

/** What is remembered under an idempotency key. */
export interface RememberedKey {
  readonly body: string
  readonly since: number
  /** The charge that it made, or the status of the error that is replayed. */
  readonly answer: Charge | { readonly errorStatus: number }
}

/** The books. Nothing in them ever goes wrong. */
export class PaymentBooks {
  readonly #ids: Ids
  readonly #now: () => number
  readonly #charges: Charge[] = []
  readonly #keys = new Map<string, RememberedKey>()
  /** By client reference: when a request last ended, whatever became of it. */
  readonly #endedAt = new Map<string, number>()
  readonly #inFlight = new Map<string, number>()
  readonly #fences = new Map<string, number>()

  constructor(ids: Ids, now: () => number) {
    this.#ids = ids
    this.#now = now
  }

  get charges(): readonly Charge[] {
    return [...this.#charges]
  }

  book(request: ChargeRequest, state: Charge['state'] = 'booked'): Charge {
    const { customerId, amountCents, clientReference } = request
    const charge: Charge = Object.freeze({
      chargeId: `ch_${this.#charges.length + 1}`,
      providerRequestId: `req_${this.#ids.token()}`,
      customerId,
      amountCents,
      clientReference,
      bookedAt: this.#now(),
      state,
    })
    this.#charges.push(charge)
    return charge
  }

  reverse(charge: Charge): void {
    const index = this.#charges.indexOf(charge)
    if (index >= 0) this.#charges[index] = Object.freeze({ ...charge, state: 'reversed' })
  }

  /** The key of the request, while it is remembered for so long. */
  remembered(key: string, lifetimeMs: number): RememberedKey | null {
    const known = this.#keys.get(key)
    return known !== undefined && this.#now() < known.since + lifetimeMs ? known : null
  }

  remember({ idempotencyKey, ...request }: ChargeRequest, answer: RememberedKey['answer']): void {
    if (idempotencyKey === undefined) return
    this.#keys.set(idempotencyKey, { body: bodyOf(request), since: this.#now(), answer })
  }

  begin({ clientReference }: ChargeRequest): void {
    this.#inFlight.set(clientReference, this.inFlight(clientReference) + 1)
  }

  end({ clientReference }: ChargeRequest): void {
    this.#inFlight.set(clientReference, this.inFlight(clientReference) - 1)
    this.#endedAt.set(clientReference, this.#now())
  }

  inFlight(clientReference: string): number {
    return this.#inFlight.get(clientReference) ?? 0
  }

  endedAt(clientReference: string): number | null {
    return this.#endedAt.get(clientReference) ?? null
  }

  /** From now on nothing below this token is done under the reference. */
  raiseFence(clientReference: string, epoch: number): void {
    this.#fences.set(clientReference, Math.max(epoch, this.#fences.get(clientReference) ?? 0))
  }

  isFenced({ clientReference, epoch = 0 }: ChargeRequest): boolean {
    return epoch < (this.#fences.get(clientReference) ?? 0)
  }
}

/** Tells the requests that one key may not carry apart. */
export function bodyOf({ customerId, amountCents, clientReference }: ChargeRequest): string {
  return JSON.stringify([customerId, amountCents, clientReference])
}
