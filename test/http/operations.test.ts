// The service watched from outside: health, readiness, figures, and a log of nothing private.
import { serve } from '@hono/node-server'
import type { AddressInfo } from 'node:net'
import { request as httpRequest } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { prometheusMeters, type PrometheusMeters } from '../../src/http.ts'
import { StoreUnavailable } from '../../src/proposal/errors.ts'
import type { Logger } from '../../src/runtime/ports.ts'
import { type Around, InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { PatientClock } from '../store/patient-clock.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { HOUR_MS, MINUTE_MS, openWorld, refused, START, STORES } from '../runtime/harness.ts'
import { executing, inDoubt, unresolved } from '../runtime/operators.ts'
import { finance1, requester, stranger } from '../runtime/sessions.ts'
import { type AppOptions, createApp } from '../../src/http.ts'
import { authenticate, httpPermissions, type HttpWorld, openHttp, tokenOf } from './world.ts'

describe('health', () => {
  it('says that the process answers, whatever the store does', async () => {
    let isAway = false
    const around: Around = async (_, call) => (isAway ? away() : call())
    const world = await openHttp({ store: 'memory', around })
    isAway = true

    const answer = await world.get(null, '/healthz')

    expect([answer.status, answer.json]).toEqual([200, { status: 'alive' }])
  })

  it.each(STORES)('says whether the %s store answers', async (store) => {
    let isAway = false
    const world = await openHttp({ store, around: async (_, call) => (isAway ? away() : call()) })

    const ready = await world.get(null, '/readyz')
    isAway = true
    const not = await world.get(null, '/readyz')
    isAway = false

    expect([ready.status, ready.json]).toEqual([200, { status: 'ready' }])
    expect([not.status, not.json['code'], not.headers.get('Retry-After')]).toEqual([503, 'store_unavailable', '5'])
  })
})

async function away(): Promise<never> {
  throw new StoreUnavailable()
}

/** A world whose runtime is made of watched parts. */
async function openWatched(
  store: StoreName,
  meters: PrometheusMeters,
  clock = new PatientClock(START),
): Promise<HttpWorld> {
  const inner = await openWorld({
    store,
    clock,
    contract: { permissions: httpPermissions, lifetime: '2h', verification: { absences: 1 } },
  })
  const silent: Logger = { info: () => {}, warn: () => {}, error: () => {} }
  const { ProposalRuntime } = await import('../../src/runtime/runtime.ts')
  const runtime = await ProposalRuntime.open({
    store: meters.watchStore(inner.store),
    keyring: inner.keyring,
    actions: [inner.action],
    clock: inner.clock,
    logger: meters.watchLogger(silent),
  })
  const app = createApp({ runtime, authenticate, meters })
  const send: HttpWorld['send'] = async (by, method, path) => {
    const headers = by === null ? {} : { Authorization: `Bearer ${tokenOf(by)}` }
    const response = await app.request(path, { method, headers })
    return { status: response.status, headers: response.headers, text: await response.text(), json: {} }
  }
  const get: HttpWorld['get'] = (by, path) => send(by, 'GET', path)
  const post: HttpWorld['post'] = (by, path) => send(by, 'POST', path)
  return { ...inner, runtime, app, send, get, post }
}

async function figures(world: HttpWorld): Promise<ReadonlyMap<string, number>> {
  const { text } = await world.get(null, '/metrics')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))] as const
    }),
  )
}

describe.each(STORES)('the figures on %s', (store) => {
  it('count what waits, what was tried and what came of it', async () => {
    const clock = new PatientClock(START)
    const inner = await openWatched(store, prometheusMeters({ clock }), clock)
    const { action } = inner
    const open = (await inner.runtime.prepare(requester, inner.input())).proposal
    await inner.get(requester, `/v1/proposals/${open}`)
    await inner.get(stranger, `/v1/proposals/${open}`)
    const drifted = (await inner.runtime.prepare(requester, inner.input())).proposal
    const { commitment } = (await inner.stored(drifted)).proposal
    await inner.runtime.approve(finance1, drifted, { commitment })
    action.business.orderVersion += 1
    await inner.post(requester, `/v1/proposals/${drifted}/execute`)
    await inDoubt(inner, 'first')
    await clock.advance(2 * MINUTE_MS)
    await inDoubt(inner, 'second')
    await clock.advance(MINUTE_MS)

    const told = await figures(inner)

    expect(told.get('countersign_store_answers')).toBe(1)
    expect(told.get('countersign_proposals_open')).toBe(1)
    expect(told.get('countersign_proposals_in_doubt')).toBe(2)
    expect(told.get('countersign_in_doubt_oldest_age_seconds')).toBeGreaterThan(100)
    expect(told.get('countersign_proposals_needing_a_person')).toBe(0)
    expect(told.get('countersign_attempts_total')).toBe(2)
    expect(told.get('countersign_receipts_total{type="execution.drift_refused"}')).toBe(1)
    expect(told.get('countersign_outcomes_total{operation="executeProposal",outcome="stale"}')).toBe(1)
    expect(told.get('countersign_outcomes_total{operation="readProposal",outcome="not_found"}')).toBe(1)
    const seconds = 'countersign_http_request_duration_seconds_count'
    expect(told.get(`${seconds}{method="GET",route="/v1/proposals/:ref",status="200"}`)).toBe(1)
    expect(told.get(`${seconds}{method="GET",route="/v1/proposals/:ref",status="404"}`)).toBe(1)
  })

  it('count those that need a person, conflicts and host calls that hung', async () => {
    const meters = prometheusMeters()
    const world = await openWatched(store, meters)
    await unresolved(world)
    const { proposal, commitment } = await world.runtime.prepare(requester, world.input())
    await Promise.all([
      world.runtime.approve(finance1, proposal, { commitment }),
      world.runtime.withdraw(requester, proposal),
    ])
    world.action.methods.prepare = async () => new Promise(() => {})
    const hanging = refused(world.runtime.prepare(requester, world.input()))
    await world.clock.advance(HOUR_MS)
    expect(await hanging).toMatchObject({ code: 'preparation_failed' })

    const told = await figures(world)

    expect(told.get('countersign_proposals_needing_a_person')).toBe(1)
    expect(told.get('countersign_conflicts_total{on="revision"}')).toBeGreaterThan(0)
    expect(told.get('countersign_host_trouble_total{method="prepare",trouble="timed_out"}')).toBe(1)
  })

  it('name no tenant, no person and no proposal', async () => {
    const meters = prometheusMeters()
    const world = await openWatched(store, meters)
    const ref = await inDoubt(world)
    await world.get(requester, `/v1/proposals/${ref}`)
    await world.get(requester, `/v1/${ref}/acme`)
    await world.send(requester, 'BREW', `/v1/proposals/${ref}`)

    const { text } = await world.get(null, '/metrics')

    expect([ref, 'acme', 'rita', 'fiona', 'BREW', 'ORD-1001'].filter((word) => text.includes(word))).toEqual([])
  })
})

describe('the figures', () => {
  it('say when the store does not answer, and keep what they counted', async () => {
    const meters = prometheusMeters()
    const world = await openWatched('memory', meters)
    meters.watchStore(new InterceptedStore(world.bareStore, away))
    await inDoubt(world)

    const told = await figures(world).catch(() => new Map<string, number>())

    expect(told.get('countersign_attempts_total')).toBe(1)
    expect(told.get('countersign_store_answers')).toBe(0)
  })

  it('are shown to a token where there is one, and to nobody else', async () => {
    const token = 'a-token-of-the-scraper'
    const world = await openHttp({ store: 'memory', app: { meters: prometheusMeters({ token }) } })

    const [none, other, session, right] = [
      await world.get(null, '/metrics'),
      await world.get(null, '/metrics', { Authorization: 'Bearer another-token-of-some-length' }),
      await world.get(requester, '/metrics'),
      await world.get(null, '/metrics', { Authorization: `Bearer ${token}` }),
    ]

    expect([none.status, other.status, session.status, right.status]).toEqual([401, 401, 401, 200])
    expect(() => prometheusMeters({ token: 'short' })).toThrow(TypeError)
  })

  it('are not there where nobody keeps them', async () => {
    const world = await openHttp({ store: 'memory' })

    expect((await world.get(null, '/metrics')).status).toBe(404)
  })
})

describe('the log', () => {
  it('has one line a request, of five fields and no other', async () => {
    const lines: (readonly [object, string])[] = []
    const logger: Logger = {
      info: (fields, message) => lines.push([fields, message]),
      warn: (fields, message) => lines.push([fields, message]),
      error: (fields, message) => lines.push([fields, message]),
    }
    const world = await openHttp({ store: 'memory', app: { logger } })
    const { proposal } = await world.prepared()

    await world.post(requester, '/v1/proposals', { ...world.input(), note: 'CANARY' })
    await world.get(requester, `/v1/proposals/${proposal}?CANARY=1`)
    await world.get(stranger, '/CANARY')
    await world.send(requester, 'PUT', '/v1/proposals')

    const requests = lines.slice(-4)
    expect(requests.map(([fields, message]) => [message, Object.keys(fields)])).toEqual(
      Array.from({ length: 4 }, () => ['request', ['method', 'route', 'status', 'durationMs', 'requestId']]),
    )
    expect(requests.map(([fields]) => fields)).toMatchObject([
      { method: 'POST', route: '/v1/proposals', status: 422 },
      { method: 'GET', route: '/v1/proposals/:ref', status: 422 },
      { method: 'GET', route: '/*', status: 404 },
      { method: 'PUT', route: '/v1/proposals', status: 405 },
    ])
    const text = JSON.stringify(lines)
    expect(['CANARY', proposal, 'rita', 'acme', 'ORD-1001'].filter((word) => text.includes(word))).toEqual([])
  })

  it('says of an error its class and nothing that it quotes', async () => {
    const lines: unknown[] = []
    const logger: Logger = { info: () => {}, warn: () => {}, error: (fields) => lines.push(fields) }
    const broken = (): never => {
      throw new RangeError('CANARY')
    }
    const world = await openHttp({ store: 'memory', app: { logger, authenticate: broken } })

    const { headers } = await world.get(requester, '/v1/proposals')

    expect(lines).toMatchObject([{ requestId: headers.get('X-Request-Id'), code: 'internal', error: 'RangeError' }])
    expect(JSON.stringify(lines)).not.toContain('CANARY')
  })

  it('that breaks stands in nobody’s way, nor does a host that cannot hear', async () => {
    const breaking = (): never => {
      throw new Error('the disk is full')
    }
    const logger: Logger = { info: breaking, warn: () => {}, error: breaking }
    const app: Partial<AppOptions> = { logger, authenticate: breaking, onInternalError: breaking }
    const world = await openHttp({ store: 'memory', app })

    expect((await world.get(requester, '/v1/proposals')).status).toBe(500)
    expect((await world.get(null, '/healthz')).status).toBe(200)
  })
})

describe('an app', () => {
  it.each([
    ['nothing', undefined, 'runtime, authenticate'],
    ['no authentication', { runtime: {} }, 'authenticate'],
    ['no runtime', { authenticate: (): null => null }, 'runtime'],
    ['a promise of a runtime', { runtime: Promise.resolve(), authenticate: (): null => null }, 'await'],
  ])('is not made of %s', (_what, options, word) => {
    const make = createApp as (options: unknown) => unknown

    expect(() => make(options)).toThrow(new RegExp(`(?=.*${word.replace(', ', '.*')})`))
  })
})

describe('over a socket', () => {
  it('case C004 the attempt goes on when the connection breaks', async () => {
    const world = await openHttp({ store: 'sqlite' })
    const { proposal } = await world.approvedProposal()
    const entered = Promise.withResolvers<void>()
    const target = Promise.withResolvers<void>()
    executing(world, async () => {
      entered.resolve()
      await target.promise
      return { status: 'accepted' }
    })
    const listening = Promise.withResolvers<AddressInfo>()
    const server = serve({ fetch: world.app.fetch, port: 0, hostname: '127.0.0.1' }, listening.resolve)
    onTestFinished(() => void server.close())
    const { port } = await listening.promise
    const closed = Promise.withResolvers<void>()

    const path = `/v1/proposals/${proposal}/execute`
    const headers = { Authorization: `Bearer ${tokenOf(requester)}` }
    const call = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers })
    call.on('error', () => closed.resolve())
    call.end()
    await entered.promise
    call.destroy()
    await closed.promise
    target.resolve()
    await statusLeaves(world, proposal, 'executing')

    expect((await world.stored(proposal)).proposal.status).toBe('verification_pending')
    expect(world.action.calls.execute).toBe(1)
    expect((await world.post(requester, path)).json['outcome']).toBe('verification_pending')
    expect(world.action.calls.execute).toBe(1)
  })
})

// The call settles on its own; nobody is left to be told.
async function statusLeaves(world: HttpWorld, ref: string, status: string): Promise<void> {
  while ((await world.stored(ref)).proposal.status === status) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}
