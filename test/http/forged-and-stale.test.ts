// Cases that come over HTTP: a card of yesterday, a forged notice, a cookie that nobody reads.
import { describe, expect, it } from 'vitest'
import { elsewhere, finance1, finance2, requester, session } from '../runtime/sessions.ts'
import { reach } from '../runtime/states.ts'
import { type HttpWorld, openHttp, tokenOf } from './world.ts'

const webhooks = session('service:webhooks', ['webhooks'])

interface Waiting {
  readonly ref: string
  readonly path: string
  readonly commitment: string
}

async function waiting(world: HttpWorld): Promise<Waiting> {
  const prepared = await world.post(requester, '/v1/proposals', world.input())
  const ref = String(prepared.json['proposal'])
  const path = `/v1/proposals/${ref}`
  const view = await world.get(finance1, path)
  return { ref, path, commitment: String(view.json['commitment']) }
}

/** Everything that a request could have changed of a proposal. */
async function state(world: HttpWorld, ref: string): Promise<string> {
  const stored = await world.stored(ref)
  return JSON.stringify([stored, await world.store.receipts(stored.proposal.tenant, stored.proposal.ref)])
}

describe('case C079: yesterday’s button approves today’s request', () => {
  it('case C079 the commitment of an expired card acts on its own proposal alone, and is answered', async () => {
    const world = await openHttp({ store: 'memory' })
    const old = await waiting(world)
    await world.clock.advance(2 * 60 * 60_000)
    const fresh = await waiting(world)
    const before = await state(world, fresh.ref)

    const pressed = await world.post(finance1, `${old.path}/approve`, { commitment: old.commitment })
    const pressedAgain = await world.post(finance2, `${old.path}/approve`, { commitment: old.commitment })
    const crossed = await world.post(finance1, `${fresh.path}/approve`, { commitment: old.commitment })

    expect([pressed, pressedAgain].map(({ status, json }) => [status, json['outcome']])).toEqual([
      [409, 'expired'],
      [409, 'expired'],
    ])
    expect([crossed.status, crossed.json['code']]).toEqual([409, 'binding_mismatch'])
    expect(await state(world, fresh.ref)).toBe(before)
  })
})

describe('case C094: a forged webhook confirms the payment', () => {
  it('case C094 nobody’s notice is 401, and a service’s own confirms nothing', async () => {
    const world = await openHttp({ store: 'memory' })
    const ref = await reach.failed_unknown(world)
    const { effect } = (await world.stored(ref)).proposal
    const stored = await world.store.effect(effect)
    const idempotencyKey = String(stored?.attempts[0]?.idempotencyKey)
    const notice = { idempotencyKey, eventId: 'evt_1' }

    const unsigned = await world.post(null, '/v1/observations', notice)
    const foreign = await world.post(elsewhere(webhooks), '/v1/observations', notice)
    const claiming = await world.post(webhooks, '/v1/observations', { ...notice, status: 'succeeded' })
    const own = await world.post(webhooks, '/v1/observations', notice)

    expect([unsigned, foreign, claiming, own].map(({ status }) => status)).toEqual([401, 404, 422, 202])
    expect((await world.stored(ref)).proposal.status).toBe('failed_unknown')
    const executed = await world.post(requester, `/v1/proposals/${ref}/reconcile`)
    expect(executed.json['status']).not.toBe('verified')
  })
})

describe('trace S56: smaller items of the surface', () => {
  it.each(['GET', 'POST'])('trace S56 a cookie is no credential of the API: %s', async (method) => {
    const world = await openHttp({ store: 'memory' })
    const { ref, path, commitment } = await waiting(world)
    const token = tokenOf(finance1)
    const sending = method === 'POST' ? { json: { commitment } } : {}
    const before = await state(world, ref)

    const answer = await world.send(null, method, method === 'POST' ? `${path}/approve` : path, {
      ...sending,
      headers: { Cookie: `session=${token}; Authorization=Bearer ${token}` },
    })

    expect(answer.status).toBe(401)
    expect(await state(world, ref)).toBe(before)
  })
})
