// Payments: judged and booked against invoice, account and period in one transaction, and found again by their keys.
import assert from 'node:assert/strict'
import { decimalOf } from './cents.ts'
import type { Database } from './database.ts'
import { findInvoice, type InvoiceRow } from './invoices.ts'
import { judgeKey, type KeyedRequest, knownRequests, rememberKey } from './keys.ts'
import type { BookedPayment, FoundPayments } from './payables-wire.ts'
import type { Judgement } from './posting.ts'
import type { EffectCount } from './wire.ts'

/** A well-formed request for a payment, with the versions that it was decided on. */
export interface PaymentRequest extends KeyedRequest {
  readonly invoiceVersion: bigint
  readonly accountVersion: bigint
  readonly postingVersion: bigint
  readonly invoiceReference: string
  /** Null if the amount is not in the currency of the invoices. */
  readonly amountCents: bigint | null
  readonly iban: string
  readonly ledgerPeriod: string
}

export type PaymentRefusal =
  | 'unknown_invoice'
  | 'currency_mismatch'
  | 'invoice_changed'
  | 'not_payable'
  | 'payment_differs'

interface PaymentRow {
  readonly payment_number: bigint
  readonly idempotency_key: string
  readonly invoice_reference: string
  readonly amount_cents: bigint
  readonly iban: string
  readonly ledger_period: string
  readonly booked_at: bigint
  readonly reversed_at: bigint | null
}

/**
 * What is to be done about a request. What is known of its key comes first, so that a retry gets the first answer
 * although the invoice is paid since. To be called in the transaction that books.
 */
export function judgePayment(
  database: Database,
  request: PaymentRequest,
): Judgement<PaymentRequest, BookedPayment, PaymentRefusal> {
  const key = judgeKey(database, request)
  if (key !== 'open' && key !== 'forgotten') return { kind: key }
  const [booked] = key === 'forgotten' ? [] : findPaymentsOfKey(database, request.idempotencyKey)
  if (booked !== undefined) return { kind: 'booked_before', booked }
  const code = refusalOf(findInvoice(database, request.invoiceReference), request)
  return code === null ? { kind: 'bookable', bookable: request } : { kind: 'refused', code }
}

function refusalOf(invoice: InvoiceRow | null, request: PaymentRequest): PaymentRefusal | null {
  if (invoice === null) return 'unknown_invoice'
  if (request.amountCents === null) return 'currency_mismatch'
  const asDecidedOn =
    invoice.invoice_version === request.invoiceVersion &&
    invoice.account_version === request.accountVersion &&
    invoice.posting_version === request.postingVersion
  if (!asDecidedOn) return 'invoice_changed'
  if (invoice.approval_state !== 'approved' || invoice.period_state !== 'open') return 'not_payable'
  // A payment says itself what it pays: what is approved elsewhere and what is paid here are held against each other.
  const asInvoiced =
    invoice.amount_cents === request.amountCents &&
    invoice.iban === request.iban &&
    invoice.ledger_period === request.ledgerPeriod
  return asInvoiced ? null : 'payment_differs'
}

/** Books a payment that this transaction judged bookable. The version is checked again by the statement that raises it. */
export function bookPayment(database: Database, payment: PaymentRequest, bookedAt: number): BookedPayment {
  const { invoiceReference, invoiceVersion } = payment
  const paid = database
    .prepare(
      `UPDATE invoices SET approval_state = 'paid', invoice_version = invoice_version + 1
       WHERE invoice_reference = ? AND invoice_version = ? RETURNING 1`,
    )
    .get(invoiceReference, invoiceVersion)
  assert(paid !== undefined, 'the invoice changed between its judgement and its payment, in one transaction')
  const booked = insertPayment(database, payment, bookedAt)
  rememberKey(database, payment, 'booked')
  return booked
}

/**
 * Books once more a payment that this transaction has just booked: the fault of a system that lost its own check for
 * duplicates.
 */
export function bookPaymentAgain(database: Database, payment: PaymentRequest, bookedAt: number): void {
  const invoiceVersion = payment.invoiceVersion + 1n
  database
    .prepare('UPDATE invoices SET invoice_version = invoice_version + 1 WHERE invoice_reference = ?')
    .run(payment.invoiceReference)
  insertPayment(database, { ...payment, invoiceVersion }, bookedAt)
}

/** Reverses what was booked under a key. The booking stays in the books, and beside it when it was reversed. */
export function reversePayments(database: Database, idempotencyKey: string, reversedAt: number): void {
  database.prepare('UPDATE payments SET reversed_at = ? WHERE idempotency_key = ?').run(reversedAt, idempotencyKey)
}

function insertPayment(database: Database, payment: PaymentRequest, bookedAt: number): BookedPayment {
  const { idempotencyKey, invoiceReference, invoiceVersion, amountCents, iban, ledgerPeriod } = payment
  const row = database
    .prepare<PaymentRow>(
      `INSERT INTO payments
         (idempotency_key, invoice_reference, invoice_version, amount_cents, iban, ledger_period, booked_at)
       VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    )
    .get(idempotencyKey, invoiceReference, invoiceVersion, amountCents, iban, ledgerPeriod, bookedAt)
  assert(row !== undefined, 'an insert answers its row')
  return paymentOf(row)
}

/** Looks up by exact keys, never by prefix or likeness: all matches, and what is known of each key. */
export function findPayments(database: Database, idempotencyKeys: readonly string[]): FoundPayments {
  return {
    state: 'complete',
    payments: idempotencyKeys.flatMap((key) => findPaymentsOfKey(database, key)),
    requests: knownRequests(database, idempotencyKeys),
  }
}

/** How many payments stand in the books, in the order of first booking. */
export function countPayments(database: Database): readonly EffectCount[] {
  return database
    .prepare<PaymentRow & { readonly count: bigint }>(
      `SELECT *, COUNT(*) AS count FROM payments
       GROUP BY idempotency_key, invoice_reference, amount_cents ORDER BY MIN(payment_number)`,
    )
    .all()
    .map((row) => ({
      idempotencyKey: row.idempotency_key,
      invoiceReference: row.invoice_reference,
      amount: decimalOf(row.amount_cents),
      count: Number(row.count),
    }))
}

function findPaymentsOfKey(database: Database, idempotencyKey: string): readonly BookedPayment[] {
  return database
    .prepare<PaymentRow>('SELECT * FROM payments WHERE idempotency_key = ? ORDER BY payment_number')
    .all(idempotencyKey)
    .map(paymentOf)
}

function paymentOf(row: PaymentRow): BookedPayment {
  return {
    paymentId: `PAY-${row.payment_number}`,
    idempotencyKey: row.idempotency_key,
    invoiceReference: row.invoice_reference,
    amount: { amount: decimalOf(row.amount_cents), currency: 'EUR' },
    iban: row.iban,
    ledgerPeriod: row.ledger_period,
    bookedAt: Number(row.booked_at),
    ...(row.reversed_at === null ? {} : { reversedAt: Number(row.reversed_at) }),
  }
}
