// Two tenants on one app: no byte of one reaches the other, and what is not theirs is nothing at all.
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { EVERY_STORE, type StoreName } from '../store/fresh-stores.ts'
import { MINUTE_MS } from '../runtime/harness.ts'
import { effectBehind, found, keyOf, answering } from '../runtime/operators.ts'
import { elsewhere, finance1, requester, service, session, stranger } from '../runtime/sessions.ts'
import { aboutProposal, examplesFor } from './every-endpoint.ts'
import { httpPermissions, type HttpWorld, openHttp, type Received } from './world.ts'

const everyRole = Object.values(httpPermissions)
  .flat()
  .filter((role) => typeof role === 'string')
/** Everybody who can be somebody in the other tenant, with every role there. */
const foreigners: readonly Session[] = [
  { ...elsewhere(requester), roles: everyRole },
  { ...elsewhere(finance1), roles: everyRole },
  { ...elsewhere(session('service:webhooks', [])), roles: everyRole },
]

/** One of tenant A's proposals with something of its own in every field, executed and verified. */
async function secrets(
  store: StoreName,
): Promise<{ readonly world: HttpWorld; readonly canaries: readonly string[]; readonly ref: string }> {
  const world = await openHttp({ store })
  world.action.business.customer = 'CANARY-customer'
  const input = world.input({ orderReference: 'CANARY-order', intent: 'CANARY-intent', memo: 'CANARY-memo' })
  const by = { ...requester, principal: { kind: 'user' as const, id: 'CANARY-rita' } }
  const prepared = await world.post(by, '/v1/proposals', input, { 'Idempotency-Key': 'CANARY-key' })
  const ref = String(prepared.json['proposal'])
  const { commitment } = prepared.json
  await world.post(finance1, `/v1/proposals/${ref}/approve`, { commitment, comment: 'CANARY-comment' })
  await world.post(service, `/v1/proposals/${ref}/execute`)
  await world.clock.advance(MINUTE_MS)
  answering(world, found)
  await world.post(service, `/v1/proposals/${ref}/reconcile`)
  const effect = await effectBehind(world, ref)
  const { lastHash, approvals } = await world.stored(ref)
  const own = [
    ref,
    String(commitment),
    effect.key.reference,
    await keyOf(world, ref),
    lastHash,
    'fiona',
    'acme',
    'rf-1',
  ]
  return { world, ref, canaries: ['CANARY', ...own, ...approvals.map(({ approvalId }) => approvalId)] }
}

describe.each(EVERY_STORE)('two tenants on %s', (store) => {
  it('case C120 no byte of one reaches the other, whatever is asked', async () => {
    const { world, ref, canaries } = await secrets(store)
    const approvalId = (await world.stored(ref)).approvals[0]?.approvalId ?? 'none'
    const key = await keyOf(world, ref)
    const before = world.faults.changes.length
    const told: Received[] = []

    for (const by of foreigners) {
      for (const { title, method, path, json } of examplesFor(ref, approvalId)) {
        if (title === 'prepareProposal') continue
        const body = title === 'observeEffect' ? { ...(json as object), idempotencyKey: key } : json
        told.push(await world.send(by, method, path, body === undefined ? {} : { json: body }))
      }
      for (const filter of ['subject=ORD-1001', 'requester=user%3ACANARY-rita', 'needsPerson=true', 'due=true']) {
        told.push(await world.get(by, `/v1/proposals?${filter}`))
      }
    }

    for (const { text, headers } of told) {
      const all = text + JSON.stringify([...headers])
      expect(canaries.filter((canary) => all.includes(canary))).toEqual([])
    }
    expect(world.faults.changes.length).toBe(before)
    expect(world.action.business.booked).toHaveLength(1)
    // They are there to be found: their owner sees them.
    const own = await world.get(finance1, `/v1/proposals/${ref}`)
    for (const canary of ['CANARY-order', 'CANARY-comment', 'CANARY-rita', ref, 'rf-1']) {
      expect(own.text).toContain(canary)
    }
  })

  it('case C120 a request key of one is free for the other, who sees nothing of its first use', async () => {
    const { world, ref, canaries } = await secrets(store)
    const by = { ...elsewhere(requester), principal: { kind: 'user' as const, id: 'CANARY-rita' } }

    const answer = await world.post(by, '/v1/proposals', world.input(), { 'Idempotency-Key': 'CANARY-key' })

    expect(answer.status).toBe(201)
    expect(answer.json['proposal']).not.toBe(ref)
    expect(canaries.filter((canary) => answer.text.includes(canary))).toEqual([])
  })

  it('case C120 the same effect is proposed by each without hearing of the other', async () => {
    const world = await openHttp({ store })
    const input = world.input({ intent: 'the same words' })

    const first = await world.post(requester, '/v1/proposals', input)
    const second = await world.post(elsewhere(requester), '/v1/proposals', input)

    const effects = await Promise.all(
      [first, second].map(async ({ json }, at) => {
        const by = at === 0 ? requester : elsewhere(requester)
        return (await world.get(by, `/v1/proposals/${String(json['proposal'])}`)).json
      }),
    )
    expect(effects.map(({ related }) => related)).toEqual([[], []])
    expect(effects[0]?.['effectReference']).not.toBe(effects[1]?.['effectReference'])
  })

  it.each(examplesFor('x').filter(aboutProposal))(
    'threat T34 $title answers one thing to whoever may not know, byte for byte',
    async ({ title }) => {
      const world = await openHttp({ store })
      const { proposal } = await world.prepared()
      const refs: readonly (readonly [Session, string])[] = [
        [stranger, proposal],
        [elsewhere(requester), proposal],
        [requester, '01J0000000000000000000000A'],
        [requester, ' '],
        [requester, '../proposals'],
        [requester, '\u202Ex'],
        [requester, 'x'.repeat(1_000)],
        [requester, "' or 1=1 --"],
      ]
      const answers = new Set<string>()
      const statuses = new Set<number>()

      for (const [by, ref] of refs) {
        const example = examplesFor(ref).find((one) => one.title === title)
        if (example === undefined) continue
        const { method, path, json } = example
        const headers = { 'X-Request-Id': 'same' }
        const answer = await world.send(by, method, path, { headers, ...(json === undefined ? {} : { json }) })
        statuses.add(answer.status)
        answers.add(JSON.stringify([answer.text, [...answer.headers]]))
      }

      expect([[...statuses], answers.size]).toEqual([[404], 1])
    },
  )
})
