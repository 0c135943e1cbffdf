// The worlds around the two example actions: the business system in its own process, behind a gate.
import Database from 'better-sqlite3'
import type { InvoicePayment } from '../../../examples/docs/invoice-action.ts'
import type { Refund } from '../../../examples/docs/refund-action.ts'
import type { ActionWorld, BusinessSystem, HttpGate, WorldFault } from '../../../src/testing.ts'
import { PayablesClient } from '../../../src/testing.ts'

/** Seeded by the gate into everything that the business system answers. */
export const PRIVATE_NOTE = 'canary-note-51be07'
const INTENT = 'canary-intent-9d22'

/** Two valid accounts that a supplier moves between. */
const IBANS = ['DE89370400440532013000', 'GB82WEST12345698765432'] as const

/** Refunds of the hundred orders in turn, each command with an intent of its own. */
export function refundWorld(business: BusinessSystem, gate: HttpGate): ActionWorld<Refund> {
  let commands = 0
  return {
    ...behindGate(business, gate),
    async command() {
      commands += 1
      return {
        orderReference: `ORD-${1001 + (commands % 100)}`,
        intent: `${INTENT}-${commands}`,
        amount: { amount: '0.50', currency: 'EUR' },
      }
    },
    effects: async ({ orderReference }) => effectsOf(business, 'orderReference', orderReference),
    changes: {
      'a refund by somebody else': async ({ orderReference }) => {
        await post(business, { orderReference, refunded: '21.00' })
      },
      'changed and changed back': async ({ orderReference }) => {
        await post(business, { orderReference, refunded: '22.00' })
        await post(business, { orderReference, refunded: '20.00' })
      },
    },
    duplicate: async (_command, key) =>
      inBooks(
        business,
        `insert into refunds (idempotency_key, order_reference, order_version, amount_cents, booked_at)
          select idempotency_key, order_reference, -refund_number, amount_cents, booked_at from refunds
          where idempotency_key = ?`,
        key,
      ),
    alter: async (_command, key) =>
      inBooks(business, 'update refunds set amount_cents = 7 where idempotency_key = ?', key),
    secrets: [PRIVATE_NOTE, INTENT],
  }
}

/** Payments of the hundred invoices, each of which is paid once. */
export function invoiceWorld(business: BusinessSystem, gate: HttpGate): ActionWorld<InvoicePayment> {
  const payables = new PayablesClient(business.url)
  let commands = 0
  return {
    ...behindGate(business, gate),
    async command() {
      for (;;) {
        commands += 1
        const invoiceReference = `INV-${2001 + (commands % 100)}`
        const { approvalState } = await payables.readInvoice(invoiceReference)
        if (approvalState === 'approved') return { invoiceReference }
      }
    },
    effects: async ({ invoiceReference }) => effectsOf(business, 'invoiceReference', invoiceReference),
    changes: {
      'another account': async ({ invoiceReference }) => {
        const { supplierReference, iban } = await payables.readInvoice(invoiceReference)
        await post(business, { supplierReference, iban: iban === IBANS[0] ? IBANS[1] : IBANS[0] })
      },
      'an account changed and changed back': async ({ invoiceReference }) => {
        const { supplierReference, iban } = await payables.readInvoice(invoiceReference)
        await post(business, { supplierReference, iban: IBANS[0] })
        await post(business, { supplierReference, iban })
      },
      'a period closed and opened': async ({ invoiceReference }) => {
        const { ledgerPeriod } = await payables.readInvoice(invoiceReference)
        await post(business, { ledgerPeriod, periodState: 'closed' })
        await post(business, { ledgerPeriod, periodState: 'open' })
      },
      'held and released': async ({ invoiceReference }) => {
        await post(business, { invoiceReference, approvalState: 'on_hold' })
        await post(business, { invoiceReference, approvalState: 'approved' })
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
    secrets: [PRIVATE_NOTE],
  }
}

/** What is the same for both: faults, and the gate. */
function behindGate(
  business: BusinessSystem,
  gate: HttpGate,
): Pick<ActionWorld, 'writes' | 'beforeNextWrite' | 'faults' | 'heal' | 'removes'> {
  const faults: Readonly<Record<WorldFault, () => Promise<void>>> = {
    commit_then_drop: async () => business.faults('commit_then_drop', 1),
    drop_before_commit: async () => business.faults('drop_before_commit', 1),
    lagging_reads: async () => business.faults('stale_reads', 1),
    truncated: async () => gate.fault('read', 'truncate_answer'),
    outage: async () => gate.cut(),
  }
  return {
    writes: async () => gate.writes(),
    beforeNextWrite: (act) => gate.beforeNextWrite(act),
    faults,
    heal: async () => gate.restore(),
    removes: false,
  }
}

async function effectsOf(
  business: BusinessSystem,
  name: 'orderReference' | 'invoiceReference',
  reference: string,
): Promise<number> {
  const effects = (await business.effects()).filter((effect) => effect[name] === reference)
  return effects.reduce((sum, { count }) => sum + count, 0)
}

/** Another writer, without a process of its own for each of a thousand changes. */
async function post(business: BusinessSystem, change: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(change)
  const { ok, status } = await fetch(new URL('/_ledger', business.url), { method: 'POST', headers, body })
  if (!ok) throw new Error(`the business system did not change: ${status}`)
}

function inBooks({ file }: BusinessSystem, sql: string, key: string): void {
  const database = new Database(file)
  try {
    database.prepare(sql).run(key)
  } finally {
    database.close()
  }
}
