// What answers carry beside their bodies: locations, tags, keys, links, and the status of every outcome.
import { describe, expect, it } from 'vitest'
import { OUTCOMES, type OutcomeCode } from '../../src/proposal/codes.ts'
import { ENDPOINTS } from '../../src/http/endpoints.ts'
import { outcomeStatus } from '../../src/http/outcome.ts'
import { answerOf, MINUTE_MS } from '../runtime/harness.ts'
import { executing, inDoubt, lost, unresolved } from '../runtime/operators.ts'
import { finance1, operator, reader, requester, session } from '../runtime/sessions.ts'
import { httpPermissions, openHttp } from './world.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'

const feed = session('service:feed', ['auditor', 'feed'])

describe.each(EVERY_STORE)('preparing on %s', (store) => {
  it('needs no key, and takes each request for one of its own', async () => {
    const world = await openHttp({ store })
    const input = world.input()

    const [first, second] = [
      await world.post(requester, '/v1/proposals', input),
      await world.post(requester, '/v1/proposals', input),
    ]

    expect([first.status, second.status]).toEqual([201, 201])
    expect(first.json['proposal']).not.toBe(second.json['proposal'])
    expect(first.headers.get('Idempotency-Replayed')).toBe(null)
  })

  it('refuses a key that named another command, and one of another requester is another', async () => {
    const world = await openHttp({ store })
    const key = { 'Idempotency-Key': 'k' }
    await world.post(requester, '/v1/proposals', world.input(), key)

    const other = await world.post(requester, '/v1/proposals', world.input(), key)
    const colleague = await world.post(session('user:carl', ['support']), '/v1/proposals', world.input(), key)

    expect([other.status, other.json['code']]).toEqual([422, 'request_key_reused'])
    expect(colleague.status).toBe(201)
  })

  it.each(['', '""', 'two words', 'a,b', '"a", "b"', '"open', 'é', 'x'.repeat(256), '"a" "b"'])(
    'refuses the key %j',
    async (key) => {
      const world = await openHttp({ store })

      const headers = { 'Idempotency-Key': Buffer.from(key, 'utf8').toString('latin1') }
      const answer = await world.post(requester, '/v1/proposals', world.input(), headers)

      expect([answer.status, answer.json['code']]).toEqual([400, 'malformed_request'])
    },
  )

  it('can be made to need a key', async () => {
    const world = await openHttp({ store, app: { requireIdempotencyKey: true } })

    const without = await world.post(requester, '/v1/proposals', world.input())
    const withKey = await world.post(requester, '/v1/proposals', world.input(), { 'Idempotency-Key': 'k' })

    expect([without.status, withKey.status]).toEqual([400, 201])
  })

  it('answers an effect that is done with the proposal that did it, which is no replay of a key', async () => {
    const world = await openHttp({ store })
    const input = world.input({ intent: 'broken vase' })
    const { proposal } = await world.runtime.prepare(requester, input)
    const { commitment } = (await world.stored(proposal)).proposal
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.runtime.execute(requester, proposal)
    await world.clock.advance(MINUTE_MS)
    await world.runtime.reconcile(requester, proposal)

    const same = await world.post(requester, '/v1/proposals', input, { 'Idempotency-Key': 'k' })
    const other = await world.post(requester, '/v1/proposals', world.input({ intent: 'broken vase', memo: 'other' }))

    expect([same.status, same.json['outcome'], same.json['proposal']]).toEqual([200, 'replayed', proposal])
    expect(same.headers.get('Idempotency-Replayed')).toBe(null)
    expect([other.status, other.json['outcome']]).toEqual([409, 'conflict'])
  })

  it('tells somebody who may not read that proposal no more than that it is done', async () => {
    const permissions = { ...httpPermissions, prepare: ['support', 'clerk'] }
    const world = await openHttp({ store, contract: { permissions } })
    const input = world.input({ intent: 'broken vase' })
    const { proposal, commitment } = await world.runtime.prepare(requester, input)
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.runtime.execute(requester, proposal)
    await world.clock.advance(MINUTE_MS)
    await world.runtime.reconcile(requester, proposal)

    const answer = await world.post(session('user:clara', ['clerk']), '/v1/proposals', input)

    expect([answer.status, answer.json['code']]).toEqual([409, 'effect_already_completed'])
    expect(answer.text).not.toContain(proposal)
  })

  it('points at the fields of a command where they stand in the body', async () => {
    const world = await openHttp({ store })
    const input = { ...world.input(), command: { intent: 1, amount: { amount: '1.00', currency: 'EUR', x: 'CANARY' } } }

    const answer = await world.post(requester, '/v1/proposals', input)

    expect(answer.status).toBe(422)
    const errors = answer.json['errors'] as readonly { readonly pointer: string }[]
    expect(errors.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(['/command/orderReference', '/command/intent', '/command/amount']),
    )
    expect(answer.text).not.toContain('CANARY')
  })
})

describe('the largest command', () => {
  it('is refused by its own limit and not by that of the body', async () => {
    const world = await openHttp({ store: 'memory' })
    const input = world.input()
    const texts = Array.from({ length: 5 }, () => 'x'.repeat(60_000))
    const command = { ...(input.command as object), texts }

    const answer = await world.post(requester, '/v1/proposals', { ...input, command })

    expect([answer.status, answer.json['limit']]).toEqual([422, 'commandBytes'])
  })
})

describe('If-Match', () => {
  it('lets nothing be done to another revision, and is not needed', async () => {
    const world = await openHttp({ store: 'memory' })
    const { proposal, commitment } = await world.prepared()
    const path = `/v1/proposals/${proposal}`

    const stale = await world.post(finance1, `${path}/approve`, { commitment }, { 'If-Match': '"1"' })
    expect([stale.status, stale.json['code'], stale.json['revision']]).toEqual([412, 'revision_mismatch', 0])
    const never = await world.post(finance1, `${path}/approve`, { commitment }, { 'If-Match': '"another"' })
    expect(never.status).toBe(412)
    const right = await world.post(finance1, `${path}/approve`, { commitment }, { 'If-Match': '"0"' })
    expect([right.status, right.headers.get('ETag')]).toEqual([200, '"1"'])
    expect((await world.get(finance1, path, { 'If-Match': '"0"' })).status).toBe(412)
    expect((await world.get(finance1, path, { 'If-Match': '"1"' })).status).toBe(200)
  })

  it('tells who may not read nothing of the revision', async () => {
    const world = await openHttp({ store: 'memory' })
    const { proposal } = await world.prepared()

    const answers = await Promise.all(
      ['"0"', '"1"'].map((tag) => {
        const headers = { 'If-Match': tag, 'X-Request-Id': 'same' }
        return world.get(session('user:sam', []), `/v1/proposals/${proposal}`, headers)
      }),
    )

    expect(answers.map(({ status, text }) => [status, text])[0]).toEqual([404, answers[1]?.text])
  })
})

describe.each(EVERY_STORE)('pages on %s', (store) => {
  it('follow on each other by their links, with the filters of the first', async () => {
    const world = await openHttp({ store })
    const refs: string[] = []
    for (let made = 0; made < 5; made += 1) refs.unshift((await world.prepared()).proposal)
    await world.approvedProposal()

    const seen: string[] = []
    let path: string | undefined = '/v1/proposals?status=awaiting_approval&status=stale&limit=2'
    while (path !== undefined) {
      const page = await world.get(reader, path)
      expect(page.status).toBe(200)
      seen.push(...(page.json['items'] as readonly { readonly proposal: string }[]).map(({ proposal }) => proposal))
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('Link') ?? '')?.[1]
    }

    expect(seen).toEqual(refs)
  })

  it('are good for who they were made for, and for nobody else', async () => {
    const world = await openHttp({ store })
    await world.prepared()
    await world.prepared()
    const page = await world.get(reader, '/v1/proposals?limit=1')
    const cursor = encodeURIComponent(String(page.json['next']))

    for (const [by, query] of [
      [requester, `limit=1&cursor=${cursor}`],
      [reader, `limit=1&status=approved&cursor=${cursor}`],
      [{ ...reader, tenant: 'globex' }, `limit=1&cursor=${cursor}`],
    ] as const) {
      const { status, json } = await world.get(by, `/v1/proposals?${query}`)
      expect([status, json['errors']]).toMatchObject([400, [{ pointer: '/cursor', code: 'malformed_reference' }]])
    }
    expect((await world.get(reader, `/v1/proposals?limit=1&cursor=${cursor}`)).status).toBe(200)
  })

  it.each([
    'status=open',
    'status=',
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=1e2',
    'limit=',
    'limit=1&limit=2',
    'due=1',
    'needsPerson=yes',
    'cursor=',
    'requester=a&requester=b',
    'offset=1',
  ])('refuse the query %s', async (query) => {
    const world = await openHttp({ store })

    expect((await world.get(reader, `/v1/proposals?${query}`)).status).toBe(422)
  })

  it('of what is due and of what needs a person', async () => {
    const world = await openHttp({ store })
    const waiting = await unresolved(world, 'first')
    await world.prepared()
    const names = async (query: string): Promise<readonly string[]> => {
      const { json } = await world.get(reader, `/v1/proposals?${query}`)
      return (json['items'] as readonly { readonly proposal: string }[]).map(({ proposal }) => proposal)
    }

    expect(await names('needsPerson=true')).toEqual([waiting])
    expect(await names('needsPerson=false')).toHaveLength(2)
    expect(await names('due=true')).toEqual([])
    const { proposal } = await world.stored(waiting)
    const effect = encodeURIComponent(proposal.effect.reference)
    expect(await names(`effect=${effect}&action=example.payments%2Frefund`)).toEqual([waiting])
    expect(await names(`requester=user%3Arita&subject=${encodeURIComponent(proposal.subject ?? '')}`)).toContain(
      waiting,
    )
  })

  it('of events go on by their link, and by the position of any event', async () => {
    const world = await openHttp({ store })
    const { proposal } = await world.approvedProposal()

    const first = await world.get(feed, '/v1/events?after=0&limit=2')
    const link = /^<([^>]+)>/.exec(first.headers.get('Link') ?? '')?.[1] ?? ''
    const second = await world.get(feed, link)
    const [event] = first.json['items'] as readonly { readonly position: string; readonly proposal: string }[]
    const behind = await world.get(feed, `/v1/events?after=${encodeURIComponent(event?.position ?? '')}`)

    expect(event?.proposal).toBe(proposal)
    expect(second.json['items']).toMatchObject([{ type: 'proposal.approved', proposal, revision: 1 }])
    expect(second.headers.get('Link')).toBe(null)
    expect(behind.json['items']).toHaveLength(2)
    expect((await world.get(reader, '/v1/events')).json).toMatchObject({ items: [] })
  })
})

describe('Retry-After', () => {
  it('says when the next step is useful, and something where nothing is known', async () => {
    const world = await openHttp({ store: 'memory', contract: { verification: { absences: 1, delay: '90s' } } })
    const { proposal } = await world.approvedProposal()

    const executed = await world.post(requester, `/v1/proposals/${proposal}/execute`)
    await world.clock.advance(30_500)
    const asked = await world.post(requester, `/v1/proposals/${proposal}/reconcile`)

    expect([executed.status, executed.headers.get('Retry-After')]).toEqual([202, '90'])
    expect([asked.status, asked.headers.get('Retry-After')]).toEqual([202, '60'])
  })

  it('stands with an erasure that is deferred', async () => {
    const world = await openHttp({ store: 'memory' })
    const ref = await inDoubt(world)

    const answer = await world.post(session('user:petra', ['privacy-officer']), `/v1/proposals/${ref}/erase`, {
      reason: 'asked',
    })

    expect([answer.status, answer.json['outcome'], answer.headers.get('Retry-After')]).toEqual([
      202,
      'erasure_deferred',
      '5',
    ])
  })
})

describe('request ids', () => {
  it.each([
    ['abc-123.X_y', true],
    ['x'.repeat(65), false],
    ['a b', false],
    ['<script>', false],
  ])('%s is kept: %s', async (id, kept) => {
    const world = await openHttp({ store: 'memory' })

    const answer = await world.get(requester, '/v1/nothing', { 'X-Request-Id': id })

    const told = answer.headers.get('X-Request-Id') ?? ''
    expect(told === id).toBe(kept)
    expect(answer.json['instance']).toBe(`urn:countersign:request:${told}`)
  })
})

describe('a decision that comes too late', () => {
  it('keeps its result on the status that says so', async () => {
    const world = await openHttp({ store: 'memory' })
    const { proposal, commitment } = await world.prepared()
    await world.clock.advance(3 * 60 * MINUTE_MS)

    const answer = await world.post(finance1, `/v1/proposals/${proposal}/approve`, { commitment })

    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([409, 'application/json'])
    expect(answer.json).toMatchObject({ outcome: 'expired', nextStep: 'prepare_again', proposal })
  })
})

/** Lifecycle 9, written out: what an operation that wanted it answers, and one that wanted something else. */
const statuses: Readonly<Record<OutcomeCode, readonly [wanted: number, otherwise: number]>> = {
  prepared: [201, 201],
  replayed: [200, 409],
  approval_pending: [200, 409],
  approved: [200, 409],
  rejected: [200, 409],
  withdrawn: [200, 409],
  revoked: [200, 200],
  expired: [409, 409],
  blocked: [409, 409],
  stale: [409, 409],
  superseded: [409, 409],
  conflict: [409, 409],
  in_progress: [202, 409],
  verification_pending: [202, 409],
  failed_unknown: [202, 409],
  resend_allowed: [202, 202],
  verification_unresolved: [202, 409],
  verified: [200, 409],
  failed_known: [200, 409],
  closed_unknown: [200, 409],
  resumed: [202, 202],
  settled: [200, 200],
  checked: [200, 200],
  observed: [202, 202],
  erased: [200, 200],
  erasure_deferred: [202, 202],
}

describe('the status of an outcome', () => {
  it.each(Object.keys(OUTCOMES) as OutcomeCode[])('%s is that of the page', (outcome) => {
    const told = [outcomeStatus(outcome, () => true), outcomeStatus(outcome, () => false)]

    expect(told).toEqual(statuses[outcome])
  })

  it('is wanted by the operation that asked for it, and by no other decision', () => {
    const wanted = Object.fromEntries(
      ENDPOINTS.flatMap(({ operationId, statuses: of }) => {
        return 'outcomes' in of ? [[operationId, of.outcomes.filter((one) => outcomeStatus(one, of.wanted) < 300)]] : []
      }),
    )
    const status = ['approved', 'in_progress', 'verification_pending', 'failed_unknown', 'verification_unresolved']
    const known = [...status, 'verified', 'failed_known', 'closed_unknown']

    expect(wanted).toEqual({
      prepareProposal: ['prepared', 'replayed'],
      approveProposal: ['approval_pending', 'approved', 'replayed'],
      rejectProposal: ['approval_pending', 'rejected', 'replayed'],
      revokeApproval: ['approval_pending', 'revoked', 'replayed'],
      withdrawProposal: ['approval_pending', 'withdrawn', 'replayed'],
      executeProposal: [...known, 'resend_allowed'],
      reconcileProposal: [...known, 'resend_allowed'],
      resumeProposal: [...known, 'resumed'],
      settleProposal: [...known, 'settled', 'replayed'],
      observeEffect: ['observed', 'replayed'],
      eraseProposal: ['erased', 'erasure_deferred'],
    })
  })
})

describe('an execution', () => {
  it('goes on with one verification where it is asked to', async () => {
    const world = await openHttp({ store: 'memory' })
    const { proposal } = await world.approvedProposal()
    executing(world, lost)

    const answer = await world.post(requester, `/v1/proposals/${proposal}/execute`, { reconcile: true })

    expect(world.action.calls.verify).toBe(1)
    expect(answer.status).toBe(202)
  })

  it('is looked into before it is due by an operator', async () => {
    const world = await openHttp({ store: 'memory' })
    const { proposal } = await world.approvedProposal()
    await world.runtime.execute(requester, proposal)

    const answer = await world.post(operator, `/v1/proposals/${proposal}/reconcile`, { now: true })

    expect(answer.json['outcome']).toBe('verified')
    expect(await answerOf(world.runtime.reconcile(operator, proposal))).toBe('verified')
  })
})
