// Changes of the business state behind the back of whoever decided on it: one list, for the second writer and over HTTP.
import { z } from 'zod'
import { centsOf } from './cents.ts'
import type { Database } from './database.ts'
import { isIban } from './iban.ts'
import { changeApproval, changeBankAccount, changePeriod } from './invoices.ts'
import { changeOrder } from './orders.ts'
import type { ApprovalState, PeriodState } from './payables-wire.ts'
import type { ProblemCode } from './reply.ts'

/** What a clerk or a nightly job would change; nothing is booked by it. */
export type BusinessChange =
  | { readonly orderReference: string; readonly refunded: string }
  | { readonly invoiceReference: string; readonly approvalState: Exclude<ApprovalState, 'paid'> }
  | { readonly supplierReference: string; readonly iban: string }
  | { readonly ledgerPeriod: string; readonly periodState: PeriodState }

export const businessChangeSchema: z.ZodType<BusinessChange> = z.union([
  z.strictObject({ orderReference: z.string(), refunded: z.string() }),
  z.strictObject({ invoiceReference: z.string(), approvalState: z.enum(['approved', 'on_hold']) }),
  z.strictObject({ supplierReference: z.string(), iban: z.string() }),
  z.strictObject({ ledgerPeriod: z.string(), periodState: z.enum(['open', 'closed']) }),
])

export type Changed =
  | { readonly kind: 'changed' }
  | { readonly kind: 'refused'; readonly subject: string; readonly code: ProblemCode }
  /** The value cannot be meant; the sentence says why. */
  | { readonly kind: 'malformed'; readonly detail: string }

/** Makes the change and raises the version of what it changes. To be called inside a transaction. */
export function applyChange(database: Database, change: BusinessChange): Changed {
  if ('refunded' in change) {
    const { orderReference, refunded } = change
    const refundedCents = centsOf(refunded)
    if (refundedCents === null) return { kind: 'malformed', detail: `not an amount with two decimals: ${refunded}` }
    return changed(orderReference, changeOrder(database, { orderReference, refundedCents }))
  }
  if ('approvalState' in change) {
    const { invoiceReference, approvalState } = change
    return changed(invoiceReference, changeApproval(database, invoiceReference, approvalState))
  }
  if ('iban' in change) {
    const { supplierReference, iban } = change
    if (!isIban(iban)) return { kind: 'malformed', detail: `not an IBAN: ${iban}` }
    return changed(supplierReference, changeBankAccount(database, supplierReference, iban))
  }
  const { ledgerPeriod, periodState } = change
  return changed(ledgerPeriod, changePeriod(database, ledgerPeriod, periodState))
}

function changed(subject: string, said: ProblemCode | 'changed'): Changed {
  return said === 'changed' ? { kind: 'changed' } : { kind: 'refused', subject, code: said }
}
