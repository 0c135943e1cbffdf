// What the business system offers to its clients about invoices: to read them, to book payments and to look those up.
import { centsOf } from './cents.ts'
import { findInvoice, invoiceOf } from './invoices.ts'
import { type BookedPayment, type FoundPayments, type PaymentAnswer, paymentBodySchema } from './payables-wire.ts'
import {
  bookPayment,
  bookPaymentAgain,
  findPayments,
  judgePayment,
  type PaymentRequest,
  reversePayments,
} from './payments.ts'
import { answerLookUp } from './look-up.ts'
import { answerPosting, type Malformed, malformed, readLookUpKeys, readPostingHeaders } from './posting.ts'
import { answer, problem, type Reply } from './reply.ts'
import { type IncomingRequest, readBody, type Route, type World } from './route.ts'

const versionNames = ['invoice-version', 'account-version', 'posting-version'] as const

export const payablesRoutes: readonly Route[] = [
  { method: 'GET', path: '/invoices/:invoiceReference', answer: readInvoice },
  { method: 'POST', path: '/payments', answer: postPayment },
  { method: 'GET', path: '/payments', answer: lookUpPayments },
]

function readInvoice(request: IncomingRequest, { database }: World): Reply {
  const row = findInvoice(database, request.url.pathname.slice('/invoices/'.length))
  if (row === null) return problem('unknown_invoice')
  const versions = [row.invoice_version, row.account_version, row.posting_version]
  const etag = `"${versionNames.map((name, index) => `${name}:${versions[index]}`).join(';')}"`
  return { ...answer(200, invoiceOf(row)), headers: { etag } }
}

function postPayment(request: IncomingRequest, world: World): Reply {
  const read = readPaymentRequest(request)
  if (read.kind === 'malformed') return read.reply
  const { database, clock } = world
  return answerPosting(world, read.payment, {
    judge: () => judgePayment(database, read.payment),
    book: (payment) => bookPayment(database, payment, clock.now()),
    bookAgain: (payment) => bookPaymentAgain(database, payment, clock.now()),
    reverse: (key) => reversePayments(database, key, clock.now()),
    created,
  })
}

function created({ paymentId, invoiceReference, amount, iban, ledgerPeriod }: BookedPayment): Reply {
  const body: PaymentAnswer = { paymentId, invoiceReference, amount, iban, ledgerPeriod }
  return answer(201, body)
}

function lookUpPayments(request: IncomingRequest, world: World): Reply {
  const read = readLookUpKeys(request)
  if (read.kind === 'malformed') return read.reply
  return answerLookUp(world, read.keys, {
    find: (keys) => findPayments(world.database, keys),
    empty: (lookUp) => ({ ...lookUp, payments: [] }),
    another: anotherPayment,
  })
}

/** A payment that nobody asked for. */
function anotherPayment(idempotencyKey: string): FoundPayments {
  const payment: BookedPayment = {
    paymentId: 'PAY-another',
    idempotencyKey,
    invoiceReference: 'INV-another',
    amount: { amount: '0.01', currency: 'EUR' },
    iban: 'DE89370400440532013000',
    ledgerPeriod: '2030-01',
    bookedAt: 0,
  }
  return { state: 'complete', payments: [payment], requests: [{ idempotencyKey, state: 'booked' }] }
}

function readPaymentRequest(
  request: IncomingRequest,
): { readonly kind: 'payment'; readonly payment: PaymentRequest } | Malformed {
  const headers = readPostingHeaders(request, versionNames)
  if (headers.kind === 'malformed') return headers
  const read = readBody(request, paymentBodySchema)
  if (read.kind === 'malformed') return read
  const { invoiceReference, amount, iban, ledgerPeriod } = read.body
  const amountCents = amount.currency === 'EUR' ? centsOf(amount.amount) : null
  if (amount.currency === 'EUR' && (amountCents === null || amountCents === 0n)) {
    return malformed('JSON body, /amount/amount: more than zero, with two decimals')
  }
  const { idempotencyKey, versions } = headers
  return {
    kind: 'payment',
    payment: {
      idempotencyKey,
      invoiceVersion: versions['invoice-version'],
      accountVersion: versions['account-version'],
      postingVersion: versions['posting-version'],
      invoiceReference,
      amountCents,
      iban,
      ledgerPeriod,
      fingerprint: JSON.stringify(['payment', invoiceReference, amount.amount, amount.currency, iban, ledgerPeriod]),
    },
  }
}
