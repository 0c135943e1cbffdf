// Invoices and payments over HTTP: what a payment depends on, its three versions, its key, its faults and the second writer.
import { describe, expect, it } from 'vitest'
import type { PaymentOrder } from '../../../src/testing/business-system/payables-client.ts'
import { type Fixture, eur, ibanOfFirstSupplier, paymentOrder, refundOrder, startForTest } from './fixture.ts'

const otherIban = 'GB82WEST12345698765432'

describe('invoices', () => {
  it('are there from the first start: 1,250.00 EUR up to INV-2050, then 12,500.00 EUR up to INV-2100', async () => {
    const { payables } = await startForTest()
    const invoice = {
      invoiceVersion: 1,
      approvalState: 'approved',
      dueDate: '2030-01-31',
      accountVersion: 1,
      ledgerPeriod: '2030-01',
      periodState: 'open',
      postingVersion: 1,
    }

    expect(await payables.readInvoice('INV-2001')).toEqual({
      ...invoice,
      invoiceReference: 'INV-2001',
      amount: eur('1250.00'),
      supplierReference: 'SUP-301',
      iban: ibanOfFirstSupplier,
    })
    expect(await payables.readInvoice('INV-2050')).toMatchObject({ ...invoice, amount: eur('1250.00') })
    for (const last of ['INV-2051', 'INV-2100']) {
      expect(await payables.readInvoice(last)).toMatchObject({ ...invoice, amount: eur('12500.00') })
    }
    for (const unknown of ['INV-2000', 'INV-2101', '', 'INV-2001/x']) {
      await expect(payables.readInvoice(unknown)).rejects.toMatchObject({ status: 404 })
    }
  })

  it('carry their three versions as a strong entity tag, in the form in which a payment states them', async () => {
    const { system } = await startForTest()

    const response = await fetch(`${system.url}/invoices/INV-2001`)

    expect(response.headers.get('etag')).toBe(`"${paymentOrder().precondition}"`)
  })
})

describe('a payment', () => {
  it('is booked once, and leaves its invoice paid', async () => {
    const { system, payables } = await startForTest()

    const booked = await payables.pay(paymentOrder())

    const { amount, iban, ledgerPeriod } = paymentOrder()
    const payment = { paymentId: 'PAY-1', invoiceReference: 'INV-2001', amount, iban, ledgerPeriod }
    expect(booked).toEqual({ outcome: 'booked', ...payment })
    expect(await payables.readInvoice('INV-2001')).toMatchObject({ invoiceVersion: 2, approvalState: 'paid' })
    expect(await payables.findPayments(['key-1'])).toMatchObject({ state: 'complete', payments: [payment] })
    expect(await system.effects()).toEqual([
      { idempotencyKey: 'key-1', invoiceReference: 'INV-2001', amount: '1250.00', count: 1 },
    ])
  })

  it('changes nothing that another payment of the supplier or in the period depends on', async () => {
    const { payables } = await startForTest()
    const before = await payables.readInvoice('INV-2011')

    await payables.pay(paymentOrder())

    expect(before.supplierReference).toBe('SUP-301')
    expect(await payables.readInvoice('INV-2011')).toEqual(before)
  })

  it('is the first payment for whoever repeats it, whatever has changed since', async () => {
    const { system, payables } = await startForTest()
    const first = await payables.pay(paymentOrder())
    await system.changeBankAccount('SUP-301', otherIban)

    expect(await payables.pay(paymentOrder())).toEqual(first)
    expect(await system.effects()).toMatchObject([{ count: 1 }])
  })

  it.each<[string, Partial<PaymentOrder>, string]>([
    ['an unknown invoice', { invoiceReference: 'INV-1' }, 'unknown_invoice'],
    ['another currency', { amount: { amount: '1250.00', currency: 'USD' } }, 'currency_mismatch'],
    ['another amount than the invoice has', { amount: eur('1250.01') }, 'payment_differs'],
    ['another account than the supplier has', { iban: otherIban }, 'payment_differs'],
    ['another period than the invoice has', { ledgerPeriod: '2030-02' }, 'payment_differs'],
  ])('of %s is refused for certain', async (_, differing, reason) => {
    const { system, payables } = await startForTest()

    expect(await payables.pay(paymentOrder(differing))).toEqual({ outcome: 'refused', reason })
    expect(await system.effects()).toEqual([])
  })

  it.each<[string, (fixture: Fixture) => Promise<unknown>]>([
    ['paid', async ({ payables }) => payables.pay(paymentOrder())],
    ['on hold', async ({ system }) => system.changeApproval('INV-2001', 'on_hold')],
    ['of a closed period', async ({ system }) => system.changePeriod('2030-01', 'closed')],
  ])('of an invoice that is %s is refused for certain', async (_, change) => {
    const fixture = await startForTest()
    await change(fixture)
    const before = await fixture.system.effects()

    const answer = await fixture.payables.pay(await orderNow(fixture, { idempotencyKey: 'key-2' }))

    expect(answer).toEqual({ outcome: 'refused', reason: 'not_payable' })
    expect(await fixture.system.effects()).toEqual(before)
  })

  it.each([
    ['of a refund', async ({ client }: Fixture) => client.refund(refundOrder())],
    [
      'of another payment',
      async ({ payables }: Fixture) => payables.pay(paymentOrder({ invoiceReference: 'INV-2011' })),
    ],
  ])('under the key %s is unknown to the client, which throws', async (_, first) => {
    const fixture = await startForTest()
    await first(fixture)

    await expect(fixture.payables.pay(paymentOrder())).rejects.toMatchObject({ code: 'idempotency_mismatch' })
    expect(await fixture.system.effects()).toHaveLength(1)
  })

  it.each([
    ['no precondition', {}, 428],
    ['one version too few', { 'if-match': '"invoice-version:1;account-version:1"' }, 400],
    ['another order of the versions', { 'if-match': '"account-version:1;invoice-version:1;posting-version:1"' }, 400],
  ])('with %s is refused', async (_, headers, status) => {
    const { system } = await startForTest()
    const { precondition: _precondition, idempotencyKey, ...body } = paymentOrder()

    const response = await fetch(`${system.url}/payments`, {
      method: 'POST',
      headers: { 'idempotency-key': idempotencyKey, ...headers },
      body: JSON.stringify(body),
    })

    expect(response.status).toBe(status)
    expect(await system.effects()).toEqual([])
  })
})

describe('the second writer', () => {
  it('moves one version for each thing that it changes, also back to what it was', async () => {
    const { system, payables } = await startForTest()

    await system.changeApproval('INV-2001', 'on_hold')
    await system.changeApproval('INV-2001', 'approved')
    await system.changeBankAccount('SUP-301', otherIban)
    await system.changeBankAccount('SUP-301', ibanOfFirstSupplier)
    await system.changePeriod('2030-01', 'closed')
    await system.changePeriod('2030-01', 'open')

    expect(await payables.readInvoice('INV-2001')).toMatchObject({
      approvalState: 'approved',
      iban: ibanOfFirstSupplier,
      periodState: 'open',
      invoiceVersion: 3,
      accountVersion: 3,
      postingVersion: 3,
    })
    expect(await payables.readInvoice('INV-2002')).toMatchObject({
      invoiceVersion: 1,
      accountVersion: 1,
      postingVersion: 3,
    })
  })

  it.each<[string, (fixture: Fixture) => Promise<void>]>([
    ['invoice', async ({ system }) => system.changeApproval('INV-2001', 'approved')],
    ['account', async ({ system }) => system.changeBankAccount('SUP-301', ibanOfFirstSupplier)],
    ['period', async ({ system }) => system.changePeriod('2030-01', 'open')],
  ])('is noticed by a payment that was decided on an earlier version of the %s', async (_, change) => {
    const fixture = await startForTest()

    await change(fixture)

    expect(await fixture.payables.pay(paymentOrder())).toEqual({ outcome: 'invoice_changed' })
    expect(await fixture.system.effects()).toEqual([])
  })

  it.each<[string, (system: Fixture['system']) => Promise<void>]>([
    ['INV-1 cannot be changed: unknown_invoice', async (system) => system.changeApproval('INV-1', 'on_hold')],
    ['INV-2001 cannot be changed: not_payable', async (system) => system.changeApproval('INV-2001', 'approved')],
    ['SUP-1 cannot be changed: unknown_supplier', async (system) => system.changeBankAccount('SUP-1', otherIban)],
    ['not an IBAN: GB82', async (system) => system.changeBankAccount('SUP-301', 'GB82')],
    ['1999-01 cannot be changed: unknown_period', async (system) => system.changePeriod('1999-01', 'open')],
  ])('says in one sentence: %s', async (sentence, change) => {
    const { system, payables } = await startForTest()
    await payables.pay(paymentOrder())

    await expect(change(system)).rejects.toThrow(new Error(sentence))
  })

  it('has its changes over HTTP too', async () => {
    const { system, payables } = await startForTest()
    const change = { supplierReference: 'SUP-301', iban: otherIban }

    const response = await fetch(`${system.url}/_ledger`, { method: 'POST', body: JSON.stringify(change) })

    expect([response.status, await response.json()]).toEqual([200, change])
    expect(await payables.readInvoice('INV-2001')).toMatchObject({ iban: otherIban, accountVersion: 2 })
  })
})

describe('faults meet payments as they meet refunds', () => {
  it('commit_then_drop books and breaks the connection', async () => {
    const { system, payables } = await startForTest()
    await system.faults('commit_then_drop', 1)

    await expect(payables.pay(paymentOrder())).rejects.toThrow('fetch failed')

    expect(await payables.findPayments(['key-1'])).toMatchObject({ payments: [{ paymentId: 'PAY-1' }] })
    expect(await payables.pay(paymentOrder())).toMatchObject({ outcome: 'booked', paymentId: 'PAY-1' })
  })

  it('drop_before_commit leaves the key finished without effect, for good', async () => {
    const { system, payables } = await startForTest()
    await system.faults('drop_before_commit', 1)

    await expect(payables.pay(paymentOrder())).rejects.toThrow('fetch failed')

    expect(await payables.findPayments(['key-1'])).toMatchObject({ payments: [], isTerminal: true })
    expect(await payables.pay(paymentOrder())).toEqual({ outcome: 'refused', reason: 'request_finished' })
    expect(await payables.pay(paymentOrder({ idempotencyKey: 'key-2' }))).toMatchObject({ outcome: 'booked' })
    expect(await payables.findPayments(['key-1', 'key-2'])).toMatchObject({ isTerminal: false })
  })

  it('stale_reads answers a look-up as if nothing had been paid', async () => {
    const { system, payables } = await startForTest()
    await payables.pay(paymentOrder())
    await system.faults('stale_reads', 1)

    expect(await payables.findPayments(['key-1'])).toEqual({
      state: 'provisional',
      payments: [],
      requests: [{ idempotencyKey: 'key-1', state: 'never_seen' }],
      isTerminal: false,
    })
    expect(await payables.findPayments(['key-1'])).toMatchObject({ payments: [{ paymentId: 'PAY-1' }] })
  })
})

/** A payment of INV-2001 on its versions as they are now. */
async function orderNow({ payables }: Fixture, differing: Partial<PaymentOrder>): Promise<PaymentOrder> {
  const { invoiceVersion, accountVersion, postingVersion } = await payables.readInvoice('INV-2001')
  const precondition = `invoice-version:${invoiceVersion};account-version:${accountVersion};posting-version:${postingVersion}`
  return paymentOrder({ precondition, ...differing })
}
