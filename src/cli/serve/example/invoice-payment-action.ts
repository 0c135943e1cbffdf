// The invoice payment that `serve` offers: two finance managers release it, from 10,000.00 EUR on a director too.
import { z } from 'zod'
import {
  Action,
  type Execute,
  type Executed,
  type Prepare,
  type Prepared,
  type Preview,
  type Resolve,
  type Resolved,
  type Snapshot,
  type Verified,
  type Verify,
} from '../../../proposal/action.ts'
import { contract } from '../../../proposal/contract.ts'
import { PreparationRefused } from '../../../proposal/errors.ts'
import { money } from '../../../proposal/money.ts'
import { PayablesClient } from '../../../testing/business-system/payables-client.ts'
import type { Invoice } from '../../../testing/business-system/payables-wire.ts'
import { examplePermissions } from './permissions.ts'
import { ifKnown, orRefused } from './unknown-thing.ts'

const approvalState = z.enum(['approved', 'on_hold', 'paid'])

/** What approvers are shown of an invoice, beside a title; the snapshot has the versions of all that it rests on too. */
const shown = {
  invoiceReference: z.string().meta({ inbox: { as: 'identifier', label: 'Invoice' } }),
  approvalState,
  amount: money(),
  dueDate: z.iso.date(),
  supplierReference: z.string().meta({ inbox: { as: 'party', label: 'Supplier' } }),
  destination: z.string().meta({ inbox: { as: 'identifier', label: 'Account' } }),
  ledgerPeriod: z.string(),
}

const invoicePayment = contract({
  type: 'example.payables/invoice-payment@1',
  schemas: {
    command: z.strictObject({ invoiceReference: z.string() }),
    snapshot: z.strictObject({ ...shown, invoiceVersion: z.int(), accountVersion: z.int(), postingVersion: z.int() }),
    preview: z.strictObject({ title: z.string(), ...shown }).meta({
      inbox: {
        effect: 'The amount is paid to the supplier’s account.',
        undo: 'A payment cannot be called back; the supplier would have to return it.',
      },
    }),
    result: z.strictObject({ paymentId: z.string() }),
  },
  lifetime: '3d',
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
    exclude: { requester: true, agentOwner: true },
    approvalTtl: '24h',
  },
  permissions: examplePermissions,
  facts: ['/invoiceReference', '/amount', '/destination', '/ledgerPeriod'],
  executeTimeout: '10s',
  inFlight: '5s',
  verification: { delay: '1s' },
  acceptProof: { resend: ['terminal'] },
  target: { name: 'business-system', idempotent: { keyLifetime: '24h' } },
})
type InvoicePayment = typeof invoicePayment

/** Pays an invoice of the example's business system. */
export class InvoicePaymentAction extends Action<InvoicePayment> {
  readonly contract = invoicePayment
  readonly #payables: PayablesClient

  constructor(url: string) {
    super()
    this.#payables = new PayablesClient(url)
  }

  async prepare({ command, effect, signal }: Prepare<InvoicePayment>): Promise<Prepared<InvoicePayment>> {
    const { invoiceReference } = command
    const invoice = await orRefused(this.#payables.readInvoice(invoiceReference, signal))
    if (invoice.approvalState !== 'approved') throw new PreparationRefused(`invoice_${invoice.approvalState}`)
    if (invoice.periodState !== 'open') throw new PreparationRefused('period_closed')
    return {
      snapshot: snapshotOf(invoice),
      effectReference: effect.derive('invoice-payment', invoiceReference),
      subject: effect.derive('supplier', invoice.supplierReference),
    }
  }

  preview(snapshot: Snapshot<InvoicePayment>): Preview<InvoicePayment> {
    const { invoiceVersion: _invoice, accountVersion: _account, postingVersion: _posting, ...rest } = snapshot
    return { title: 'Pay an invoice', ...rest }
  }

  async resolve({ snapshot, signal }: Resolve<InvoicePayment>): Promise<Resolved<InvoicePayment>> {
    const invoice = await ifKnown(this.#payables.readInvoice(snapshot.invoiceReference, signal))
    if (invoice === null) return { current: null, precondition: 'invoice-gone' }
    const { invoiceVersion, accountVersion, postingVersion } = invoice
    const precondition = `invoice-version:${invoiceVersion};account-version:${accountVersion};posting-version:${postingVersion}`
    return { current: snapshotOf(invoice), precondition }
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

function snapshotOf({ iban, periodState: _, ...invoice }: Invoice): Snapshot<InvoicePayment> {
  return { ...invoice, destination: iban }
}
