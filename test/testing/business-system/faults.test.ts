// The faults: what the caller sees, what the books say, which requests a fault meets, and how many.
import { describe, expect, it } from 'vitest'
import { ChargeFault, LookUpFault } from '../../../src/testing/faults.ts'
import type { BusinessClient, RefundOrder } from '../../../src/testing/business-system/client.ts'
import { eur, paymentOrder, refundOrder, startForTest } from './fixture.ts'

describe('commit_then_drop', () => {
  it('books, breaks the connection, and gives the first answer to a retry', async () => {
    const { system, client } = await startForTest()
    await system.faults('commit_then_drop', 1)

    const lost = client.refund(refundOrder())

    await expect(lost).rejects.toThrow('fetch failed')
    expect(await system.effects()).toMatchObject([{ idempotencyKey: 'key-1', amount: '10.00', count: 1 }])
    expect(await client.findRefunds(['key-1'])).toMatchObject({ refunds: [{ refundId: 'RF-1' }] })
    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked', refundId: 'RF-1' })
    expect(await system.effects()).toMatchObject([{ count: 1 }])
  })

  it('is met by one request: a lost answer is not asked for again behind the back of the caller', async () => {
    const { system, client } = await startForTest()
    await system.faults('commit_then_drop', 1)

    await client.refund(refundOrder()).catch(() => {})

    expect(await system.requests()).toMatchObject([{ method: 'POST', idempotencyKey: 'key-1' }])
  })
})

describe('drop_before_commit', () => {
  it('looks the same to the caller, books nothing, and remembers the key as finished without effect', async () => {
    const { system, client } = await startForTest()
    await system.faults('drop_before_commit', 1)

    const lost = client.refund(refundOrder())

    await expect(lost).rejects.toThrow('fetch failed')
    expect(await system.effects()).toEqual([])
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 1, refunded: eur('20.00') })
    expect(await client.findRefunds(['key-1'])).toEqual({
      state: 'complete',
      refunds: [],
      requests: [{ idempotencyKey: 'key-1', state: 'finished_without_effect' }],
      isTerminal: true,
    })
  })

  it('lets nothing be booked under that key ever after, and the same refund under another key', async () => {
    const { system, client } = await startForTest()
    await system.faults('drop_before_commit', 1)
    await client.refund(refundOrder()).catch(() => {})

    expect(await client.refund(refundOrder())).toEqual({ outcome: 'refused', reason: 'request_finished' })
    expect(await client.findRefunds(['key-1'])).toMatchObject({ isTerminal: true })
    expect(await client.refund(refundOrder({ idempotencyKey: 'key-2' }))).toMatchObject({ outcome: 'booked' })
    expect(await client.findRefunds(['key-1', 'key-2'])).toMatchObject({
      refunds: [{ idempotencyKey: 'key-2' }],
      isTerminal: false,
    })
    expect(await system.effects()).toMatchObject([{ idempotencyKey: 'key-2', count: 1 }])
  })

  it('is terminal only if every key asked for is finished', async () => {
    const { system, client } = await startForTest()
    await system.faults('drop_before_commit', 1)
    await client.refund(refundOrder()).catch(() => {})

    expect(await client.findRefunds(['key-1', 'unseen'])).toMatchObject({ refunds: [], isTerminal: false })
  })
})

describe('hang', () => {
  it('books and never answers; the caller has to leave by itself', async () => {
    const { system, client } = await startForTest()
    await system.faults('hang', 1)
    const caller = new AbortController()

    const hanging = client.refund(refundOrder({ signal: caller.signal }))
    await bookedUnder(client, 'key-1')
    caller.abort(new Error('waited long enough'))

    await expect(hanging).rejects.toThrow('waited long enough')
    expect(await system.effects()).toMatchObject([{ idempotencyKey: 'key-1', count: 1 }])
    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked', refundId: 'RF-1' })
  })

  it('ends when the business system stops', async () => {
    const { system, client } = await startForTest()
    await system.faults('hang', 1)
    const hanging = client.refund(refundOrder())
    await bookedUnder(client, 'key-1')

    const [lost] = await Promise.allSettled([hanging, system.stop()])

    expect(lost).toMatchObject({ status: 'rejected', reason: { message: 'fetch failed' } })
  })
})

describe('refuse_before_commit', () => {
  it('is a certain refusal: nothing is booked, and the key is known as refused', async () => {
    const { system, client, payables } = await startForTest()
    await system.faults('refuse_before_commit', 2)

    expect(await client.refund(refundOrder())).toEqual({ outcome: 'refused', reason: 'declined' })
    expect(await payables.pay(paymentOrder({ idempotencyKey: 'key-2' }))).toEqual({
      outcome: 'refused',
      reason: 'declined',
    })

    expect(await system.effects()).toEqual([])
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 1, refunded: eur('20.00') })
    expect(await client.findRefunds(['key-1'])).toMatchObject({
      state: 'complete',
      refunds: [],
      requests: [{ state: 'refused' }],
      isTerminal: false,
    })
    expect(await payables.findPayments(['key-2'])).toMatchObject({ payments: [], requests: [{ state: 'refused' }] })
  })
})

describe('late_landing', () => {
  it('breaks the connection, is found by no first look-up, and is booked once it has been looked for', async () => {
    const { system, client } = await startForTest()
    await system.faults('late_landing', 1)

    await expect(client.refund(refundOrder())).rejects.toThrow('fetch failed')

    expect(await client.findRefunds(['another'])).toMatchObject({ refunds: [] })
    expect(await system.effects()).toEqual([])
    const first = await client.findRefunds(['key-1'])
    const second = await client.findRefunds(['key-1'])

    expect(first).toMatchObject({ state: 'complete', refunds: [], requests: [{ state: 'never_seen' }] })
    expect(first.isTerminal).toBe(false)
    expect(second).toMatchObject({ refunds: [{ idempotencyKey: 'key-1' }], requests: [{ state: 'booked' }] })
    expect(await system.effects()).toMatchObject([{ idempotencyKey: 'key-1', count: 1 }])
  })

  it('meets payments too', async () => {
    const { system, payables } = await startForTest()
    await system.faults('late_landing', 1)
    await payables.pay(paymentOrder()).catch(() => {})

    const found = [await payables.findPayments(['key-1']), await payables.findPayments(['key-1'])]

    expect(found.map(({ payments }) => payments.length)).toEqual([0, 1])
    expect(await system.effects()).toMatchObject([{ invoiceReference: 'INV-2001', count: 1 }])
  })

  it('is judged when it lands: an order that has changed meanwhile refuses it', async () => {
    const { system, client } = await startForTest()
    await system.faults('late_landing', 1)
    await client.refund(refundOrder()).catch(() => {})
    await system.changeOrder('ORD-1001', '25.00')

    await client.findRefunds(['key-1'])

    expect(await client.findRefunds(['key-1'])).toMatchObject({ refunds: [], requests: [{ state: 'refused' }] })
    expect(await system.effects()).toEqual([])
  })

  it('books nothing more if its caller has asked again in between', async () => {
    const { system, client } = await startForTest()
    await system.faults('late_landing', 1)
    await client.refund(refundOrder()).catch(() => {})

    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked' })
    await client.findRefunds(['key-1'])

    expect(await client.findRefunds(['key-1'])).toMatchObject({ refunds: [{ refundId: 'RF-1' }] })
    expect(await system.effects()).toMatchObject([{ count: 1 }])
  })
})

describe('double_effect', () => {
  it('books twice under one key, answers as if all were well, and a look-up sees both', async () => {
    const { system, client } = await startForTest()
    await system.faults('double_effect', 1)

    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked', refundId: 'RF-1' })

    expect(await system.effects()).toMatchObject([{ idempotencyKey: 'key-1', amount: '10.00', count: 2 }])
    expect(await client.findRefunds(['key-1'])).toMatchObject({ refunds: [{ refundId: 'RF-1' }, { refundId: 'RF-2' }] })
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 3, refunded: eur('40.00') })
  })

  it('shows an order as refunded whole when twice is more than was captured', async () => {
    const { system, client } = await startForTest()
    await system.faults('double_effect', 1)

    await client.refund(refundOrder({ amount: eur('60.00') }))

    expect(await system.effects()).toMatchObject([{ amount: '60.00', count: 2 }])
    expect(await client.readOrder('ORD-1001')).toMatchObject({ refunded: eur('100.00') })
  })

  it('pays an invoice twice', async () => {
    const { system, payables } = await startForTest()
    await system.faults('double_effect', 1)

    expect(await payables.pay(paymentOrder())).toMatchObject({ outcome: 'booked', paymentId: 'PAY-1' })

    expect(await system.effects()).toMatchObject([{ idempotencyKey: 'key-1', amount: '1250.00', count: 2 }])
    expect((await payables.findPayments(['key-1'])).payments).toHaveLength(2)
    expect(await payables.readInvoice('INV-2001')).toMatchObject({ invoiceVersion: 3, approvalState: 'paid' })
  })
})

describe('stale_reads', () => {
  it('answers a look-up by key as if nothing had been booked or finished, and calls it provisional', async () => {
    const { system, client } = await startForTest()
    await client.refund(refundOrder())
    await system.faults('drop_before_commit', 1)
    await client.refund(refundOrder({ idempotencyKey: 'key-2', precondition: 'order-version:2' })).catch(() => {})
    await system.faults('stale_reads', 2)

    const stale = [await client.findRefunds(['key-1', 'key-2']), await client.findRefunds(['key-2'])]
    const fresh = await client.findRefunds(['key-1', 'key-2'])

    expect(stale).toEqual([
      {
        state: 'provisional',
        refunds: [],
        requests: [
          { idempotencyKey: 'key-1', state: 'never_seen' },
          { idempotencyKey: 'key-2', state: 'never_seen' },
        ],
        isTerminal: false,
      },
      {
        state: 'provisional',
        refunds: [],
        requests: [{ idempotencyKey: 'key-2', state: 'never_seen' }],
        isTerminal: false,
      },
    ])
    expect(fresh).toMatchObject({ state: 'complete', refunds: [{ idempotencyKey: 'key-1' }] })
  })

  it('never meets a read of business state, nor a refund', async () => {
    const { system, client } = await startForTest()
    await system.faults('stale_reads', 1)

    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked' })
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 2, refunded: eur('30.00') })
    expect(await system.effects()).toHaveLength(1)

    expect(await client.findRefunds(['key-1'])).toMatchObject({ state: 'provisional', refunds: [] })
  })
})

describe('an answer that says something else than what happened', () => {
  it.each([
    ['commit_then_error', 'internal_error', 1],
    ['commit_then_error_inside', 'malformed_answer', 1],
    ['rate_limited', 'rate_limited', 0],
    ['too_early', 'too_early', 0],
    ['key_in_use', 'key_in_use', 0],
  ] as const)('%s: the client throws %s, whatever stands in the books', async (name, code, count) => {
    const { system, client } = await startForTest()
    await system.faults(name, 1)

    await expect(client.refund(refundOrder())).rejects.toMatchObject({ code })

    expect(await system.effects()).toHaveLength(count)
    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked', refundId: 'RF-1' })
    expect(await system.effects()).toMatchObject([{ count: 1 }])
  })

  it('stored_error: the error comes again for ever under its key, and proves nothing about it', async () => {
    const { system, client } = await startForTest()
    await system.faults('stored_error', 1)

    await expect(client.refund(refundOrder())).rejects.toMatchObject({ code: 'internal_error' })
    await expect(client.refund(refundOrder())).rejects.toMatchObject({ code: 'internal_error' })

    expect(await client.findRefunds(['key-1'])).toMatchObject({ requests: [{ state: 'refused' }], isTerminal: false })
    expect(await client.refund(refundOrder({ idempotencyKey: 'key-2' }))).toMatchObject({ outcome: 'booked' })
    expect(await system.effects()).toMatchObject([{ idempotencyKey: 'key-2', count: 1 }])
  })
})

describe('an effect that does not last', () => {
  it('fail_after_acceptance: it is answered as booked, and never was', async () => {
    const { system, client, payables } = await startForTest()
    await system.faults('fail_after_acceptance', 2)

    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked', refundId: 'RF-1' })
    expect(await payables.pay(paymentOrder({ idempotencyKey: 'key-2' }))).toMatchObject({ outcome: 'booked' })

    expect(await system.effects()).toEqual([])
    expect(await client.readOrder('ORD-1001')).toMatchObject({ orderVersion: 1, refunded: eur('20.00') })
    expect(await client.findRefunds(['key-1'])).toMatchObject({ refunds: [], isTerminal: true })
  })

  it('reverse_after_look: it is booked, and reversed once it has been seen', async () => {
    const { system, client, payables } = await startForTest({ now: 5 })
    await system.faults('reverse_after_look', 2)
    await client.refund(refundOrder())
    await payables.pay(paymentOrder({ idempotencyKey: 'key-2' }))

    const refunds = [await client.findRefunds(['key-1']), await client.findRefunds(['key-1'])]
    const payments = [await payables.findPayments(['key-2']), await payables.findPayments(['key-2'])]

    expect(refunds.map((found) => found.refunds[0]?.reversedAt)).toEqual([undefined, 5])
    expect(payments.map((found) => found.payments[0]?.reversedAt)).toEqual([undefined, 5])
    expect(await system.effects()).toHaveLength(2)
  })

  it('forgotten_key: a repetition on the new version is another refund', async () => {
    const { system, client } = await startForTest()
    await system.faults('forgotten_key', 1)

    await client.refund(refundOrder())
    expect(await client.findRefunds(['key-1'])).toMatchObject({ requests: [{ state: 'never_seen' }] })
    await client.refund(refundOrder({ precondition: 'order-version:2' }))

    expect(await system.effects()).toMatchObject([{ idempotencyKey: 'key-1', count: 2 }])
    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked', refundId: 'RF-1' })
  })
})

describe('a look-up', () => {
  it('that meets page_break knows half of the keys, and says that this is not all', async () => {
    const { system, client } = await startForTest()
    await client.refund(refundOrder({ idempotencyKey: 'key-2' }))
    await system.faults('page_break', 2)

    expect(await client.findRefunds(['key-2', 'key-3'])).toMatchObject({
      state: 'provisional',
      refunds: [{ idempotencyKey: 'key-2' }],
      requests: [{ idempotencyKey: 'key-2' }],
    })
    expect(await client.findRefunds(['key-2'])).toMatchObject({ state: 'provisional', refunds: [] })
  })

  it('that meets prefix_match finds what only begins alike', async () => {
    const { system, client } = await startForTest()
    await client.refund(refundOrder({ idempotencyKey: 'key-12' }))
    await system.faults('prefix_match', 1)

    expect(await client.findRefunds(['key-1'])).toMatchObject({ refunds: [{ idempotencyKey: 'key-12' }] })
    expect(await client.findRefunds(['key-1'])).toMatchObject({ refunds: [] })
  })

  it('that meets wrong_identity is about somebody else', async () => {
    const { system, client, payables } = await startForTest()
    await system.faults('wrong_identity', 2)

    expect((await client.findRefunds(['key-1'])).refunds).toMatchObject([{ idempotencyKey: 'another-key' }])
    expect((await payables.findPayments(['key-1'])).payments).toMatchObject([{ idempotencyKey: 'another-key' }])
    expect(await system.effects()).toEqual([])
  })

  it('that meets unhealthy_absence finds nothing, and says so of itself', async () => {
    const { system, client } = await startForTest()
    await client.refund(refundOrder())
    await system.faults('unhealthy_absence', 1)

    expect(await client.findRefunds(['key-1'])).toMatchObject({ state: 'provisional', refunds: [] })
  })

  it('that meets unavailable fails, and the next one does not', async () => {
    const { system, client } = await startForTest()
    await system.faults('unavailable', 1)

    await expect(client.findRefunds(['key-1'])).rejects.toMatchObject({ code: 'unavailable' })
    expect(await client.findRefunds(['key-1'])).toMatchObject({ state: 'complete' })
  })

  it('that meets read_hangs ends when its caller leaves', async () => {
    const { system, client } = await startForTest()
    await system.faults('read_hangs', 1)
    const caller = new AbortController()
    const hanging = client.findRefunds(['key-1'], caller.signal)
    while ((await system.requests()).length === 0);

    caller.abort(new Error('waited long enough'))

    await expect(hanging).rejects.toThrow('waited long enough')
  })

  it('that meets replica_disagrees is told in good health that nothing was seen', async () => {
    const { system, client, payables } = await startForTest()
    await client.refund(refundOrder())
    await system.faults('replica_disagrees', 2)

    expect(await client.findRefunds(['key-1'])).toMatchObject({ state: 'complete', refunds: [] })
    expect(await payables.findPayments(['key-1'])).toMatchObject({ state: 'complete', payments: [] })
    expect(await client.findRefunds(['key-1'])).toMatchObject({ refunds: [{ refundId: 'RF-1' }] })
  })
})

it('every fault of the model is taken, and no other name', async () => {
  const { system } = await startForTest()
  const set = async (fault: string): Promise<number> => {
    const body = JSON.stringify({ fault, count: 1 })
    return (await fetch(new URL('/_faults', system.url), { method: 'POST', body })).status
  }

  const names = [...Object.values(ChargeFault), ...Object.values(LookUpFault)]

  expect(new Set(await Promise.all(names.map(set)))).toEqual(new Set([200]))
  expect(await set('toString')).toBe(422)
})

describe('a fault', () => {
  it.each(['commit_then_drop', 'drop_before_commit'] as const)(
    '%s meets the next n refunds and no more',
    async (name) => {
      const { system, client } = await startForTest()
      await system.faults(name, 3)

      const answers = await Promise.all(
        [1_001, 1_002, 1_003, 1_004, 1_005].map(async (number) =>
          tryRefund(client, { orderReference: `ORD-${number}`, idempotencyKey: `key-${number}` }),
        ),
      )

      expect(answers.toSorted()).toEqual(['booked', 'booked', 'lost', 'lost', 'lost'])
      expect(await system.effects()).toHaveLength(name === 'commit_then_drop' ? 5 : 2)
    },
  )

  it('hang meets the next n refunds and no more', async () => {
    const { system, client } = await startForTest()
    await system.faults('hang', 2)
    const caller = new AbortController()
    const hanging = ['ORD-1001', 'ORD-1002'].map(async (orderReference) =>
      tryRefund(client, { orderReference, idempotencyKey: orderReference, signal: caller.signal }),
    )
    await Promise.all(['ORD-1001', 'ORD-1002'].map(async (key) => bookedUnder(client, key)))

    expect(await tryRefund(client, { orderReference: 'ORD-1003', idempotencyKey: 'third' })).toBe('booked')
    caller.abort()

    expect(await Promise.all(hanging)).toEqual(['lost', 'lost'])
    expect(await system.effects()).toHaveLength(3)
  })

  it('is not used up by requests that would not move money: refusals, replays, finished keys', async () => {
    const { system, client } = await startForTest()
    await client.refund(refundOrder())
    await system.faults('drop_before_commit', 1)
    await tryRefund(client, { orderReference: 'ORD-1002', idempotencyKey: 'dropped' })
    await system.faults('commit_then_drop', 1)

    expect(await client.refund(refundOrder())).toMatchObject({ outcome: 'booked' })
    expect(await client.refund(refundOrder({ idempotencyKey: 'old' }))).toEqual({ outcome: 'order_changed' })
    expect(await tryRefund(client, { orderReference: 'ORD-1002', idempotencyKey: 'dropped' })).toBe('refused')
    expect(await tryRefund(client, { orderReference: 'ORD-9999', idempotencyKey: 'unknown' })).toBe('refused')
    await client.findRefunds(['key-1'])

    expect(await tryRefund(client, { orderReference: 'ORD-1003', idempotencyKey: 'met' })).toBe('lost')
    expect(await tryRefund(client, { orderReference: 'ORD-1004', idempotencyKey: 'free' })).toBe('booked')
  })

  it('waits behind those that were set before it', async () => {
    const { system, client } = await startForTest()
    await system.faults('drop_before_commit', 1)
    await system.faults('stale_reads', 1)
    await system.faults('commit_then_drop', 1)
    await system.faults('drop_before_commit', 1)

    for (const number of [1_001, 1_002, 1_003]) {
      await tryRefund(client, { orderReference: `ORD-${number}`, idempotencyKey: `key-${number}` })
    }

    expect(await system.effects()).toMatchObject([{ idempotencyKey: 'key-1002' }])
  })

  it('is set over plain HTTP too', async () => {
    const { system, client } = await startForTest()

    const response = await fetch(`${system.url}/_faults`, {
      method: 'POST',
      body: '{"fault": "commit_then_drop", "count": 1}',
    })

    expect([response.status, await response.json()]).toEqual([200, { fault: 'commit_then_drop', count: 1 }])
    expect(await tryRefund(client, {})).toBe('lost')
  })
})

async function tryRefund(client: BusinessClient, differing: Partial<RefundOrder>): Promise<string> {
  return client.refund(refundOrder(differing)).then(
    ({ outcome }) => outcome,
    () => 'lost',
  )
}

/** Waits until the books have a refund under the key. */
async function bookedUnder(client: BusinessClient, idempotencyKey: string): Promise<void> {
  while ((await client.findRefunds([idempotencyKey])).refunds.length === 0);
}
