// The words of the business system about invoices and their payment, for server and client alike.
import { z } from 'zod'
import type { Money } from '../../proposal/money.ts'
import { type LookUp, lookUpShape, moneySchema } from './wire.ts'

/** `paid` is for good; the other two are for people to say. */
export type ApprovalState = 'approved' | 'on_hold' | 'paid'

/** Whether anything may be posted in a ledger period. */
export type PeriodState = 'open' | 'closed'

/**
 * An invoice with what its payment depends on, as all of it stands now. Every change of the invoice, by whomever, raises
 * `invoiceVersion` by one; every change of the supplier's account `accountVersion`, also one back to an earlier IBAN; every
 * closing or opening of the period `postingVersion`. A posting in the period leaves the latter alone.
 */
export interface Invoice {
  readonly invoiceReference: string
  readonly invoiceVersion: number
  readonly approvalState: ApprovalState
  readonly amount: Money
  /** A calendar date, `2030-01-31`; it has no time zone. */
  readonly dueDate: string
  readonly supplierReference: string
  readonly iban: string
  readonly accountVersion: number
  /** `2030-01`. */
  readonly ledgerPeriod: string
  readonly periodState: PeriodState
  readonly postingVersion: number
}

/** What is asked of the business system. With the idempotency key it names one payment for ever. */
export interface PaymentBody {
  readonly invoiceReference: string
  readonly amount: Money
  readonly iban: string
  readonly ledgerPeriod: string
}

/** What the business system answers when a payment is booked. */
export interface PaymentAnswer extends PaymentBody {
  readonly paymentId: string
}

/** A payment in the books. `bookedAt` is an instant of the business system's clock. */
export interface BookedPayment extends PaymentAnswer {
  readonly idempotencyKey: string
  readonly bookedAt: number
  /** When it was reversed, if it was. */
  readonly reversedAt?: number
}

/** A look-up with every payment that carries one of the keys. */
export interface FoundPayments extends LookUp {
  readonly payments: readonly BookedPayment[]
}

const name = z.string().min(1).max(255)
const paymentBodyShape = { invoiceReference: name, amount: moneySchema, iban: name, ledgerPeriod: name }
const paymentAnswerShape = { ...paymentBodyShape, paymentId: z.string() }

export const paymentBodySchema: z.ZodType<PaymentBody> = z.strictObject(paymentBodyShape)

export const invoiceSchema: z.ZodType<Invoice> = z.object({
  invoiceReference: z.string(),
  invoiceVersion: z.int(),
  approvalState: z.enum(['approved', 'on_hold', 'paid']),
  amount: moneySchema,
  dueDate: z.iso.date(),
  supplierReference: z.string(),
  iban: z.string(),
  accountVersion: z.int(),
  ledgerPeriod: z.string(),
  periodState: z.enum(['open', 'closed']),
  postingVersion: z.int(),
})

export const paymentAnswerSchema: z.ZodType<PaymentAnswer> = z.object(paymentAnswerShape)

export const foundPaymentsSchema: z.ZodType<FoundPayments> = z.object({
  ...lookUpShape,
  payments: z.array(
    z.object({
      ...paymentAnswerShape,
      idempotencyKey: z.string(),
      bookedAt: z.int(),
      reversedAt: z.exactOptional(z.int()),
    }),
  ),
})
