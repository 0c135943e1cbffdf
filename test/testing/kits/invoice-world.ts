// The world around the invoice payment of the examples: with the faults of the refund's, other changes and another count.
import type { InvoicePayment } from '../../../examples/docs/invoice-action.ts'
import { changeLedger, inBooks, refundWorld, secrets } from '../../../examples/docs/refund-world.ts'
import { type ActionWorld, type BusinessSystem, type HttpGate, PayablesClient } from '../../../src/testing.ts'

/** Two valid accounts that a supplier moves between. */
const IBANS = ['DE89370400440532013000', 'GB82WEST12345698765432'] as const

/** Payments of the hundred invoices, each of which is paid once. */
export function invoiceWorld(business: BusinessSystem, gate: HttpGate): ActionWorld<InvoicePayment> {
  const refunds = refundWorld(business, gate)
  const payables = new PayablesClient(business.url)
  let commands = 0
  return {
    writes: async () => refunds.writes(),
    beforeNextWrite: (act) => refunds.beforeNextWrite(act),
    faults: refunds.faults,
    heal: async () => refunds.heal(),
    removes: false,
    async command() {
      for (;;) {
        commands += 1
        const invoiceReference = `INV-${2001 + (commands % 100)}`
        const { approvalState } = await payables.readInvoice(invoiceReference)
        if (approvalState === 'approved') return { invoiceReference }
      }
    },
    async effects({ invoiceReference }) {
      const ofInvoice = (await business.effects()).filter((effect) => effect.invoiceReference === invoiceReference)
      return ofInvoice.reduce((sum, { count }) => sum + count, 0)
    },
    changes: {
      'another account': async ({ invoiceReference }) => {
        const { supplierReference, iban } = await payables.readInvoice(invoiceReference)
        await changeLedger(business.url, { supplierReference, iban: iban === IBANS[0] ? IBANS[1] : IBANS[0] })
      },
      'an account changed and changed back': async ({ invoiceReference }) => {
        const { supplierReference, iban } = await payables.readInvoice(invoiceReference)
        await changeLedger(business.url, { supplierReference, iban: IBANS[0] })
        await changeLedger(business.url, { supplierReference, iban })
      },
      'a period closed and opened': async ({ invoiceReference }) => {
        const { ledgerPeriod } = await payables.readInvoice(invoiceReference)
        await changeLedger(business.url, { ledgerPeriod, periodState: 'closed' })
        await changeLedger(business.url, { ledgerPeriod, periodState: 'open' })
      },
      'held and released': async ({ invoiceReference }) => {
        await changeLedger(business.url, { invoiceReference, approvalState: 'on_hold' })
        await changeLedger(business.url, { invoiceReference, approvalState: 'approved' })
      },
    },
    duplicate: async (_command, key) =>
      inBooks(
        business,
        `insert into payments
            (idempotency_key, invoice_reference, invoice_version, amount_cents, iban, ledger_period, booked_at)
          select idempotency_key, invoice_reference, -payment_number, amount_cents, iban, ledger_period, booked_at
          from payments where idempotency_key = ?`,
        key,
      ),
    alter: async (_command, key) =>
      inBooks(business, 'update payments set amount_cents = 7 where idempotency_key = ?', key),
    secrets: secrets.slice(1),
  }
}
