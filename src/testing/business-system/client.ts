// The typed client of the business system, as the executor, verifier and resolver of an example action use it.
import type { Money } from '../../proposal/money.ts'
import { BusinessSystemError, exchange } from './exchange.ts'
import { isTerminal } from './look-up.ts'
import type { RefundRefusal } from './refunds.ts'
import {
  type FoundRefunds,
  foundRefundsSchema,
  type Order,
  orderSchema,
  type RefundAnswer,
  refundAnswerSchema,
} from './wire.ts'

/** A refund to be booked. The precondition is `order-version:N`, with N the version that it was decided on. */
export interface RefundOrder {
  readonly orderReference: string
  readonly amount: Money
  readonly precondition: string
  readonly idempotencyKey: string
  readonly signal?: AbortSignal
}

/** Why a refund was refused for certain and without effect. */
export type RefusalReason = Exclude<RefundRefusal, 'order_changed'> | 'request_finished' | 'declined'

/**
 * What the business system said for certain about a refund. `order_changed`: the order has another version than the
 * precondition says, and nothing was booked. `refused`: nothing was booked, for the reason given.
 */
export type RefundOutcome =
  | ({ readonly outcome: 'booked' } & RefundAnswer)
  | { readonly outcome: 'order_changed' }
  | { readonly outcome: 'refused'; readonly reason: RefusalReason }

/** What a look-up found. `isTerminal`: nothing is booked, and every request asked for is finished without effect. */
export interface RefundSearch extends FoundRefunds {
  readonly isTerminal: boolean
}

// The closed list of answers that prove that nothing was booked under the key. `idempotency_mismatch` is not among
// them: under that key something else may be booked, which is for the verifier to find.
const certainRefusals: ReadonlySet<string> = new Set<RefusalReason>([
  'unknown_order',
  'currency_mismatch',
  'exceeds_refundable',
  'request_finished',
  'declined',
])

/**
 * A client of the business system at a URL. Each call is one request; nothing is ever sent twice.
 *
 * ```ts
 * const business = new BusinessClient('http://127.0.0.1:4010')
 * const order = await business.readOrder('ORD-1001')
 * const precondition = `order-version:${order.orderVersion}`
 * ```
 */
export class BusinessClient {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** The order as it stands. @throws BusinessSystemError `unknown_order`, and whatever `fetch` throws. */
  async readOrder(orderReference: string, signal?: AbortSignal): Promise<Order> {
    return exchange(new URL(`/orders/${encodeURIComponent(orderReference)}`, this.#url), orderSchema, { signal })
  }

  /**
   * Asks for a refund under an idempotency key. Same key and same refund: the first refund, whatever has happened to
   * the order since.
   *
   * @throws for every other answer and for none: whether money has moved is then unknown, and `findRefunds` tells.
   */
  async refund({ orderReference, amount, precondition, idempotencyKey, signal }: RefundOrder): Promise<RefundOutcome> {
    try {
      const refund = await exchange(new URL('/refunds', this.#url), refundAnswerSchema, {
        method: 'POST',
        headers: { 'idempotency-key': idempotencyKey, 'if-match': `"${precondition}"` },
        body: { orderReference, amount },
        signal,
      })
      return { outcome: 'booked', ...refund }
    } catch (error) {
      if (!(error instanceof BusinessSystemError)) throw error
      if (error.code === 'order_changed') return { outcome: 'order_changed' }
      if (isCertainRefusal(error.code)) return { outcome: 'refused', reason: error.code }
      throw error
    }
  }

  /** Looks refunds up by their exact idempotency keys. Read only. @throws BusinessSystemError, and whatever `fetch` throws. */
  async findRefunds(idempotencyKeys: readonly string[], signal?: AbortSignal): Promise<RefundSearch> {
    const url = new URL('/refunds', this.#url)
    for (const key of idempotencyKeys) url.searchParams.append('idempotencyKey', key)
    const found = await exchange(url, foundRefundsSchema, { signal })
    return { ...found, isTerminal: found.refunds.length === 0 && isTerminal(found, idempotencyKeys) }
  }
}

function isCertainRefusal(code: string): code is RefusalReason {
  return certainRefusals.has(code)
}
