// A provider in process: charges under keys with a life span, a listing in pages that lags, and faults that are set.
import type { FindFault, ProviderCall, ProviderDouble, SendFault, WireRequest } from '../../../src/testing.ts'

/** What is charged. */
export interface ChargeBody {
  readonly cents: number
}

export interface Charge {
  readonly id: string
  readonly key: string
  readonly at: number
}

/** The provider's answer to a charge. */
export interface TillAnswer {
  readonly status: number
  readonly id: string | null
}

/** One page of the listing; `total` is over all pages. */
export interface TillPage {
  readonly status: number
  readonly items: readonly Charge[]
  readonly next: number | null
  readonly total: number
}

export class ConnectionRefused extends Error {}
export class ConnectionReset extends Error {}

/** The key of a charge that is always there, for whoever wants to know that a look-up can see. */
export const CONTROL_KEY = 'control-charge'
export const DAY_MS = 24 * 3_600_000
export const LAG_MS = 5_000
const PAGE = 100

const STATUS_AFTER: Readonly<Partial<Record<SendFault, number>>> = {
  status_409_after: 409,
  status_425_after: 425,
  status_429_after: 429,
  status_500_after: 500,
  status_503_after: 503,
}

export class Till implements ProviderDouble<ChargeBody> {
  readonly accounts: readonly string[] = ['account-a', 'account-b']
  readonly endpoints: readonly string[] = ['/charges', '/v2/charges']
  readonly #charges: Charge[] = [{ id: 'ch_0', key: CONTROL_KEY, at: -DAY_MS }]
  readonly #known = new Map<string, { readonly fingerprint: string; readonly id: string; readonly at: number }>()
  readonly #wire: WireRequest[] = []
  readonly #sendFaults: SendFault[] = []
  readonly #findFaults: FindFault[] = []
  #now = 0
  #isRefusing = false

  // The provider as an adapter sees it.

  async post({ key, body, account = this.accounts[0] ?? '' }: ProviderCall<ChargeBody>): Promise<TillAnswer> {
    if (this.#isRefusing) throw new ConnectionRefused('connect ECONNREFUSED')
    const fault = this.#sendFaults.shift()
    this.#wire.push({ writes: true, key })
    await Promise.resolve()
    if (fault === 'drop_before_commit') throw new ConnectionReset('socket hang up')
    if (fault === 'refused') return { status: 402, id: null }
    const answer = this.#charge(`${account}\n${key}`, key, body)
    if (fault === 'reset_after_send' || fault === 'tls_close_after') throw new ConnectionReset('socket hang up')
    const status = fault === undefined ? undefined : STATUS_AFTER[fault]
    return status === undefined ? answer : { status, id: null }
  }

  async list(from: number): Promise<TillPage> {
    this.#wire.push({ writes: false, key: null })
    const fault = this.#findFaults.shift()
    if (fault === 'outage') throw new ConnectionReset('socket hang up')
    if (fault === 'credentials_expired') return { status: 401, items: [], next: null, total: 0 }
    if (fault === 'blind') return { status: 200, items: [], next: null, total: 0 }
    const visible = this.#charges.filter(({ at }) => at + LAG_MS <= this.#now)
    const next = from + PAGE < visible.length ? from + PAGE : null
    const page = { status: 200, items: visible.slice(from, from + PAGE), next, total: visible.length }
    return fault === 'truncated_page' ? { ...page, items: page.items.slice(0, 1), next: null } : page
  }

  async touch(): Promise<void> {
    this.#wire.push({ writes: true, key: null })
  }

  // The provider as the test sees it.

  body(): ChargeBody {
    return { cents: 2500 }
  }

  otherBody(): ChargeBody {
    return { cents: 9900 }
  }

  async effects(key: string): Promise<readonly string[]> {
    return this.#charges.filter((charge) => charge.key === key).map(({ id }) => id)
  }

  async wire(): Promise<readonly WireRequest[]> {
    return [...this.#wire]
  }

  async advance(ms: number): Promise<void> {
    this.#now += ms
  }

  async restore(): Promise<void> {
    this.#isRefusing = false
  }

  readonly sendFaults: Readonly<Record<SendFault, () => Promise<void>>> = {
    refused: async () => void this.#sendFaults.push('refused'),
    connect_refused: async () => {
      this.#isRefusing = true
    },
    drop_before_commit: async () => void this.#sendFaults.push('drop_before_commit'),
    reset_after_send: async () => void this.#sendFaults.push('reset_after_send'),
    tls_close_after: async () => void this.#sendFaults.push('tls_close_after'),
    status_409_after: async () => void this.#sendFaults.push('status_409_after'),
    status_425_after: async () => void this.#sendFaults.push('status_425_after'),
    status_429_after: async () => void this.#sendFaults.push('status_429_after'),
    status_500_after: async () => void this.#sendFaults.push('status_500_after'),
    status_503_after: async () => void this.#sendFaults.push('status_503_after'),
  }

  readonly findFaults: Readonly<Record<FindFault, () => Promise<void>>> = {
    outage: async () => void this.#findFaults.push('outage'),
    credentials_expired: async () => void this.#findFaults.push('credentials_expired'),
    truncated_page: async () => void this.#findFaults.push('truncated_page'),
    blind: async () => void this.#findFaults.push('blind'),
  }

  async duplicate(key: string): Promise<void> {
    this.#book(key)
  }

  async crowd(): Promise<void> {
    for (let count = 0; count < 3 * PAGE; count += 1) this.#book(`crowd-${count}`)
  }

  #charge(scope: string, key: string, body: ChargeBody): TillAnswer {
    const known = this.#known.get(scope)
    const fingerprint = JSON.stringify(body)
    if (known !== undefined && known.at + DAY_MS > this.#now) {
      return known.fingerprint === fingerprint ? { status: 200, id: known.id } : { status: 422, id: null }
    }
    const id = this.#book(key)
    this.#known.set(scope, { fingerprint, id, at: this.#now })
    return { status: 201, id }
  }

  #book(key: string): string {
    const id = `ch_${this.#charges.length}`
    this.#charges.push({ id, key, at: this.#now })
    return id
  }
}
