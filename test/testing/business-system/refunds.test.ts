// Orders and refunds over HTTP: versions, amounts, idempotency keys, look-ups by key and the log of requests.
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { eur, refundOrder, startForTest } from './fixture.ts'

describe('orders', () => {
  it('are there from the first start: ORD-1001 to ORD-1100, 100.00 EUR captured, 20.00 refunded, version 1', async () => {
    const { client } = await startForTest()

    for (const orderReference of ['ORD-1001', 'ORD-1100']) {
      expect(await client.readOrder(orderReference)).toEqual({
        orderReference,
        orderVersion: 1,
        captured: eur('100.00'),
        refunded: eur('20.00'),
      })
    }
    for (const orderReference of ['ORD-1000', 'ORD-1101', '', 'ORD-1001/x', '../_requests']) {
      await expect(client.readOrder(orderReference)).rejects.toMatchObject({ status: 404 })
    }
  })

  it('carry their version as a strong entity tag, in the form in which a refund states it', async () => {
    const { system } = await startForTest()

    const response = await fetch(`${system.url}/orders/ORD-1001`)

    expect(response.headers.get('etag')).toBe('"order-version:1"')
  })
})

describe('a refund', () => {
  it('is booked once, raising what is refunded and the version of its order and of no other', async () => {
    const { system, client } = await startForTest()

    const booked = await client.refund(refundOrder())

    expect(booked).toEqual({ outcome: 'booked', refundId: 'RF-1', orderReference: 'ORD-1001', amount: eur('10.00') })
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 2, refunded: eur('30.00') })
    expect(await client.readOrder('ORD-1002')).toMatchObject({ orderVersion: 1, refunded: eur('20.00') })
    expect(await system.effects()).toEqual([
      { idempotencyKey: 'key-1', orderReference: 'ORD-1001', amount: '10.00', count: 1 },
    ])
  })

  it('of an order that has another version is told so, and nothing is booked', async () => {
    const { system, client } = await startForTest()

    const answers = [
      await client.refund(refundOrder({ precondition: 'order-version:2' })),
      await client.refund(refundOrder({ idempotencyKey: 'key-2', precondition: 'order-version:999' })),
    ]

    expect(answers).toEqual([{ outcome: 'order_changed' }, { outcome: 'order_changed' }])
    expect(await system.effects()).toEqual([])
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 1, refunded: eur('20.00') })
  })

  it('may take all that is left and not a cent more', async () => {
    const { client } = await startForTest()

    expect(await client.refund(refundOrder({ amount: eur('80.01'), idempotencyKey: 'too-much' }))).toEqual({
      outcome: 'refused',
      reason: 'exceeds_refundable',
    })
    expect(await client.refund(refundOrder({ amount: eur('80.00') }))).toMatchObject({ outcome: 'booked' })
    expect(await client.readOrder('ORD-1001')).toMatchObject({ refunded: eur('100.00') })
  })

  it('adds up in cents: three of 0.10 and one of 0.07 make 0.37', async () => {
    const { client } = await startForTest()

    for (const [index, amount] of ['0.10', '0.10', '0.10', '0.07'].entries()) {
      const precondition = `order-version:${index + 1}`
      await client.refund(refundOrder({ amount: eur(amount), idempotencyKey: `key-${index}`, precondition }))
    }

    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 5, refunded: eur('20.37') })
  })

  it.each([
    ['unknown_order', { orderReference: 'ORD-9999' }],
    ['currency_mismatch', { amount: { amount: '10', currency: 'JPY' } }],
  ])('is refused as %s', async (reason, differing) => {
    const { system, client } = await startForTest()

    expect(await client.refund(refundOrder(differing))).toEqual({ outcome: 'refused', reason })
    expect(await system.effects()).toEqual([])
  })
})

describe('an idempotency key', () => {
  it('gives the first answer again, although the refund itself has raised the version since', async () => {
    const { system, client } = await startForTest()
    const first = await client.refund(refundOrder())

    const again = await client.refund(refundOrder())
    const withNewVersion = await client.refund(refundOrder({ precondition: 'order-version:2' }))

    expect([again, withNewVersion]).toEqual([first, first])
    expect(await system.effects()).toMatchObject([{ count: 1 }])
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 2, refunded: eur('30.00') })
  })

  it('makes one refund of sixteen requests at once', async () => {
    const { system, client } = await startForTest()

    const answers = await Promise.all(Array.from({ length: 16 }, async () => client.refund(refundOrder())))

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ outcome: 'booked', refundId: 'RF-1' })
    expect(await system.effects()).toMatchObject([{ count: 1 }])
  })

  it.each([
    ['another amount', { amount: eur('10.01') }],
    ['another order', { orderReference: 'ORD-1002' }],
    ['another currency', { amount: { amount: '10.00', currency: 'USD' } }],
  ])('is no place for %s', async (_, differing) => {
    const { system, client } = await startForTest()
    await client.refund(refundOrder())

    const other = client.refund(refundOrder(differing))

    await expect(other).rejects.toMatchObject({ status: 422, code: 'idempotency_mismatch' })
    expect(await system.effects()).toHaveLength(1)
  })

  it('that was refused stays with its refund, which is judged anew when it is asked for again', async () => {
    const { client } = await startForTest()
    await client.refund(refundOrder({ precondition: 'order-version:2' }))

    await expect(client.refund(refundOrder({ amount: eur('11.00') }))).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    })
    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked' })
    expect(await client.findRefunds(['key-1'])).toMatchObject({ requests: [{ state: 'booked' }] })
  })
})

describe('a look-up by key', () => {
  it('answers every match and what is known of each key, in the order asked for', async () => {
    const { client } = await startForTest({ now: 1_000 })
    await client.refund(refundOrder({ idempotencyKey: 'a' }))
    await client.refund(refundOrder({ idempotencyKey: 'b', orderReference: 'ORD-1002', amount: eur('0.05') }))
    await client.refund(refundOrder({ idempotencyKey: 'c', orderReference: 'ORD-9999' }))

    const found = await client.findRefunds(['b', 'c', 'd', 'a', 'b'])

    expect(found).toEqual({
      state: 'complete',
      refunds: [
        { refundId: 'RF-2', idempotencyKey: 'b', orderReference: 'ORD-1002', amount: eur('0.05'), bookedAt: 1_000 },
        { refundId: 'RF-1', idempotencyKey: 'a', orderReference: 'ORD-1001', amount: eur('10.00'), bookedAt: 1_000 },
      ],
      requests: [
        { idempotencyKey: 'b', state: 'booked' },
        { idempotencyKey: 'c', state: 'refused' },
        { idempotencyKey: 'd', state: 'never_seen' },
        { idempotencyKey: 'a', state: 'booked' },
      ],
      isTerminal: false,
    })
  })

  it('matches the exact key alone, neither its beginning nor its letters in another case', async () => {
    const { client } = await startForTest()
    await client.refund(refundOrder({ idempotencyKey: 'key-1' }))

    const found = await client.findRefunds(['key', 'key-11', 'KEY-1', 'key-_', '%'])

    expect(found.refunds).toEqual([])
    expect(new Set(found.requests.map(({ state }) => state))).toEqual(new Set(['never_seen']))
  })

  it('is not terminal while a key was never seen or merely refused: its request may still be on its way', async () => {
    const { client } = await startForTest()
    await client.refund(refundOrder({ idempotencyKey: 'refused', orderReference: 'ORD-9999' }))

    expect(await client.findRefunds(['refused'])).toMatchObject({ state: 'complete', isTerminal: false })
    expect(await client.findRefunds(['unseen'])).toMatchObject({ state: 'complete', isTerminal: false })
  })
})

describe('the time of a booking', () => {
  it('is real until it is set, and then stands still until it is set again', async () => {
    const before = Date.now()
    const { system, client } = await startForTest()
    await client.refund(refundOrder({ idempotencyKey: 'real' }))
    const after = Date.now()

    await system.setTime(5_000)
    await client.refund(refundOrder({ idempotencyKey: 'set', orderReference: 'ORD-1002' }))
    await system.setTime(4_000)
    await client.refund(refundOrder({ idempotencyKey: 'set-back', orderReference: 'ORD-1003' }))

    const [real, set, setBack] = (await client.findRefunds(['real', 'set', 'set-back'])).refunds
    expect(real?.bookedAt).toBeGreaterThanOrEqual(before)
    expect(real?.bookedAt).toBeLessThanOrEqual(after)
    expect([set?.bookedAt, setBack?.bookedAt]).toEqual([5_000, 4_000])
  })
})

describe('the log of requests', () => {
  it('has every request as it came, in order, and none of the development controls', async () => {
    const { system, client } = await startForTest({ now: 7 })
    await client.readOrder('ORD-1001')
    await client.refund(refundOrder())
    await client.findRefunds(['key-1', 'key-2'])
    await fetch(`${system.url}/refunds`, { method: 'POST', body: 'no JSON' })
    await fetch(`${system.url}/nothing/here`)
    await system.effects()

    const body = { orderReference: 'ORD-1001', amount: eur('10.00') }
    const plain = { at: 7, idempotencyKey: null, precondition: null, body: null }
    expect(await system.requests()).toEqual([
      { ...plain, method: 'GET', path: '/orders/ORD-1001' },
      { at: 7, method: 'POST', path: '/refunds', idempotencyKey: 'key-1', precondition: '"order-version:1"', body },
      { ...plain, method: 'GET', path: '/refunds?idempotencyKey=key-1&idempotencyKey=key-2' },
      { ...plain, method: 'POST', path: '/refunds', body: 'no JSON' },
      { ...plain, method: 'GET', path: '/nothing/here' },
    ])
  })

  it('does not have a request whose sender left before it was whole, and the next one is served', async () => {
    const { system, client } = await startForTest()

    await new Promise<void>((resolve) => {
      const partial = request(`${system.url}/refunds`, { method: 'POST', headers: { 'content-length': '100' } })
      partial.on('error', () => resolve())
      partial.write('{"orderReference":', () => partial.destroy(new Error('left')))
    })

    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 1 })
    expect(await system.requests()).toMatchObject([{ method: 'GET' }])
  })
})
