// A business system for one test: its own process, its own folder, both gone when the test is over.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { BusinessClient, type RefundOrder } from '../../../src/testing/business-system/client.ts'
import { PayablesClient, type PaymentOrder } from '../../../src/testing/business-system/payables-client.ts'
import {
  type BusinessSystem,
  type BusinessSystemOptions,
  startBusinessSystem,
} from '../../../src/testing/business-system/start.ts'

export interface Fixture {
  readonly system: BusinessSystem
  readonly client: BusinessClient
  readonly payables: PayablesClient
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-business-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

export async function startForTest(options: Partial<BusinessSystemOptions> = {}): Promise<Fixture> {
  const system = await startBusinessSystem({ file: join(temporaryFolder(), 'business.db'), ...options })
  onTestFinished(async () => system.stop())
  return { system, client: new BusinessClient(system.url), payables: new PayablesClient(system.url) }
}

export function eur(amount: string): { readonly amount: string; readonly currency: string } {
  return { amount, currency: 'EUR' }
}

/** A refund of 10.00 EUR for ORD-1001 as it is at first start, unless said otherwise. */
export function refundOrder(differing: Partial<RefundOrder> = {}): RefundOrder {
  return {
    orderReference: 'ORD-1001',
    amount: eur('10.00'),
    precondition: 'order-version:1',
    idempotencyKey: 'key-1',
    ...differing,
  }
}

/** The account of SUP-301, at first start. */
export const ibanOfFirstSupplier = 'DE89370400440000000301'

/** A payment of INV-2001 as it is at first start, unless said otherwise. */
export function paymentOrder(differing: Partial<PaymentOrder> = {}): PaymentOrder {
  return {
    invoiceReference: 'INV-2001',
    amount: eur('1250.00'),
    iban: ibanOfFirstSupplier,
    ledgerPeriod: '2030-01',
    precondition: 'invoice-version:1;account-version:1;posting-version:1',
    idempotencyKey: 'key-1',
    ...differing,
  }
}
