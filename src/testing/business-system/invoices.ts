// Invoices, suppliers' bank accounts and ledger periods: what a payment depends on, and how anybody else changes it.
import { decimalOf } from './cents.ts'
import type { Database } from './database.ts'
import type { ApprovalState, Invoice, PeriodState } from './payables-wire.ts'

export interface InvoiceRow {
  readonly invoice_reference: string
  readonly invoice_version: bigint
  readonly approval_state: ApprovalState
  readonly amount_cents: bigint
  readonly due_date: string
  readonly supplier_reference: string
  readonly iban: string
  readonly account_version: bigint
  readonly ledger_period: string
  readonly period_state: PeriodState
  readonly posting_version: bigint
}

/** The invoice with its supplier's account and its period, in one read. */
export function findInvoice(database: Database, invoiceReference: string): InvoiceRow | null {
  return (
    database
      .prepare<InvoiceRow>(
        `SELECT * FROM invoices JOIN suppliers USING (supplier_reference) JOIN periods USING (ledger_period)
         WHERE invoice_reference = ?`,
      )
      .get(invoiceReference) ?? null
  )
}

export function invoiceOf(row: InvoiceRow): Invoice {
  return {
    invoiceReference: row.invoice_reference,
    invoiceVersion: Number(row.invoice_version),
    approvalState: row.approval_state,
    amount: { amount: decimalOf(row.amount_cents), currency: 'EUR' },
    dueDate: row.due_date,
    supplierReference: row.supplier_reference,
    iban: row.iban,
    accountVersion: Number(row.account_version),
    ledgerPeriod: row.ledger_period,
    periodState: row.period_state,
    postingVersion: Number(row.posting_version),
  }
}

/** Approves an invoice or puts it on hold, and raises its version. To be called inside a transaction. */
export function changeApproval(
  database: Database,
  invoiceReference: string,
  state: Exclude<ApprovalState, 'paid'>,
): 'changed' | 'unknown_invoice' | 'not_payable' {
  const invoice = findInvoice(database, invoiceReference)
  if (invoice === null) return 'unknown_invoice'
  if (invoice.approval_state === 'paid') return 'not_payable'
  database
    .prepare(
      'UPDATE invoices SET approval_state = ?, invoice_version = invoice_version + 1 WHERE invoice_reference = ?',
    )
    .run(state, invoiceReference)
  return 'changed'
}

/** Sets a supplier's account and raises its version, also where the account is set to what it was before. */
export function changeBankAccount(
  database: Database,
  supplierReference: string,
  iban: string,
): 'changed' | 'unknown_supplier' {
  const row = database
    .prepare(
      `UPDATE suppliers SET iban = ?, account_version = account_version + 1
       WHERE supplier_reference = ? RETURNING 1`,
    )
    .get(iban, supplierReference)
  return row === undefined ? 'unknown_supplier' : 'changed'
}

/** Closes or opens a ledger period and raises its posting version. */
export function changePeriod(
  database: Database,
  ledgerPeriod: string,
  state: PeriodState,
): 'changed' | 'unknown_period' {
  const row = database
    .prepare(
      `UPDATE periods SET period_state = ?, posting_version = posting_version + 1
       WHERE ledger_period = ? RETURNING 1`,
    )
    .get(state, ledgerPeriod)
  return row === undefined ? 'unknown_period' : 'changed'
}
