// What is sent to an endpoint, how it is signed, what counts as delivered, and what is wrong with a configuration.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DefinitionError } from '../../../src/proposal/errors.ts'
import { retryAfterMs } from '../../../src/http/webhooks/retry-after.ts'
import { signatures, secretBytes } from '../../../src/http/webhooks/signature.ts'
import { webhooks, type WebhooksOptions } from '../../../src/http.ts'
import { listUndelivered, replayDeliveries } from '../../../src/runtime/deliver/dead-letters.ts'
import type { LiveProposal, Store } from '../../../src/runtime/ports.ts'
import { memoryStore } from '../../../src/store/memory-store.ts'
import { moved, prepared } from '../../../src/testing/store-conformance/steps.ts'
import { reference, sampleEffectKey, SAMPLE_TENANT } from '../../../src/testing/store-conformance/sample-proposals.ts'

const secretOf = (byte: number, bytes = 24): string => `whsec_${Buffer.alloc(bytes, byte).toString('base64')}`
const OTHER = reference('tenant-b')

/** A request as a receiver got it. */
interface Got {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly type: string
  readonly proposal: string
}

describe('threat T39 a message', () => {
  it('is signed as Standard Webhooks says: the published example', () => {
    const secret = secretBytes('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
    const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' }

    expect(signatures(signed, [secret ?? Buffer.alloc(0)])).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('carries a signature for each secret, the same id at every try, and references and statuses only', async () => {
    const answers = [503, 200, 200]
    const world = await open({ answer: (response) => response.writeHead(answers.shift() ?? 200).end() })
    await prepared(world.store)

    while (world.got.length < 2) await world.deliver()

    expect(world.got.map(({ type }) => type)).toEqual(['proposal.prepared', 'proposal.prepared'])
    const [first, second] = world.got
    expect(first?.headers['webhook-id']).toMatch(/^[a-z0-9_]+$/)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    for (const { headers, body } of world.got) {
      const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
      const expected = [1, 2].map((byte) => {
        return `v1,${createHmac('sha256', Buffer.alloc(24, byte)).update(content).digest('base64')}`
      })
      expect(headers['webhook-signature']).toBe(expected.join(' '))
      expect(Object.keys(JSON.parse(body) as object)).toEqual(['type', 'timestamp', 'data'])
      expect(Object.keys((JSON.parse(body) as { data: object }).data)).toEqual([
        'tenant',
        'proposal',
        'status',
        'revision',
      ])
      expect(body.length).toBeLessThan(20_000)
    }
  })
})

describe('invariant I29', () => {
  it('a failing event keeps back what follows of its own proposal, and nothing else', async () => {
    const store = memoryStore()
    const poison = await closed(store)
    const world = await open({
      store,
      waits: ['1h'],
      answer: (response, { proposal }) => response.writeHead(proposal === poison.proposal.ref ? 500 : 204).end(),
    })
    const healthy = await closed(store)

    await world.deliver()

    expect(world.typesOf(poison)).toEqual(['proposal.prepared'])
    expect(world.typesOf(healthy)).toEqual(['proposal.prepared', 'proposal.closed', 'proposal.closed'])
    expect(await world.deliver()).toBeGreaterThan(Date.now())
    expect(world.typesOf(poison)).toHaveLength(1)
  })

  it('an endpoint that hangs keeps back neither another one nor another tenant', async () => {
    const store = memoryStore()
    const release = Promise.withResolvers<void>()
    const hanging = await receiver(async (response) => {
      await release.promise
      response.end()
    })
    const world = await open({ store, more: [{ id: 'hangs', url: hanging.url, tenants: [SAMPLE_TENANT] }] })
    await prepared(store)
    const running = world.deliver()
    await until(() => hanging.got.length === 1 && world.got.length === 1)

    const late = await prepared(store)
    await until(() => world.typesOf(late).length === 1)
    await prepared(store, { tenant: OTHER, effect: sampleEffectKey(OTHER, 'x') })
    await world.deliver(OTHER)

    expect(world.got).toHaveLength(3)
    release.resolve()
    await running
  })

  it('a dead letter waits with all that follows it, and is replayed in its order', async () => {
    const store = memoryStore()
    let status = 500
    const world = await open({ store, waits: ['1ms'], answer: (response) => response.writeHead(status).end() })
    const live = await closed(store)
    while ((await listUndelivered(store)).deadLetters.length === 0) await world.deliver()

    const dead = await listUndelivered(store, { tenant: SAMPLE_TENANT })
    expect(dead).toMatchObject({
      deadLetters: [
        { endpoint: 'ledger', proposal: live.proposal.ref, type: 'proposal.prepared', reason: 'answered_500' },
      ],
      disabled: [],
    })
    status = 200
    expect(await world.deliver()).toBe(null)
    expect(new Set(world.typesOf(live))).toEqual(new Set(['proposal.prepared']))
    expect(await replayDeliveries(store, { endpoint: 'ledger' })).toBe(1)
    await world.deliver()

    expect(world.typesOf(live).slice(-3)).toEqual(['proposal.prepared', 'proposal.closed', 'proposal.closed'])
    expect((await listUndelivered(store)).deadLetters).toEqual([])
    await expect(replayDeliveries(store, { endpoint: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('410 disables the endpoint, and what happens meanwhile waits until it is used again', async () => {
    const store = memoryStore()
    let status = 410
    const world = await open({ store, answer: (response) => response.writeHead(status).end() })
    const first = await prepared(store)
    await world.deliver()
    const later = await prepared(store)

    expect(await world.deliver()).toBe(null)
    expect(world.got).toHaveLength(1)
    expect((await listUndelivered(store)).disabled).toMatchObject([{ tenant: SAMPLE_TENANT, endpoint: 'ledger' }])
    status = 200
    await replayDeliveries(store, { endpoint: 'ledger' })
    await world.deliver()

    expect([...world.typesOf(first), ...world.typesOf(later)]).toEqual([
      'proposal.prepared',
      'proposal.prepared',
      'proposal.prepared',
    ])
  })

  it('an endpoint gets the events that it asks for, of its tenants, from an instant on', async () => {
    const store = memoryStore()
    const live = await closed(store)
    await prepared(store, { tenant: OTHER, effect: sampleEffectKey(OTHER, 'x') })
    const only = await receiver()
    const never = await receiver()
    const world = await open({
      store,
      more: [
        { id: 'only', url: only.url, events: ['proposal.closed'] },
        { id: 'later', url: never.url, since: '2100-01-01T00:00:00Z' },
      ],
    })

    await world.deliver()
    await world.deliver(OTHER)

    expect(only.got.map(({ type, proposal }) => [type, proposal])).toEqual([
      ['proposal.closed', live.proposal.ref],
      ['proposal.closed', live.proposal.ref],
    ])
    expect(never.got).toEqual([])
  })

  it('an answer whose body never ends still counts by its status', async () => {
    const world = await open({
      answer(response) {
        response.writeHead(200)
        const more = (): boolean => response.destroyed || !response.write('x'.repeat(4_096)) || more()
        response.on('drain', more)
        more()
      },
    })
    await prepared(world.store)

    await world.deliver()

    expect(await world.deliver()).toBe(null)
    expect(world.got).toHaveLength(1)
  })
})

it.each([
  ['120', 120_000],
  ['Thu, 01 Jan 1970 00:02:00 GMT', 120_000],
  ['-1', null],
  ['soon', null],
  ['1e9', null],
  [undefined, null],
])('Retry-After: %s', (header, ms) => {
  expect(retryAfterMs(header, 0)).toBe(ms)
})

describe('a configuration', () => {
  const good = { id: 'a', url: 'https://hooks.example.com/', secrets: [secretOf(1)], tenants: ['t'] }
  it.each<[object, string]>([
    [{ ...good, id: '' }, '/endpoints/0/id'],
    [{ ...good, secrets: [] }, '/endpoints/0/secrets'],
    [{ ...good, secrets: [secretOf(1), 'whsec_c2hvcnQ='] }, '/endpoints/0/secrets/1'],
    [{ ...good, secrets: [secretOf(1, 65)] }, '/endpoints/0/secrets/0'],
    [{ ...good, secrets: [secretOf(1).slice(6)] }, '/endpoints/0/secrets/0'],
    [{ ...good, tenants: [] }, '/endpoints/0/tenants'],
    [{ ...good, tenants: 't' }, '/endpoints/0/tenants'],
    [{ ...good, events: ['proposal.paid'] }, '/endpoints/0/events'],
    [{ ...good, since: 'yesterday' }, '/endpoints/0/since'],
    [{ ...good, secret: secretOf(1) }, '/endpoints/0'],
  ])('that cannot be right is refused by its path, without a secret: %#', (endpoint, path) => {
    const error = failureOf({ endpoints: [endpoint as WebhooksOptions['endpoints'][number]] })

    expect(error.problems.map((problem) => problem.path)).toEqual([path])
    expect(error.message).not.toContain('whsec_A')
    expect(error.message).not.toContain('c2hvcnQ')
  })

  it('names each endpoint once, and has limits', () => {
    expect(failureOf({ endpoints: [good, good] }).problems.map(({ path }) => path)).toEqual(['/endpoints/1/id'])
    const limits = failureOf({ endpoints: [good], timeout: '2m', waits: [], ports: [0] })
    expect(limits.problems.map(({ path }) => path)).toEqual(['/timeout', '/waits', '/ports'])
  })

  it.each([24, 64])('may have secrets of %i bytes', (bytes) => {
    expect(webhooks({ store: memoryStore(), endpoints: [{ ...good, secrets: [secretOf(1, bytes)] }] })).toBeDefined()
  })
})

function failureOf(options: Omit<WebhooksOptions, 'store'>): DefinitionError {
  try {
    webhooks({ store: memoryStore(), ...options })
  } catch (error) {
    if (error instanceof DefinitionError) return error
    throw error
  }
  throw new Error('it was accepted')
}

async function closed(store: Store): Promise<LiveProposal> {
  return moved(store, await moved(store, await prepared(store), 'approved'), 'withdrawn')
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setImmediate()
}

type Answer = (response: ServerResponse, got: Got) => unknown

async function receiver(answer: Answer = (response) => response.end()) {
  const got: Got[] = []
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { type, data } = JSON.parse(body) as { type: string; data: { proposal: string } }
    const one = { headers: request.headers, body, type, proposal: data.proposal }
    got.push(one)
    answer(response, one)
  }
  const server = createServer((request, response) => void take(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { got, url: `http://127.0.0.1:${address.port}/hook` }
}

interface Opened {
  readonly store?: Store
  readonly waits?: WebhooksOptions['waits']
  readonly answer?: Answer
  readonly more?: readonly (Partial<WebhooksOptions['endpoints'][number]> & {
    readonly id: string
    readonly url: string
  })[]
}

async function open({ store = memoryStore(), waits = ['1ms', '1ms', '1ms'], answer, more = [] }: Opened) {
  const { got, url } = await receiver(answer)
  const common = { secrets: [secretOf(1), secretOf(2)], tenants: 'all' as const }
  const endpoints = [{ ...common, id: 'ledger', url }, ...more.map((one) => ({ ...common, ...one }))]
  const outbox = webhooks({ store, endpoints, waits, allowLoopback: true })
  return {
    store,
    got,
    typesOf: ({ proposal }: LiveProposal) => got.filter((one) => one.proposal === proposal.ref).map(({ type }) => type),
    async deliver(tenant = SAMPLE_TENANT) {
      return (await outbox.deliverDue(tenant)).nextAt
    },
  }
}
