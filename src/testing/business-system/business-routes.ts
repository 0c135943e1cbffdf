// What the business system offers to its clients: orders to read, refunds to book and to look up.
import { centsOf } from './cents.ts'
import { findOrder, orderOf } from './orders.ts'
import { bookRefund, findRefunds, judgeRefund, type RefundRequest, rememberKey } from './refunds.ts'
import { answer, problem, type Reply } from './reply.ts'
import { type IncomingRequest, readBody, type Route, type World } from './route.ts'
import { type BookedRefund, type RefundAnswer, refundBodySchema } from './wire.ts'

// Visible ASCII and no blank: a header that was sent twice arrives joined by ", " and is refused.
const keyForm = /^[!-~]{1,255}$/
const preconditionForm = /^"order-version:([1-9][0-9]{0,14})"$/
const keysPerLookUpMax = 100

export const businessRoutes: readonly Route[] = [
  { method: 'GET', path: '/orders/:orderReference', answer: readOrder },
  { method: 'POST', path: '/refunds', answer: postRefund },
  { method: 'GET', path: '/refunds', answer: lookUpRefunds },
]

function readOrder(request: IncomingRequest, { database }: World): Reply {
  const order = findOrder(database, request.url.pathname.slice('/orders/'.length))
  if (order === null) return problem('unknown_order')
  return { ...answer(200, orderOf(order)), headers: { etag: `"order-version:${order.version}"` } }
}

function postRefund(request: IncomingRequest, { database, faults, clock }: World): Reply {
  const read = readRefundRequest(request)
  if (read.kind === 'malformed') return read.reply
  const judgement = judgeRefund(database, read.refund)
  switch (judgement.kind) {
    case 'mismatch':
      return problem('idempotency_mismatch')
    case 'finished':
      return problem('request_finished')
    case 'booked_before':
      return created(judgement.refund)
    case 'refused':
      rememberKey(database, read.refund, 'refused')
      return problem(judgement.code)
    case 'bookable': {
      const { refund } = judgement
      const book = () => bookRefund(database, refund, clock.now())
      const finishWithoutEffect = () => rememberKey(database, refund, 'finished_without_effect')
      return faults.takeForRefund()?.({ book, finishWithoutEffect }) ?? created(book())
    }
  }
}

function created({ refundId, orderReference, amount }: BookedRefund): Reply {
  const body: RefundAnswer = { refundId, orderReference, amount }
  return answer(201, body)
}

function lookUpRefunds(request: IncomingRequest, { database, faults }: World): Reply {
  const keys = [...new Set(request.url.searchParams.getAll('idempotencyKey'))]
  if (keys.length === 0 || keys.length > keysPerLookUpMax || !keys.every((key) => keyForm.test(key))) {
    return problem('malformed_request', `query: one to ${keysPerLookUpMax} times idempotencyKey=…, visible characters`)
  }
  return answer(200, faults.takeForLookUp()?.(keys) ?? findRefunds(database, keys))
}

function readRefundRequest(
  request: IncomingRequest,
): { readonly kind: 'refund'; readonly refund: RefundRequest } | { readonly kind: 'malformed'; readonly reply: Reply } {
  const { idempotencyKey, precondition } = request
  if (idempotencyKey === null || !keyForm.test(idempotencyKey)) {
    return malformed('header Idempotency-Key: one, of 1 to 255 visible characters')
  }
  if (precondition === null) return { kind: 'malformed', reply: problem('precondition_required') }
  const expectedVersion = preconditionForm.exec(precondition)?.[1]
  if (expectedVersion === undefined) return malformed('header If-Match: "order-version:N"')
  const read = readBody(request, refundBodySchema)
  if (read.kind === 'malformed') return read
  const { orderReference, amount } = read.body
  const amountCents = amount.currency === 'EUR' ? centsOf(amount.amount) : null
  if (amount.currency === 'EUR' && (amountCents === null || amountCents === 0n)) {
    return malformed('JSON body, /amount/amount: more than zero, with two decimals')
  }
  const fingerprint = JSON.stringify([orderReference, amount.amount, amount.currency])
  return {
    kind: 'refund',
    refund: { idempotencyKey, expectedVersion: BigInt(expectedVersion), orderReference, amountCents, fingerprint },
  }
}

function malformed(detail: string): { readonly kind: 'malformed'; readonly reply: Reply } {
  return { kind: 'malformed', reply: problem('malformed_request', detail) }
}
