// Refunds: judged and booked against the order's version in one transaction, and found again by their keys.
import assert from 'node:assert/strict'
import { decimalOf } from './cents.ts'
import type { Database } from './database.ts'
import { judgeKey, type KeyedRequest, knownRequests, rememberKey } from './keys.ts'
import { findOrder } from './orders.ts'
import type { Judgement } from './posting.ts'
import type { BookedRefund, EffectCount, FoundRefunds } from './wire.ts'

/** A well-formed request for a refund. `expectedVersion` is the order's version that it was decided on. */
export interface RefundRequest extends KeyedRequest {
  readonly expectedVersion: bigint
  readonly orderReference: string
  /** Null if the amount is not in the currency of the orders. */
  readonly amountCents: bigint | null
}

/** A refund that was judged: it can be booked as it stands. */
export interface BookableRefund extends RefundRequest {
  readonly amountCents: bigint
}

export type RefundRefusal = 'unknown_order' | 'currency_mismatch' | 'order_changed' | 'exceeds_refundable'

interface RefundRow {
  readonly refund_number: bigint
  readonly idempotency_key: string
  readonly order_reference: string
  readonly amount_cents: bigint
  readonly booked_at: bigint
  readonly reversed_at: bigint | null
}

/**
 * What is to be done about a request. What is known of its key comes first, so that a retry gets the first answer
 * although the refund itself has raised the order's version since. To be called in the transaction that books.
 */
export function judgeRefund(
  database: Database,
  request: RefundRequest,
): Judgement<BookableRefund, BookedRefund, RefundRefusal> {
  const key = judgeKey(database, request)
  if (key !== 'open' && key !== 'forgotten') return { kind: key }
  const [booked] = key === 'forgotten' ? [] : findRefundsOfKey(database, request.idempotencyKey)
  if (booked !== undefined) return { kind: 'booked_before', booked }
  // A refusal is not kept as an answer. Asked again it is judged again, and comes out the same unless it carries
  // another precondition: every change of an order raises its version.
  const order = findOrder(database, request.orderReference)
  const { amountCents } = request
  if (order === null) return { kind: 'refused', code: 'unknown_order' }
  if (amountCents === null) return { kind: 'refused', code: 'currency_mismatch' }
  if (order.version !== request.expectedVersion) return { kind: 'refused', code: 'order_changed' }
  if (amountCents > order.captured_cents - order.refunded_cents) return { kind: 'refused', code: 'exceeds_refundable' }
  return { kind: 'bookable', bookable: { ...request, amountCents } }
}

/** Books a refund that this transaction judged bookable. The version is checked again by the statement that raises it. */
export function bookRefund(database: Database, refund: BookableRefund, bookedAt: number): BookedRefund {
  const { orderReference, expectedVersion, amountCents } = refund
  const raised = database
    .prepare(
      `UPDATE orders SET refunded_cents = refunded_cents + ?, version = version + 1
       WHERE order_reference = ? AND version = ? RETURNING version`,
    )
    .get(amountCents, orderReference, expectedVersion)
  assert(raised !== undefined, 'the order changed between its judgement and its booking, in one transaction')
  const booked = insertRefund(database, refund, bookedAt)
  rememberKey(database, refund, 'booked')
  return booked
}

/**
 * Books once more a refund that this transaction has just booked: the fault of a system that lost its own check for
 * duplicates. The order shows no more refunded than was captured, as its table demands.
 */
export function bookRefundAgain(database: Database, refund: BookableRefund, bookedAt: number): void {
  database
    .prepare(
      `UPDATE orders SET refunded_cents = MIN(captured_cents, refunded_cents + ?), version = version + 1
       WHERE order_reference = ?`,
    )
    .run(refund.amountCents, refund.orderReference)
  insertRefund(database, { ...refund, expectedVersion: refund.expectedVersion + 1n }, bookedAt)
}

/** Reverses what was booked under a key. The booking stays in the books, and beside it when it was reversed. */
export function reverseRefunds(database: Database, idempotencyKey: string, reversedAt: number): void {
  database.prepare('UPDATE refunds SET reversed_at = ? WHERE idempotency_key = ?').run(reversedAt, idempotencyKey)
}

function insertRefund(database: Database, refund: BookableRefund, bookedAt: number): BookedRefund {
  const { idempotencyKey, orderReference, expectedVersion, amountCents } = refund
  const row = database
    .prepare<RefundRow>(
      `INSERT INTO refunds (idempotency_key, order_reference, order_version, amount_cents, booked_at)
       VALUES (?, ?, ?, ?, ?) RETURNING *`,
    )
    .get(idempotencyKey, orderReference, expectedVersion, amountCents, bookedAt)
  assert(row !== undefined, 'an insert answers its row')
  return refundOf(row)
}

/** Looks up by exact keys, never by prefix or likeness: all matches, and what is known of each key. */
export function findRefunds(database: Database, idempotencyKeys: readonly string[]): FoundRefunds {
  return {
    state: 'complete',
    refunds: idempotencyKeys.flatMap((key) => findRefundsOfKey(database, key)),
    requests: knownRequests(database, idempotencyKeys),
  }
}

/** How many refunds stand in the books, in the order of first booking. */
export function countRefunds(database: Database): readonly EffectCount[] {
  return database
    .prepare<RefundRow & { readonly count: bigint }>(
      `SELECT *, COUNT(*) AS count FROM refunds
       GROUP BY idempotency_key, order_reference, amount_cents ORDER BY MIN(refund_number)`,
    )
    .all()
    .map((row) => ({
      idempotencyKey: row.idempotency_key,
      orderReference: row.order_reference,
      amount: decimalOf(row.amount_cents),
      count: Number(row.count),
    }))
}

function findRefundsOfKey(database: Database, idempotencyKey: string): readonly BookedRefund[] {
  return database
    .prepare<RefundRow>('SELECT * FROM refunds WHERE idempotency_key = ? ORDER BY refund_number')
    .all(idempotencyKey)
    .map(refundOf)
}

function refundOf(row: RefundRow): BookedRefund {
  return {
    refundId: `RF-${row.refund_number}`,
    idempotencyKey: row.idempotency_key,
    orderReference: row.order_reference,
    amount: { amount: decimalOf(row.amount_cents), currency: 'EUR' },
    bookedAt: Number(row.booked_at),
    ...(row.reversed_at === null ? {} : { reversedAt: Number(row.reversed_at) }),
  }
}
