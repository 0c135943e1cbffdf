// A process of its own that opens the business system's file and changes one order behind its back: the real second writer.
import { centsOf } from './cents.ts'
import { openDatabase } from './database.ts'
import { changeOrder } from './orders.ts'

const [file = '', orderReference = '', refunded = ''] = process.argv.slice(2)

try {
  changeOneOrder()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function changeOneOrder(): void {
  const refundedCents = centsOf(refunded)
  if (refundedCents === null) throw new Error(`not an amount with two decimals: ${refunded}`)
  const database = openDatabase(file, { create: false })
  const changed = database.transaction(() => changeOrder(database, { orderReference, refundedCents })).immediate()
  database.close()
  if (changed !== 'changed') throw new Error(`${orderReference} cannot be changed: ${changed}`)
}
