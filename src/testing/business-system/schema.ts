// The tables of the business system and the orders that it starts with.
import type { Database } from './database.ts'

/**
 * One refund per version of an order, one body per idempotency key, never more refunded than captured: the database
 * repeats what the code checks. Amounts are cents. `requests` is the log of what was seen, for tests and demos.
 */
export const schema = `
CREATE TABLE orders (
  order_reference TEXT PRIMARY KEY,
  version INTEGER NOT NULL CHECK (version >= 1),
  captured_cents INTEGER NOT NULL,
  refunded_cents INTEGER NOT NULL CHECK (refunded_cents BETWEEN 0 AND captured_cents)
) STRICT;

CREATE TABLE refunds (
  refund_number INTEGER PRIMARY KEY AUTOINCREMENT,
  idempotency_key TEXT NOT NULL,
  order_reference TEXT NOT NULL REFERENCES orders (order_reference),
  order_version INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  booked_at INTEGER NOT NULL,
  UNIQUE (order_reference, order_version)
) STRICT;
CREATE INDEX refunds_by_key ON refunds (idempotency_key);

CREATE TABLE keys (
  idempotency_key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('booked', 'refused', 'finished_without_effect'))
) STRICT;

CREATE TABLE requests (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  idempotency_key TEXT,
  precondition TEXT,
  body TEXT NOT NULL
) STRICT;
`

/** `ORD-1001` to `ORD-1100`, each captured 100.00 EUR with 20.00 refunded. Spec: http "countersign serve". */
export function seedOrders(database: Database): void {
  const insert = database.prepare('INSERT INTO orders VALUES (?, 1, 10000, 2000)')
  for (let number = 1_001; number <= 1_100; number += 1) insert.run(`ORD-${number}`)
}
