// The tables of the business system.

/**
 * One refund per version of an order, one payment per version of an invoice, one body per idempotency key, never more
 * refunded than captured: the database repeats what the code checks. Amounts are cents. `requests` is the log of what was
 * seen, for tests and demos.
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
  reversed_at INTEGER,
  UNIQUE (order_reference, order_version)
) STRICT;
CREATE INDEX refunds_by_key ON refunds (idempotency_key);

CREATE TABLE suppliers (
  supplier_reference TEXT PRIMARY KEY,
  iban TEXT NOT NULL,
  account_version INTEGER NOT NULL CHECK (account_version >= 1)
) STRICT;

CREATE TABLE periods (
  ledger_period TEXT PRIMARY KEY,
  period_state TEXT NOT NULL CHECK (period_state IN ('open', 'closed')),
  posting_version INTEGER NOT NULL CHECK (posting_version >= 1)
) STRICT;

CREATE TABLE invoices (
  invoice_reference TEXT PRIMARY KEY,
  supplier_reference TEXT NOT NULL REFERENCES suppliers (supplier_reference),
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  due_date TEXT NOT NULL,
  ledger_period TEXT NOT NULL REFERENCES periods (ledger_period),
  approval_state TEXT NOT NULL CHECK (approval_state IN ('approved', 'on_hold', 'paid')),
  invoice_version INTEGER NOT NULL CHECK (invoice_version >= 1)
) STRICT;

CREATE TABLE payments (
  payment_number INTEGER PRIMARY KEY AUTOINCREMENT,
  idempotency_key TEXT NOT NULL,
  invoice_reference TEXT NOT NULL REFERENCES invoices (invoice_reference),
  invoice_version INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  iban TEXT NOT NULL,
  ledger_period TEXT NOT NULL REFERENCES periods (ledger_period),
  booked_at INTEGER NOT NULL,
  reversed_at INTEGER,
  UNIQUE (invoice_reference, invoice_version)
) STRICT;
CREATE INDEX payments_by_key ON payments (idempotency_key);

CREATE TABLE keys (
  idempotency_key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('booked', 'refused', 'errored', 'forgotten', 'finished_without_effect'))
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
