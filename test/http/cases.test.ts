// Cases from the field that are about requests: disconnects, repeats, prefetches, decisions that are none.
import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../runtime/harness.ts'
import { executing, keyOf } from '../runtime/operators.ts'
import { finance1, finance2, requester, session } from '../runtime/sessions.ts'
import { examplesFor } from './every-endpoint.ts'
import { openHttp } from './world.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'

const webhooks = session('service:webhooks', ['webhooks'])

describe.each(EVERY_STORE)('on %s', (store) => {
  it('case C004 who hangs up in the middle of the call stops nothing of it', async () => {
    const world = await openHttp({ store })
    const { proposal } = await world.approvedProposal()
    const entered = Promise.withResolvers<void>()
    const target = Promise.withResolvers<void>()
    let fired = false
    const book = world.action.methods.execute
    world.action.methods.execute = async (input) => {
      input.signal.addEventListener('abort', () => {
        fired = true
      })
      entered.resolve()
      await target.promise
      return book(input)
    }
    const caller = new AbortController()

    const answer = world.send(requester, 'POST', `/v1/proposals/${proposal}/execute`, { signal: caller.signal })
    await entered.promise
    caller.abort()
    const meanwhile = await world.post(finance1, `/v1/proposals/${proposal}/approve`, {
      commitment: (await world.stored(proposal)).proposal.commitment,
    })
    target.resolve()
    await Promise.allSettled([answer])

    expect(meanwhile.json).toMatchObject({ outcome: 'in_progress' })
    expect(fired).toBe(false)
    const again = await world.post(requester, `/v1/proposals/${proposal}/execute`)
    expect([again.status, again.json['outcome']]).toEqual([202, 'verification_pending'])
    await world.clock.advance(MINUTE_MS)
    const verified = await world.post(requester, `/v1/proposals/${proposal}/reconcile`)
    expect([verified.status, verified.json['outcome']]).toEqual([200, 'verified'])
    expect(world.action.business.booked).toHaveLength(1)
  })

  it.each([
    ['two neighbours beyond 2^53', '{"orderReference":9196877626998785}', 400],
    ['an exponent', '{"orderReference":1e400}', 400],
    ['a negative zero', '{"orderReference":-0}', 400],
    ['a fraction', '{"orderReference":0.1}', 400],
    ['one and one point nothing', '{"orderReference":1.0}', 400],
    ['a number where a text belongs', '{"orderReference":1}', 422],
  ])('case C024 %s are told apart from the text, or refused', async (_what, command, status) => {
    const world = await openHttp({ store })

    const answer = await world.send(requester, 'POST', '/v1/proposals', {
      text: `{"action":"example.payments/refund@1","command":${command}}`,
    })

    expect(answer.status).toBe(status)
    expect((await world.get(requester, '/v1/proposals')).json).toEqual({ items: [], next: null })
  })

  it('case C024 neighbouring ids as texts are two commands', async () => {
    const world = await openHttp({ store })
    const send = async (orderReference: string): Promise<unknown> => {
      const input = world.input({ orderReference, intent: 'the same' })
      return (await world.post(requester, '/v1/proposals', input)).json['commitment']
    }

    expect(await send('9196877626998785')).not.toBe(await send('9196877626998784'))
  })

  it('case C037 who decides second is told which decision stands', async () => {
    const world = await openHttp({ store })
    const { proposal, commitment } = await world.prepared()

    const answers = await Promise.all([
      world.post(finance1, `/v1/proposals/${proposal}/reject`, { commitment }),
      world.post(finance2, `/v1/proposals/${proposal}/approve`, { commitment }),
    ])

    const view = (await world.get(requester, `/v1/proposals/${proposal}`)).json
    expect(view['status']).toBe('rejected')
    expect(answers[0]?.json['outcome']).toBe('rejected')
    expect(['approved', 'rejected']).toContain(answers[1]?.json['outcome'])
    expect(answers[1]?.status).toBe(answers[1]?.json['outcome'] === 'approved' ? 200 : 409)
    const executed = await world.post(requester, `/v1/proposals/${proposal}/execute`)
    expect([executed.status, executed.json['outcome']]).toEqual([409, 'rejected'])
    expect(world.action.business.booked).toEqual([])
  })

  it('case C043 a repetition of what was answered and lost is answered again', async () => {
    const world = await openHttp({ store })
    const input = world.input()
    const key = { 'Idempotency-Key': '"order-7"' }
    const prepared = await world.post(requester, '/v1/proposals', input, key)
    const ref = String(prepared.json['proposal'])
    const path = `/v1/proposals/${ref}`
    const decision = { commitment: prepared.json['commitment'] }

    const again = await world.post(requester, '/v1/proposals', input, key)
    expect([again.status, again.json['outcome'], again.json['proposal']]).toEqual([200, 'replayed', ref])
    expect(again.headers.get('Idempotency-Replayed')).toBe('true')
    expect(again.headers.get('Location')).toBe(path)

    expect((await world.post(finance1, `${path}/approve`, decision)).json['outcome']).toBe('approved')
    const repeated = await world.post(finance1, `${path}/approve`, decision)
    expect([repeated.status, repeated.json['outcome']]).toEqual([200, 'replayed'])

    await world.post(requester, `${path}/execute`)
    const executed = await world.post(requester, `${path}/execute`)
    expect([executed.status, executed.json['outcome']]).toEqual([202, 'verification_pending'])

    await world.clock.advance(MINUTE_MS)
    await world.post(requester, `${path}/reconcile`)
    const done = await world.post(requester, '/v1/proposals', input, { 'Idempotency-Key': 'order-7' })
    expect([done.status, done.json['outcome'], done.json['status']]).toEqual([200, 'replayed', 'verified'])

    const privacy = session('user:petra', ['privacy-officer', 'auditor'])
    expect((await world.post(privacy, `${path}/erase`, { reason: 'asked' })).status).toBe(200)
    const erased = await world.post(requester, '/v1/proposals', input, key)
    expect([erased.status, erased.json['outcome'], erased.json['contentCompared']]).toEqual([200, 'replayed', false])
    expect(world.action.business.booked).toHaveLength(1)
  })

  it('trace S42 two requests with one key at once are one proposal, and a breakdown between them bars nobody', async () => {
    const world = await openHttp({ store })
    const input = world.input()
    const key = { 'Idempotency-Key': 'k' }
    const prepare = world.action.methods.prepare
    world.action.methods.prepare = async () => {
      throw new Error('the process died here')
    }
    expect((await world.post(requester, '/v1/proposals', input, key)).status).toBe(503)
    world.action.methods.prepare = prepare

    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => world.post(requester, '/v1/proposals', input, key)),
    )

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 201])
    expect(new Set(answers.map(({ json }) => json['proposal'])).size).toBe(1)
    expect((await world.get(requester, '/v1/proposals')).json['items']).toHaveLength(1)
  })

  it.each([
    { params: { amount: '99.00' } },
    { edit: { amount: '99.00' } },
    { snapshot: {} },
    { command: {} },
    { amount: { amount: '99.00', currency: 'EUR' } },
    { decision: 'approve' },
  ])('case C064 a decision has no content of its own: %j', async (fields) => {
    const world = await openHttp({ store })
    const { proposal, commitment } = await world.prepared()

    for (const act of ['approve', 'reject', 'execute', 'withdraw', 'check']) {
      const json = act === 'approve' || act === 'reject' ? { commitment, ...fields } : fields
      const answer = await world.post(finance1, `/v1/proposals/${proposal}/${act}`, json)
      expect([act, answer.status]).toEqual([act, 422])
    }
    expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'awaiting_approval', revision: 0 })
  })

  it('case C072 threat T13 GET, HEAD and OPTIONS change nothing, whatever the link', async () => {
    const world = await openHttp({ store })
    const { proposal } = await world.approvedProposal()
    const [approval] = (await world.stored(proposal)).approvals
    const before = world.faults.changes.length

    for (const { path, endpoint } of examplesFor(proposal, approval?.approvalId)) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const headers = { Purpose: 'prefetch', 'Sec-Purpose': 'prefetch' }
        const { status } = await world.send(finance1, method, path, { headers })
        const isRead = endpoint.method === 'get' || endpoint.path === '/v1/proposals'
        expect([method, path, status < 400]).toEqual([method, path, isRead && method !== 'OPTIONS' && status !== 403])
      }
    }

    expect(world.faults.changes.length).toBe(before)
    expect(world.action.calls.execute).toBe(0)
    expect((await world.stored(proposal)).proposal.status).toBe('approved')
  })

  it.each([
    ['a decision in words', '{"decision":"reject"}', 428],
    ['approved: false', '{"approved":false}', 428],
    ['approved: "false"', '{"approved":"false"}', 428],
    ['approved: 0', '{"approved":0}', 428],
    ['approved: ""', '{"approved":""}', 428],
    ['approved: null', '{"approved":null}', 428],
    ['an empty object', '{}', 428],
    ['an empty body', '', 428],
    ['a bare true', 'true', 428],
    ['a bare false', 'false', 428],
    ['a list', '["approve"]', 428],
    ['an empty commitment', '{"commitment":""}', 409],
    ['a commitment that is null', '{"commitment":null}', 422],
    ['a commitment that is a number', '{"commitment":1}', 422],
    ['a commitment that is a list', '{"commitment":["c1_x"]}', 422],
    ['two decisions', '{"commitment":"c1_x","commitment":"c1_y"}', 400],
  ])('case C080 %s is no decision', async (_what, text, status) => {
    const world = await openHttp({ store })
    const { proposal } = await world.prepared()

    for (const act of ['approve', 'reject']) {
      const answer = await world.send(finance1, 'POST', `/v1/proposals/${proposal}/${act}`, { text })
      expect([act, answer.status]).toEqual([act, status])
    }
    expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'awaiting_approval', revision: 0 })
    expect((await world.stored(proposal)).approvals).toEqual([])
  })

  it('case C080 a decision as text is none', async () => {
    const world = await openHttp({ store })
    const { proposal } = await world.prepared()

    const headers = { 'Content-Type': 'text/plain' }
    const answer = await world.send(finance1, 'POST', `/v1/proposals/${proposal}/approve`, { text: 'true', headers })

    expect(answer.status).toBe(415)
  })

  it('case C086 a notice that overtakes the answer is taken, and one for an unknown key is to be sent again', async () => {
    const world = await openHttp({ store })
    const { proposal } = await world.approvedProposal()
    const target = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    executing(world, async () => {
      entered.resolve()
      await target.promise
      return { status: 'accepted' }
    })

    const call = world.post(requester, `/v1/proposals/${proposal}/execute`)
    await entered.promise
    const idempotencyKey = await keyOf(world, proposal)
    const early = await world.post(webhooks, '/v1/observations', { idempotencyKey, eventId: 'evt_1' })
    const unknown = await world.post(webhooks, '/v1/observations', { idempotencyKey: 'ik_other', eventId: 'evt_1' })
    target.resolve()
    await call

    expect([early.status, early.json]).toEqual([202, { outcome: 'observed' }])
    expect([unknown.status, unknown.json['code']]).toEqual([404, 'not_found'])
    const again = await world.post(webhooks, '/v1/observations', { idempotencyKey, eventId: 'evt_1' })
    expect([again.status, again.json]).toEqual([200, { outcome: 'replayed' }])
  })

  it('trace S35 a view is not kept, so nothing shows as executable when its time is over', async () => {
    const world = await openHttp({ store })
    const { proposal } = await world.approvedProposal()
    const path = `/v1/proposals/${proposal}`

    const before = await world.get(requester, path)
    await world.clock.advance(3 * 60 * MINUTE_MS)
    const after = await world.get(requester, path, { 'If-None-Match': before.headers.get('ETag') ?? '' })

    expect(before.headers.get('Cache-Control')).toBe('no-store')
    expect([before.json['nextStep'], after.status, after.json['nextStep']]).toEqual(['execute', 200, 'prepare_again'])
    expect(after.headers.get('ETag')).toBe(before.headers.get('ETag'))
  })
})
