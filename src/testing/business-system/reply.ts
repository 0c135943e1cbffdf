// What the business system does about a request: answer it, break the connection, or keep silent.

/** Every refusal's code and its HTTP status. */
const problems = {
  malformed_request: { status: 400, title: 'The request is not what this endpoint takes' },
  not_found: { status: 404, title: 'There is nothing at this path' },
  unknown_order: { status: 404, title: 'There is no such order' },
  unknown_invoice: { status: 404, title: 'There is no such invoice' },
  unknown_supplier: { status: 404, title: 'There is no such supplier' },
  unknown_period: { status: 404, title: 'There is no such ledger period' },
  method_not_allowed: { status: 405, title: 'This path does not take this method' },
  request_finished: { status: 409, title: 'The request with this key is finished without effect' },
  not_payable: { status: 409, title: 'The invoice is on hold or paid, or its ledger period is closed' },
  key_in_use: { status: 409, title: 'The first request with this key is still under way' },
  order_changed: { status: 412, title: 'The order has another version' },
  invoice_changed: { status: 412, title: 'The invoice, the account or the ledger period has another version' },
  body_too_large: { status: 413, title: 'The body is too large' },
  declined: { status: 422, title: 'The business system declines the request; nothing was booked' },
  currency_mismatch: { status: 422, title: 'The order or invoice is in another currency' },
  exceeds_captured: { status: 422, title: 'More than was captured cannot have been refunded' },
  exceeds_refundable: { status: 422, title: 'More than captured minus refunded cannot be refunded' },
  payment_differs: {
    status: 422,
    title: 'The payment is not of the amount, to the account and in the period of the invoice',
  },
  idempotency_mismatch: { status: 422, title: 'This key was used for another request' },
  unknown_fault: { status: 422, title: 'There is no such fault' },
  too_early: { status: 425, title: 'The request came too early to be taken' },
  precondition_required: { status: 428, title: 'A posting needs the versions that it was decided on in If-Match' },
  rate_limited: { status: 429, title: 'There are too many requests' },
  internal_error: { status: 500, title: 'The business system failed; it is not known how far it got' },
  unavailable: { status: 503, title: 'The books cannot be read at the moment' },
} as const

export type ProblemCode = keyof typeof problems

export interface Answer {
  readonly kind: 'answer'
  readonly status: number
  readonly body: unknown
  /** Beside those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Reply =
  | Answer
  /** The connection is broken without a word. */
  | { readonly kind: 'drop' }
  /** The connection stays open and nothing is ever said. */
  | { readonly kind: 'silence' }

export function answer(status: number, body: unknown): Answer {
  return { kind: 'answer', status, body }
}

/** A refusal in the form of RFC 9457. The detail names what is wrong with the request and never what the server is made of. */
export function problem(code: ProblemCode, detail?: string): Answer {
  const { status, title } = problems[code]
  return answer(status, { type: `/problems/${code}`, title, status, code, ...(detail === undefined ? {} : { detail }) })
}
