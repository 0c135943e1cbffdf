// What the business system offers to its clients about orders: to read them, to book refunds and to look those up.
import { centsOf } from './cents.ts'
import { findOrder, orderOf } from './orders.ts'
import { answerLookUp } from './look-up.ts'
import { answerPosting, type Malformed, malformed, readLookUpKeys, readPostingHeaders } from './posting.ts'
import { bookRefund, bookRefundAgain, findRefunds, judgeRefund, type RefundRequest, reverseRefunds } from './refunds.ts'
import { answer, problem, type Reply } from './reply.ts'
import { type IncomingRequest, readBody, type Route, type World } from './route.ts'
import { type BookedRefund, type FoundRefunds, type RefundAnswer, refundBodySchema } from './wire.ts'

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

function postRefund(request: IncomingRequest, world: World): Reply {
  const read = readRefundRequest(request)
  if (read.kind === 'malformed') return read.reply
  const { database, clock } = world
  return answerPosting(world, read.refund, {
    judge: () => judgeRefund(database, read.refund),
    book: (refund) => bookRefund(database, refund, clock.now()),
    bookAgain: (refund) => bookRefundAgain(database, refund, clock.now()),
    reverse: (key) => reverseRefunds(database, key, clock.now()),
    created,
  })
}

function created({ refundId, orderReference, amount }: BookedRefund): Reply {
  const body: RefundAnswer = { refundId, orderReference, amount }
  return answer(201, body)
}

function lookUpRefunds(request: IncomingRequest, world: World): Reply {
  const read = readLookUpKeys(request)
  if (read.kind === 'malformed') return read.reply
  return answerLookUp(world, read.keys, {
    find: (keys) => findRefunds(world.database, keys),
    empty: (lookUp) => ({ ...lookUp, refunds: [] }),
    another: anotherRefund,
  })
}

/** A refund that nobody asked for. */
function anotherRefund(idempotencyKey: string): FoundRefunds {
  const amount = { amount: '0.01', currency: 'EUR' }
  const refund = { refundId: 'RF-another', idempotencyKey, orderReference: 'ORD-another', amount, bookedAt: 0 }
  return { state: 'complete', refunds: [refund], requests: [{ idempotencyKey, state: 'booked' }] }
}

function readRefundRequest(
  request: IncomingRequest,
): { readonly kind: 'refund'; readonly refund: RefundRequest } | Malformed {
  const headers = readPostingHeaders(request, ['order-version'])
  if (headers.kind === 'malformed') return headers
  const read = readBody(request, refundBodySchema)
  if (read.kind === 'malformed') return read
  const { orderReference, amount } = read.body
  const amountCents = amount.currency === 'EUR' ? centsOf(amount.amount) : null
  if (amount.currency === 'EUR' && (amountCents === null || amountCents === 0n)) {
    return malformed('JSON body, /amount/amount: more than zero, with two decimals')
  }
  const { idempotencyKey, versions } = headers
  const expectedVersion = versions['order-version']
  const fingerprint = JSON.stringify([orderReference, amount.amount, amount.currency])
  return { kind: 'refund', refund: { idempotencyKey, expectedVersion, orderReference, amountCents, fingerprint } }
}
