// Requests that the business system cannot take: each is answered with a problem that says what is wrong, and nothing more.
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BusinessSystem, startBusinessSystem } from '../../../src/testing/business-system/start.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-business-'))
let system: BusinessSystem

beforeAll(async () => {
  system = await startBusinessSystem({ file: join(folder, 'business.db') })
})
afterAll(async () => {
  await system.stop()
  rmSync(folder, { recursive: true })
})

const headers = { 'idempotency-key': 'key-1', 'if-match': '"order-version:1"' }
const amount = { amount: '10.00', currency: 'EUR' }
const body = { orderReference: 'ORD-1001', amount }

describe('a refund is not taken', () => {
  it.each([
    ['without a key', { 'if-match': '"order-version:1"' }, body],
    ['with an empty key', { ...headers, 'idempotency-key': '' }, body],
    ['with a blank in the key', { ...headers, 'idempotency-key': 'key 1' }, body],
    ['with a key of 256 characters', { ...headers, 'idempotency-key': 'k'.repeat(256) }, body],
    ['with a bare version', { ...headers, 'if-match': 'order-version:1' }, body],
    ['with a weak tag', { ...headers, 'if-match': 'W/"order-version:1"' }, body],
    ['with any version', { ...headers, 'if-match': '*' }, body],
    ['with version 0', { ...headers, 'if-match': '"order-version:0"' }, body],
    ['with two versions', { ...headers, 'if-match': '"order-version:1", "order-version:2"' }, body],
    ['without a body', headers, ''],
    ['with a body that is no JSON', headers, '{"orderReference": '],
    ['with a body that is no object', headers, [body]],
    ['without an amount', headers, { orderReference: 'ORD-1001' }],
    ['without an order', headers, { amount }],
    ['with a field too many', headers, { ...body, note: 'x' }],
    ['with a number as amount', headers, { ...body, amount: { ...amount, amount: 10 } }],
    ['with no decimals', headers, { ...body, amount: { ...amount, amount: '10' } }],
    ['with three decimals', headers, { ...body, amount: { ...amount, amount: '10.000' } }],
    ['with a leading zero', headers, { ...body, amount: { ...amount, amount: '010.00' } }],
    ['with an amount of zero', headers, { ...body, amount: { ...amount, amount: '0.00' } }],
    ['with an amount below zero', headers, { ...body, amount: { ...amount, amount: '-10.00' } }],
    ['with an exponent', headers, { ...body, amount: { ...amount, amount: '1e1' } }],
    ['with an amount beyond all bounds', headers, { ...body, amount: { ...amount, amount: `${'9'.repeat(29)}.00` } }],
    ['without a currency', headers, { ...body, amount: { amount: '10.00' } }],
  ])('%s', async (_, sentHeaders, sentBody) => {
    const answered = await send('POST', '/refunds', sentBody, sentHeaders)

    expect(answered).toMatchObject({ status: 400, problem: { code: 'malformed_request' } })
  })

  it('without a precondition: it is asked for', async () => {
    const answered = await send('POST', '/refunds', body, { 'idempotency-key': 'key-1' })

    expect(answered).toMatchObject({ status: 428, problem: { code: 'precondition_required' } })
  })

  it('if its body is over 64 KiB', async () => {
    const answered = await send('POST', '/refunds', { ...body, note: 'x'.repeat(64 * 1_024) }, headers)

    expect(answered).toMatchObject({ status: 413, problem: { code: 'body_too_large' } })
  })

  it('and leaves no trace in the books or at its key', async () => {
    expect(await system.effects()).toEqual([])
    const found = await fetch(`${system.url}/refunds?idempotencyKey=key-1`)
    expect(await found.json()).toMatchObject({ requests: [{ state: 'never_seen' }] })
  })
})

describe('a look-up is not taken', () => {
  it.each([
    ['without a key', ''],
    ['with another parameter', '?key=a'],
    ['with an empty key', '?idempotencyKey='],
    ['with a good and a bad key', '?idempotencyKey=a&idempotencyKey=b%20c'],
    ['with 101 keys', `?${Array.from({ length: 101 }, (_, index) => `idempotencyKey=${index}`).join('&')}`],
  ])('%s', async (_, query) => {
    expect(await send('GET', `/refunds${query}`)).toMatchObject({ status: 400, problem: { code: 'malformed_request' } })
  })
})

describe('a development control is not taken', () => {
  it.each([
    ['a fault without a count', '/_faults', { fault: 'hang' }, { status: 400, problem: { code: 'malformed_request' } }],
    [
      'a fault met by none',
      '/_faults',
      { fault: 'hang', count: 0 },
      { status: 400, problem: { code: 'malformed_request' } },
    ],
    [
      'a fault met by half a request',
      '/_faults',
      { fault: 'hang', count: 0.5 },
      { status: 400, problem: { code: 'malformed_request' } },
    ],
    [
      'a fault met by a million',
      '/_faults',
      { fault: 'hang', count: 1_000_000 },
      { status: 400, problem: { code: 'malformed_request' } },
    ],
    [
      'an unknown fault',
      '/_faults',
      { fault: 'explode', count: 1 },
      { status: 422, problem: { code: 'unknown_fault' } },
    ],
    [
      'a fault named like a property of objects',
      '/_faults',
      { fault: 'toString', count: 1 },
      { status: 422, problem: { code: 'unknown_fault' } },
    ],
    [
      'an unknown order',
      '/_ledger',
      { orderReference: 'ORD-1', refunded: '25.00' },
      { status: 404, problem: { code: 'unknown_order' } },
    ],
    [
      'a number',
      '/_ledger',
      { orderReference: 'ORD-1001', refunded: 25 },
      { status: 400, problem: { code: 'malformed_request' } },
    ],
    [
      'no decimals',
      '/_ledger',
      { orderReference: 'ORD-1001', refunded: '25' },
      { status: 400, problem: { code: 'malformed_request' } },
    ],
    [
      'more than captured',
      '/_ledger',
      { orderReference: 'ORD-1001', refunded: '100.01' },
      { status: 422, problem: { code: 'exceeds_captured' } },
    ],
    ['half a millisecond', '/_clock', { now: 0.5 }, { status: 400, problem: { code: 'malformed_request' } }],
    ['a time before 1970', '/_clock', { now: -1 }, { status: 400, problem: { code: 'malformed_request' } }],
    ['no time', '/_clock', '', { status: 400, problem: { code: 'malformed_request' } }],
  ])('%s', async (_, path, sentBody, answered) => {
    expect(await send('POST', path, sentBody)).toMatchObject(answered)
  })

  it('and nothing has changed', async () => {
    const order = await fetch(`${system.url}/orders/ORD-1001`)

    expect(await order.json()).toMatchObject({ orderVersion: 1, refunded: { amount: '20.00' } })
  })
})

describe('a path or method that is not there', () => {
  it.each(['/', '/orders', '/orders/', '/orders/ORD-1001/x', '/refunds/', '/_unknown', '/%00', '/__proto__'])(
    '%s is not found',
    async (path) => {
      expect((await send('GET', path)).status).toBe(404)
    },
  )

  it.each([
    ['DELETE', '/refunds', 'POST, GET'],
    ['PUT', '/orders/ORD-1001', 'GET'],
    ['GET', '/_faults', 'POST'],
  ])('%s %s is told what would be allowed', async (method, path, allow) => {
    expect(await send(method, path)).toMatchObject({ status: 405, allow, problem: { code: 'method_not_allowed' } })
  })

  it('a request target that is no path is malformed', async () => {
    const status = await new Promise((resolve, reject) => {
      const { port } = new URL(system.url)
      request({ port, path: '//' }, (response) => resolve(response.statusCode))
        .on('error', reject)
        .end()
    })

    expect(status).toBe(400)
  })
})

it('a problem names code, title and detail, in the media type of problems, without a stack', async () => {
  const detail: unknown = expect.stringMatching(/^JSON body, \/fault: .*; \/count: /)

  const response = await fetch(`${system.url}/_faults`, { method: 'POST', body: '{"fault": 1}' })

  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toEqual({
    type: '/problems/malformed_request',
    title: 'The request is not what this endpoint takes',
    status: 400,
    code: 'malformed_request',
    detail,
  })
})

async function send(
  method: string,
  path: string,
  sent: unknown = '',
  sentHeaders: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly allow: string | null; readonly problem: unknown }> {
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
  const response = await fetch(`${system.url}${path}`, {
    method,
    headers: sentHeaders,
    body: method === 'GET' ? null : text,
  })
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  return { status: response.status, allow: response.headers.get('allow'), problem: await response.json() }
}
