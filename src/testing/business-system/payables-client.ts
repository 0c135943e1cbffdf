// The client for invoices and payments: what the example of an invoice payment is written against.
import { BusinessSystemError, exchange } from './exchange.ts'
import { isTerminal } from './look-up.ts'
import {
  type FoundPayments,
  foundPaymentsSchema,
  type Invoice,
  invoiceSchema,
  type PaymentAnswer,
  paymentAnswerSchema,
  type PaymentBody,
} from './payables-wire.ts'
import type { PaymentRefusal } from './payments.ts'

/**
 * A payment to be booked. The precondition is `invoice-version:N;account-version:N;posting-version:N`, with the versions
 * that it was decided on.
 */
export interface PaymentOrder extends PaymentBody {
  readonly precondition: string
  readonly idempotencyKey: string
  readonly signal?: AbortSignal
}

/** Why a payment was refused for certain and without effect. */
export type PaymentRefusalReason = Exclude<PaymentRefusal, 'invoice_changed'> | 'request_finished' | 'declined'

/**
 * What the business system said for certain about a payment. `invoice_changed`: invoice, account or period has another
 * version than the precondition says, and nothing was booked. `refused`: nothing was booked, for the reason given.
 */
export type PaymentOutcome =
  | ({ readonly outcome: 'booked' } & PaymentAnswer)
  | { readonly outcome: 'invoice_changed' }
  | { readonly outcome: 'refused'; readonly reason: PaymentRefusalReason }

/** What a look-up found. `isTerminal`: nothing is booked, and every request asked for is finished without effect. */
export interface PaymentSearch extends FoundPayments {
  readonly isTerminal: boolean
}

// The closed list of answers that prove that nothing was booked under the key; `idempotency_mismatch` proves nothing.
const certainRefusals: ReadonlySet<string> = new Set<PaymentRefusalReason>([
  'unknown_invoice',
  'currency_mismatch',
  'not_payable',
  'payment_differs',
  'request_finished',
  'declined',
])

/** A client of the payables of the business system at a URL. Each call is one request; nothing is ever sent twice. */
export class PayablesClient {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** The invoice as it stands. @throws BusinessSystemError `unknown_invoice`, and whatever `fetch` throws. */
  async readInvoice(invoiceReference: string, signal?: AbortSignal): Promise<Invoice> {
    return exchange(new URL(`/invoices/${encodeURIComponent(invoiceReference)}`, this.#url), invoiceSchema, { signal })
  }

  /**
   * Asks for a payment under an idempotency key. Same key and same payment: the first payment, whatever has happened
   * since.
   *
   * @throws for every other answer and for none: whether money has moved is then unknown, and `findPayments` tells.
   */
  async pay({ precondition, idempotencyKey, signal, ...body }: PaymentOrder): Promise<PaymentOutcome> {
    try {
      const payment = await exchange(new URL('/payments', this.#url), paymentAnswerSchema, {
        method: 'POST',
        headers: { 'idempotency-key': idempotencyKey, 'if-match': `"${precondition}"` },
        body,
        signal,
      })
      return { outcome: 'booked', ...payment }
    } catch (error) {
      if (!(error instanceof BusinessSystemError)) throw error
      if (error.code === 'invoice_changed') return { outcome: 'invoice_changed' }
      if (isCertainRefusal(error.code)) return { outcome: 'refused', reason: error.code }
      throw error
    }
  }

  /** Looks payments up by their exact idempotency keys. Read only. @throws BusinessSystemError, and whatever `fetch` throws. */
  async findPayments(idempotencyKeys: readonly string[], signal?: AbortSignal): Promise<PaymentSearch> {
    const url = new URL('/payments', this.#url)
    for (const key of idempotencyKeys) url.searchParams.append('idempotencyKey', key)
    const found = await exchange(url, foundPaymentsSchema, { signal })
    return { ...found, isTerminal: found.payments.length === 0 && isTerminal(found, idempotencyKeys) }
  }
}

function isCertainRefusal(code: string): code is PaymentRefusalReason {
  return certainRefusals.has(code)
}
