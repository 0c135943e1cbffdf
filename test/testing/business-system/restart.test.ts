// What the business system has kept when it is started again after it was killed.
import { describe, expect, it } from 'vitest'
import { eur, refundOrder, startForTest } from './fixture.ts'

describe('a killed business system', () => {
  it('has kept everything but its faults when it is started again on its file and port', async () => {
    const { system, client } = await startForTest({ now: 5 })
    await client.refund(refundOrder())
    await system.faults('drop_before_commit', 1)
    await client.refund(refundOrder({ orderReference: 'ORD-1002', idempotencyKey: 'dropped' })).catch(() => {})
    await system.changeOrder('ORD-1003', '25.00')
    await system.faults('commit_then_drop', 1)
    const keys = ['key-1', 'dropped', 'unseen']
    const before = [await system.effects(), await client.findRefunds(keys)]
    const requestsBefore = await system.requests()

    await system.kill()
    await expect(client.readOrder('ORD-1001')).rejects.toThrow('fetch failed')
    const again = await startForTest({ file: system.file, port: Number(new URL(system.url).port) })

    expect(again.system.url).toBe(system.url)
    expect(await again.system.requests()).toEqual(requestsBefore)
    expect([await again.system.effects(), await client.findRefunds(keys)]).toEqual(before)
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 2, refunded: eur('30.00') })
    expect(await client.readOrder('ORD-1003')).toMatchObject({ orderVersion: 2, refunded: eur('25.00') })
    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked', refundId: 'RF-1' })
    expect(
      await client.refund(refundOrder({ orderReference: 'ORD-1004', idempotencyKey: 'no-fault-left' })),
    ).toMatchObject({ outcome: 'booked', refundId: 'RF-2' })
  })

  it('has booked what it acknowledged, and each refund whole or not at all', async () => {
    const { system, client } = await startForTest()
    const numbers = Array.from({ length: 100 }, (_, index) => 1_001 + index)
    const acknowledged: string[] = []

    const sent = numbers.map(async (number) => {
      const idempotencyKey = `key-${number}`
      await client.refund(refundOrder({ orderReference: `ORD-${number}`, idempotencyKey }))
      acknowledged.push(idempotencyKey)
    })
    await Promise.any(sent)
    await system.kill()
    await Promise.allSettled(sent)
    const again = await startForTest({ file: system.file })

    const booked = new Set((await again.system.effects()).map(({ idempotencyKey }) => idempotencyKey))
    expect(acknowledged.filter((key) => !booked.has(key))).toEqual([])
    for (const number of numbers) {
      const order = await again.client.readOrder(`ORD-${number}`)
      const found = await again.client.findRefunds([`key-${number}`])
      const isBooked = booked.has(`key-${number}`)
      expect([order.orderVersion, order.refunded]).toEqual(isBooked ? [2, eur('30.00')] : [1, eur('20.00')])
      expect(found.requests).toMatchObject([{ state: isBooked ? 'booked' : 'never_seen' }])
    }
  })
})
