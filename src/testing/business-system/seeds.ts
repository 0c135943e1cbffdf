// What the business system starts with: orders to refund and invoices to pay. Spec: http "countersign serve".
import type { Database } from './database.ts'
import { ibanOf } from './iban.ts'

const suppliers = 10
const bankCode = '37040044'

export function seed(database: Database): void {
  seedOrders(database)
  seedSuppliers(database)
  database.prepare("INSERT INTO periods VALUES ('2030-01', 'open', 1)").run()
  seedInvoices(database, { from: 2_001, to: 2_050, cents: 125_000 })
  seedInvoices(database, { from: 2_051, to: 2_100, cents: 1_250_000 })
}

/** `ORD-1001` to `ORD-1100`, each captured 100.00 EUR with 20.00 refunded. */
function seedOrders(database: Database): void {
  const insert = database.prepare('INSERT INTO orders VALUES (?, 1, 10000, 2000)')
  for (let number = 1_001; number <= 1_100; number += 1) insert.run(`ORD-${number}`)
}

/** `SUP-301` to `SUP-310`, each with an account of its own. */
function seedSuppliers(database: Database): void {
  const insert = database.prepare('INSERT INTO suppliers VALUES (?, ?, 1)')
  for (let number = 301; number < 301 + suppliers; number += 1) {
    insert.run(`SUP-${number}`, ibanOf('DE', `${bankCode}${String(number).padStart(10, '0')}`))
  }
}

/** Approved invoices of one amount, due at the end of the period; the suppliers take turns. */
function seedInvoices(
  database: Database,
  { from, to, cents }: { readonly from: number; readonly to: number; readonly cents: number },
): void {
  const insert = database.prepare("INSERT INTO invoices VALUES (?, ?, ?, '2030-01-31', '2030-01', 'approved', 1)")
  for (let number = from; number <= to; number += 1) {
    insert.run(`INV-${number}`, `SUP-${301 + ((number - from) % suppliers)}`, cents)
  }
}
