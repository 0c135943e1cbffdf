// Orders: the business state that a refund depends on, and the one way in which anybody else changes it.
import { decimalOf } from './cents.ts'
import type { Database } from './database.ts'
import type { Order } from './wire.ts'

export interface OrderRow {
  readonly order_reference: string
  readonly version: bigint
  readonly captured_cents: bigint
  readonly refunded_cents: bigint
}

export function findOrder(database: Database, orderReference: string): OrderRow | null {
  return database.prepare<OrderRow>('SELECT * FROM orders WHERE order_reference = ?').get(orderReference) ?? null
}

export function orderOf(row: OrderRow): Order {
  return {
    orderReference: row.order_reference,
    orderVersion: Number(row.version),
    captured: { amount: decimalOf(row.captured_cents), currency: 'EUR' },
    refunded: { amount: decimalOf(row.refunded_cents), currency: 'EUR' },
  }
}

/**
 * Sets what is refunded of an order and raises its version, as a clerk or a nightly job would: no refund is booked.
 * To be called inside a transaction.
 */
export function changeOrder(
  database: Database,
  change: { readonly orderReference: string; readonly refundedCents: bigint },
): 'changed' | 'unknown_order' | 'exceeds_captured' {
  const order = findOrder(database, change.orderReference)
  if (order === null) return 'unknown_order'
  if (change.refundedCents > order.captured_cents) return 'exceeds_captured'
  database
    .prepare('UPDATE orders SET refunded_cents = ?, version = version + 1 WHERE order_reference = ?')
    .run(change.refundedCents, change.orderReference)
  return 'changed'
}
