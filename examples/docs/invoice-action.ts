// The invoice payment: two finance managers release it, a large one needs a director too; invoice.ts tells its story.
import {
  Action,
  contract,
  type Execute,
  type Executed,
  money,
  type Prepare,
  PreparationRefused,
  type Resolve,
  type Snapshot,
  type Verified,
  type Verify,
} from 'countersign'
import { type Invoice, PayablesClient } from 'countersign/testing'
import { z } from 'zod'
import { isIban } from './iban.ts'

const destination = z.string().refine(isIban)
const approvalState = z.enum(['approved', 'on_hold', 'paid'])

// #region contract
export const invoicePayment = contract({
  type: 'example.payables/invoice-payment@1',
  schemas: {
    command: z.strictObject({ invoiceReference: z.string() }),
    // All that the decision rests on. A version notices what a value cannot: changed, and changed back.
    snapshot: z.strictObject({
      invoiceReference: z.string(),
      invoiceVersion: z.int(),
      approvalState,
      amount: money(),
      dueDate: z.iso.date(),
      supplierReference: z.string(),
      destination,
      accountVersion: z.int(),
      ledgerPeriod: z.string(),
      postingVersion: z.int(),
    }),
    preview: z.strictObject({
      title: z.string(),
      invoiceReference: z.string(),
      approvalState,
      amount: money(),
      dueDate: z.iso.date(),
      supplierReference: z.string(),
      destination,
      ledgerPeriod: z.string(),
    }),
    result: z.strictObject({ paymentId: z.string() }),
  },
  lifetime: '3d',
  // #region policy
  policy: {
    require: [
      { name: 'finance', count: 2, from: { role: 'finance-manager' } },
      {
        name: 'director',
        count: 1,
        from: { role: 'director' },
        when: { path: '/amount', atLeast: { amount: '10000.00', currency: 'EUR' } },
      },
    ],
    approvalTtl: '24h',
  },
  // #endregion
  permissions: {
    prepare: 'payables',
    read: ['payables', 'finance-manager', 'director'],
    decide: ['finance-manager', 'director'],
    execute: 'payables',
    reconcile: 'payables',
  },
  facts: ['/invoiceReference', '/amount', '/destination', '/ledgerPeriod'],
  verification: { delay: '1s' },
  target: { name: 'business-system', idempotent: { keyLifetime: '24h' } },
})
// #endregion
export type InvoicePayment = typeof invoicePayment

// #region action
export class InvoicePaymentAction extends Action<InvoicePayment> {
  readonly contract = invoicePayment
  readonly #payables: PayablesClient

  constructor(url: string) {
    super()
    this.#payables = new PayablesClient(url)
  }

  async prepare({ command, effect, signal }: Prepare<InvoicePayment>) {
    const { invoiceReference } = command
    const invoice = await this.#payables.readInvoice(invoiceReference, signal)
    if (invoice.approvalState !== 'approved') throw new PreparationRefused(`invoice_${invoice.approvalState}`)
    if (invoice.periodState !== 'open') throw new PreparationRefused('period_closed')
    // An invoice is paid once, whoever asks for it and however often. Approvers are shown what else there is about the
    // supplier: another payment, or a change of the account.
    const effectReference = effect.derive('invoice-payment', invoiceReference)
    const subject = effect.derive('supplier', invoice.supplierReference)
    return { snapshot: snapshotOf(invoice), effectReference, subject }
  }

  preview(snapshot: Snapshot<InvoicePayment>) {
    const { invoiceVersion: _invoice, accountVersion: _account, postingVersion: _posting, ...shown } = snapshot
    return { title: 'Pay an invoice', ...shown }
  }

  async resolve({ snapshot, signal }: Resolve<InvoicePayment>) {
    const current = snapshotOf(await this.#payables.readInvoice(snapshot.invoiceReference, signal))
    const { invoiceVersion, accountVersion, postingVersion } = current
    const precondition = `invoice-version:${invoiceVersion};account-version:${accountVersion};posting-version:${postingVersion}`
    return { current, precondition }
  }

  async execute(input: Execute<InvoicePayment>): Promise<Executed<InvoicePayment>> {
    const { snapshot, precondition, idempotencyKey, signal } = input
    const { invoiceReference, amount, destination: iban, ledgerPeriod } = snapshot
    const payment = { invoiceReference, amount, iban, ledgerPeriod, precondition, idempotencyKey, signal }
    const answer = await this.#payables.pay(payment)
    if (answer.outcome === 'invoice_changed') return { status: 'stale_no_effect', reason: answer.outcome }
    if (answer.outcome === 'refused') return { status: 'failed_known', reason: answer.reason }
    return { status: 'accepted', externalReference: answer.paymentId, result: { paymentId: answer.paymentId } }
  }

  async verify({ idempotencyKeys, signal }: Verify<InvoicePayment>): Promise<Verified<InvoicePayment>> {
    const { payments, isTerminal } = await this.#payables.findPayments(idempotencyKeys, signal)
    const found = payments[0]
    if (found === undefined) {
      return isTerminal
        ? { status: 'authoritative_final_absence', identity: idempotencyKeys, proof: 'terminal' }
        : { status: 'provisional_absence', identity: idempotencyKeys, reason: 'payment_not_visible_yet' }
    }
    return {
      status: 'verified_completion',
      identity: found.idempotencyKey,
      matches: payments.length,
      facts: {
        '/invoiceReference': found.invoiceReference,
        '/amount': found.amount,
        '/destination': found.iban,
        '/ledgerPeriod': found.ledgerPeriod,
      },
      externalReference: found.paymentId,
      result: { paymentId: found.paymentId },
      occurredAt: found.bookedAt,
    }
  }
}
// #endregion

function snapshotOf({ iban, periodState: _, ...invoice }: Invoice): Snapshot<InvoicePayment> {
  return { ...invoice, destination: iban }
}
