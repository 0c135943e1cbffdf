// The file of the business system: how it is opened, and what the database itself refuses.
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../../../src/testing/business-system/database.ts'
import { temporaryFolder } from './fixture.ts'

describe('the file of the business system', () => {
  it('is opened with a write-ahead log and full synchronisation, each time', () => {
    const file = join(temporaryFolder(), 'business.db')

    for (const create of [true, false]) {
      const database = open(file, create)
      const mode = (name: string) => database.pragma(name, { simple: true })
      expect([mode('journal_mode'), mode('synchronous'), mode('foreign_keys')]).toEqual(['wal', 2n, 1n])
    }
  })

  it('is not made by one who only wants to change it', () => {
    const file = join(temporaryFolder(), 'missing.db')

    expect(() => open(file, false)).toThrow(`the example business system cannot use ${file}`)
  })

  it('is a file: what is only in memory has no second writer', () => {
    expect(() => open(':memory:', true)).toThrow('no write-ahead log is possible')
  })

  it.each([
    ['more refunded than captured', 'UPDATE orders SET refunded_cents = captured_cents + 1'],
    ['less refunded than nothing', 'UPDATE orders SET refunded_cents = -1'],
    ['a refund of nothing', insertRefund({ amountCents: 0 })],
    ['a refund of no order', insertRefund({ orderReference: 'ORD-9999' })],
    ['two refunds on one version of an order', `${insertRefund({})}; ${insertRefund({})}`],
    ['another state of a key', "INSERT INTO keys VALUES ('key-1', '', 'never_seen')"],
    ['a second record of a key', "INSERT INTO keys VALUES ('a', '', 'booked'), ('a', '', 'refused')"],
  ])('refuses %s', (_, sql) => {
    const database = open(join(temporaryFolder(), 'business.db'), true)

    expect(() => database.exec(sql)).toThrow(/constraint failed/)
  })
})

function open(file: string, create: boolean): Database {
  const database = openDatabase(file, { create })
  onTestFinished(() => {
    database.close()
  })
  return database
}

function insertRefund({ orderReference = 'ORD-1001', amountCents = 1 }): string {
  return `INSERT INTO refunds (idempotency_key, order_reference, order_version, amount_cents, booked_at)
          VALUES ('key-1', '${orderReference}', 1, ${amountCents}, 0)`
}
