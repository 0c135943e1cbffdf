// The client of the business system: which answers it takes for certain, and that it throws all others.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BusinessClient } from '../../../src/testing/business-system/client.ts'
import { BusinessSystemError } from '../../../src/testing/business-system/exchange.ts'
import { refundOrder, startForTest } from './fixture.ts'

const booked = { refundId: 'RF-1', orderReference: 'ORD-1001', amount: { amount: '10.00', currency: 'EUR' } }

describe('a refund is unknown to the client, which throws,', () => {
  it.each([
    ['if the answer is no JSON', 201, 'Created', 'malformed_answer'],
    ['if the answer has no refund', 201, '{}', 'malformed_answer'],
    ['if the amount is a number', 201, JSON.stringify({ ...booked, amount: 10 }), 'malformed_answer'],
    ['if a failure comes without a code, as from a proxy', 502, '<h1>Bad gateway</h1>', 'malformed_answer'],
    ['if a refusal comes without a code, as from a proxy', 412, '{"title": "Precondition failed"}', 'malformed_answer'],
    ['if the code is none of the certain ones', 409, '{"title": "Busy", "code": "try_later"}', 'try_later'],
    [
      'if the key belongs to another refund',
      422,
      '{"title": "", "code": "idempotency_mismatch"}',
      'idempotency_mismatch',
    ],
    ['if the business system failed', 500, '{"title": "", "code": "internal_error"}', 'internal_error'],
  ])('%s', async (_, status, body, code) => {
    const client = await clientOfServerThatSays(status, body)

    const refund = client.refund(refundOrder())

    await expect(refund).rejects.toBeInstanceOf(BusinessSystemError)
    await expect(refund).rejects.toMatchObject({ status, code })
  })

  it('if nobody is there', async () => {
    const { system, client } = await startForTest()
    await system.stop()

    await expect(client.refund(refundOrder())).rejects.toThrow('fetch failed')
  })
})

describe('a look-up is terminal for the client only', () => {
  const finished = [{ idempotencyKey: 'a', state: 'finished_without_effect' }]

  it.each([
    ['if it is complete', { state: 'provisional', refunds: [], requests: finished }, false],
    ['if it speaks of the keys asked for', { state: 'complete', refunds: [], requests: [] }, false],
    [
      'if nothing is booked',
      { state: 'complete', refunds: [{ ...booked, idempotencyKey: 'a', bookedAt: 0 }], requests: finished },
      false,
    ],
    ['then', { state: 'complete', refunds: [], requests: finished }, true],
  ])('%s', async (_, found, isTerminal) => {
    const client = await clientOfServerThatSays(200, JSON.stringify(found))

    expect(await client.findRefunds(['a'])).toEqual({ ...found, isTerminal })
  })

  it('and of no key at all there is none', async () => {
    const { client } = await startForTest()

    await expect(client.findRefunds([])).rejects.toMatchObject({ code: 'malformed_request' })
  })
})

it('a signal ends each call of the client', async () => {
  const { system, client } = await startForTest()
  const signal = AbortSignal.abort(new Error('over'))

  const calls = await Promise.allSettled([
    client.readOrder('ORD-1001', signal),
    client.refund(refundOrder({ signal })),
    client.findRefunds(['key-1'], signal),
  ])

  expect(calls).toEqual(Array.from({ length: 3 }, () => ({ status: 'rejected', reason: new Error('over') })))
  expect(await system.requests()).toEqual([])
})

async function clientOfServerThatSays(status: number, body: string): Promise<BusinessClient> {
  const server = createServer((_, response) => {
    response.writeHead(status, { connection: 'close' }).end(body)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
  })
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return new BusinessClient(`http://127.0.0.1:${port}`)
}
