// The second writer: another process that changes orders in the same file, also while a refund is being judged.
import { spawnSync } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import SqliteDatabase from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Fixture, eur, refundOrder, startForTest } from './fixture.ts'

describe('the second writer', () => {
  it('sets what is refunded, raises the version of that order alone, and books nothing', async () => {
    const { system, client } = await startForTest()

    await system.changeOrder('ORD-1001', '25.00')

    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 2, refunded: eur('25.00') })
    expect(await client.readOrder('ORD-1002')).toMatchObject({ orderVersion: 1, refunded: eur('20.00') })
    expect(await system.effects()).toEqual([])
    expect(await client.refund(refundOrder())).toEqual({ outcome: 'order_changed' })
  })

  it('raises the version even if it sets what stands there already', async () => {
    const { system, client } = await startForTest()

    await system.changeOrder('ORD-1001', '20.00')

    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 2, refunded: eur('20.00') })
  })

  it.each([
    ['ORD-9999', '25.00', 'ORD-9999 cannot be changed: unknown_order'],
    ['ORD-1001', '100.01', 'ORD-1001 cannot be changed: exceeds_captured'],
    ['ORD-1001', '25', 'not an amount with two decimals: 25'],
  ])('says in one sentence why it does not set %s to %s', async (orderReference, refunded, sentence) => {
    const { system, client } = await startForTest()

    await expect(system.changeOrder(orderReference, refunded)).rejects.toThrow(new Error(sentence))

    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 1 })
  })
})

it('started by hand, without a change, the second writer ends with one sentence and touches nothing', () => {
  const file = fileURLToPath(new URL('../../../src/testing/business-system/second-writer.ts', import.meta.url))
  const options = ['--disable-warning=ExperimentalWarning', file]

  const { status, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' })

  expect([status, stderr.trim().split('\n')]).toEqual([1, ['Unexpected end of JSON input']])
})

describe('the ledger control', () => {
  it('does the same from within, and answers the order', async () => {
    const { system, client } = await startForTest()

    const response = await fetch(`${system.url}/_ledger`, {
      method: 'POST',
      body: '{"orderReference": "ORD-1001", "refunded": "25.00"}',
    })

    expect([response.status, await response.json()]).toEqual([200, await client.readOrder('ORD-1001')])
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 2, refunded: eur('25.00') })
    expect(await system.effects()).toEqual([])
  })

  it('waits for another writer at the file, and changes what that one left', async () => {
    const { system, client } = await startForTest()
    const writer = writerOf(system.file)
    writer.exec("BEGIN IMMEDIATE; UPDATE orders SET version = 2 WHERE order_reference = 'ORD-1001'")

    const change = fetch(`${system.url}/_ledger`, {
      method: 'POST',
      body: '{"orderReference": "ORD-1001", "refunded": "25.00"}',
    })
    await setTimeout(300)
    writer.exec('COMMIT')

    expect((await change).status).toBe(200)
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 3, refunded: eur('25.00') })
  })
})

describe('a refund that races a second writer', () => {
  it('is refused if the order changes while the refund waits for the file', async () => {
    const { system, client } = await startForTest()
    const writer = writerOf(system.file)
    writer.exec("BEGIN IMMEDIATE; UPDATE orders SET version = 2 WHERE order_reference = 'ORD-1001'")

    const refund = client.refund(refundOrder())
    await setTimeout(300) // The refund is at the file by now; were it not, it would only see the change the sooner.
    writer.exec('COMMIT')

    expect(await refund).toEqual({ outcome: 'order_changed' })
    expect(await system.effects()).toEqual([])
  })

  it('is booked if the other change is taken back', async () => {
    const { system, client } = await startForTest()
    const writer = writerOf(system.file)
    writer.exec("BEGIN IMMEDIATE; UPDATE orders SET version = 2 WHERE order_reference = 'ORD-1001'")

    const refund = client.refund(refundOrder())
    await setTimeout(300)
    writer.exec('ROLLBACK')

    expect(await refund).toMatchObject({ outcome: 'booked' })
  })

  it('is booked on the version that it names or not at all, however often they meet', async () => {
    const fixture = await startForTest()
    const { system, client } = fixture

    const [booked] = await Promise.all([refundOften(fixture, 100), changeOften(fixture, 8)])

    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 1 + 8 + booked })
    expect(await system.effects()).toHaveLength(booked)
    expect(booked).toBeGreaterThan(0)
  })
})

async function changeOften({ system }: Fixture, times: number): Promise<void> {
  for (let change = 0; change < times; change += 1) await system.changeOrder('ORD-1001', '20.00')
}

async function refundOften(fixture: Fixture, rounds: number): Promise<number> {
  let booked = 0
  for (let round = 0; round < rounds; round += 1) booked += await refundTwiceAtOnce(fixture, round)
  return booked
}

/** Two refunds that name the same version; at most one can be booked. Answers how many were. */
async function refundTwiceAtOnce({ client }: Fixture, round: number): Promise<number> {
  const precondition = `order-version:${(await client.readOrder('ORD-1001')).orderVersion}`
  const answers = await Promise.all(
    ['a', 'b'].map(async (name) =>
      client.refund(refundOrder({ amount: eur('0.01'), precondition, idempotencyKey: `${name}-${round}` })),
    ),
  )
  const booked = answers.filter(({ outcome }) => outcome === 'booked').length
  expect(booked).toBeLessThanOrEqual(1)
  expect(answers.filter(({ outcome }) => outcome === 'order_changed')).toHaveLength(2 - booked)
  return booked
}

function writerOf(file: string): SqliteDatabase.Database {
  const writer = new SqliteDatabase(file)
  onTestFinished(() => {
    writer.close()
  })
  return writer
}
