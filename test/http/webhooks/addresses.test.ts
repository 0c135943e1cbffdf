// Where a webhook may lead: every spelling of an address inside a network is refused, before anything is sent.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseReference } from '../../../src/effect/reference.ts'
import { isPublicAddress } from '../../../src/http/webhooks/addresses.ts'
import { checkedEndpoints } from '../../../src/http/webhooks/endpoint-options.ts'
import { sendWebhook } from '../../../src/http/webhooks/send.ts'
import type { Message } from '../../../src/runtime/deliver/endpoint.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const STRICT = { ports: [443], allowLoopback: false }
const LOCAL = { ports: [443], allowLoopback: true }

const MESSAGE: Message = {
  tenant: parseReference('acme', ''),
  event: {
    position: 1,
    type: 'proposal.prepared',
    proposal: parseReference('01P', ''),
    status: 'awaiting_approval',
    revision: 0,
    at: 0,
  },
}

/** Addresses as they are written in a URL. */
const SPELLINGS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '0',
  '0.0.0.0',
  '00000',
  '10.0.0.1',
  '10.1',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.257',
  '3232235521',
  '0xc0a80001',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '192.88.99.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:8.8.8.8]',
  '[::ffff:169.254.169.254]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[100::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '[fe80::1]',
  '[feb0::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
]

/** Addresses as a resolver answers them. */
const RESOLVED = [
  '127.0.0.1',
  '10.0.0.8',
  '172.20.1.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.7.7',
  '0.0.0.0',
  '224.0.0.251',
  '::1',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  '::ffff:10.0.0.1',
  '::ffff:0a00:1',
  '64:ff9b::a00:1',
  '2002:a00:1::1',
  '2001::1',
  'ff02::1',
  '::10.0.0.1',
  'localhost',
  '',
  '127.1',
  '2606:4700::1%1',
]

describe('threat T38 an address inside a network', () => {
  it.each(SPELLINGS)('is refused when it is configured as %s', (host) => {
    const given = { id: 'a', url: `https://${host}/hook`, secrets: [SECRET], tenants: 'all' }

    expect(() => checkedEndpoints([given], STRICT)).toThrow('/endpoints/0/url: must')
  })

  it.each(RESOLVED)('is refused when a name means "%s"', async (address) => {
    expect(isPublicAddress(address)).toBe(false)
    for (const answer of [[address], ['93.184.215.14', address]]) {
      expect(await tryTo('https://hooks.example.com/', async () => answer, STRICT)).toMatchObject({
        kind: 'failed',
        reason: 'address_refused',
      })
    }
  })
})

it.each(['93.184.215.14', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::6810:84e5', '2a00:1450:4001::200e'])(
  'the public address %s is no such address',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

it.each([
  ['http://hooks.example.com/', 'must be https'],
  ['ftp://hooks.example.com/', 'must be https'],
  ['https://hooks.example.com:22/', 'must use a port that is allowed: 443'],
  ['https://me:secret@hooks.example.com/', 'must not hold a user or a password'],
  ['https://hooks.example.com/#x', 'must not have a fragment'],
  ['/hook', 'must be an absolute URL'],
])('threat T38 the URL %s is refused, and not repeated', (url, message) => {
  const given = { id: 'a', url, secrets: [SECRET], tenants: 'all' }

  expect(() => checkedEndpoints([given], STRICT)).toThrow(`/endpoints/0/url: ${message}`)
})

it('threat T38 loopback is for development: neither a name nor an address of it is used unless that was said', async () => {
  const { port, requests } = await receiver()

  const strict = await tryTo('https://hooks.example.com/', async () => ['127.0.0.1'], STRICT)
  const local = await tryTo(`http://localhost:${port}/`, async () => ['127.0.0.1'], LOCAL)
  const mapped = await tryTo(`http://localhost:${port}/`, async () => ['::ffff:127.0.0.1'], LOCAL)

  expect([strict, local, mapped].map(({ kind }) => kind)).toEqual(['failed', 'delivered', 'failed'])
  expect(requests).toHaveLength(1)
})

it('threat T38 a name that means something else the next time: the connection goes to the address that was checked', async () => {
  const { port, requests } = await receiver()
  const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.3']]
  let asked = 0
  const flipping = async (): Promise<string[]> => answers[asked++] ?? []

  const tried = await tryTo(`http://localhost:${port}/`, flipping, LOCAL)

  expect(tried.kind).toBe('delivered')
  expect(asked).toBe(1)
  expect(requests).toEqual([{ to: '127.0.0.1', host: `localhost:${port}`, path: '/' }])
})

it.each([301, 302, 303, 307, 308])('threat T38 a redirect (%i) is a failure, and not followed', async (status) => {
  const inside = await receiver()
  const { port } = await receiver(status, { location: `http://127.0.0.1:${inside.port}/` })

  const tried = await tryTo(`http://localhost:${port}/`, async () => ['127.0.0.1'], LOCAL)

  expect(tried).toEqual({ kind: 'failed', reason: `answered_${status}`, retryAfterMs: null })
  expect(inside.requests).toEqual([])
})

async function tryTo(url: string, resolve: () => Promise<string[]>, rules: typeof STRICT) {
  const [endpoint] = checkedEndpoints([{ id: 'a', url, secrets: [SECRET], tenants: 'all' }], rules)
  if (endpoint === undefined) throw new Error('there is one')
  const sending = { clock: systemClock, resolve, allowLoopback: rules.allowLoopback, timeoutMs: 20_000 }
  return sendWebhook(sending, endpoint, MESSAGE)
}

async function receiver(status = 200, headers: Record<string, string> = {}) {
  const requests: { to: string | undefined; host: string | undefined; path: string | undefined }[] = []
  const server = createServer((request, response) => {
    requests.push({ to: request.socket.localAddress, host: request.headers.host, path: request.url })
    response.writeHead(status, headers).end('thank you')
  })
  await once(server.listen(0, '0.0.0.0'), 'listening')
  onTestFinished(() => {
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, requests }
}
