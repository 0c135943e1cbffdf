// Tenants: two with equal names for everything never see each other, by any answer and by no byte.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { answerOf, openWorld, reference, STORES, type World } from './harness.ts'
import { finance1, finance2, OTHER_TENANT, reader, requester, service, TENANT } from './sessions.ts'

const INTENT = 'equal in both tenants'
const KEY = 'equal-key'

const at = (tenant: string, by: Session): Session => ({ ...by, tenant })

/** Everything that a tenant is told, from prepare to verified, with a canary of its own in all that is private. */
async function live(world: World, tenant: string, canary: string): Promise<string> {
  const { runtime, bareStore, clock } = world
  const of = (by: Session): Session => at(tenant, by)
  const input = { ...world.input({ intent: INTENT, memo: canary }), requestKey: KEY }
  world.action.business.customer = `customer ${canary}`
  const prepared = await runtime.prepare(of(requester), input)
  const { proposal, commitment } = prepared
  const told = [
    prepared,
    await runtime.prepare(of(requester), input),
    await runtime.approve(of(finance1), proposal, { commitment, comment: canary }),
    await runtime.check(of(finance1), proposal),
    await runtime.execute(of(requester), proposal),
    await clock.advance(5_000).then(async () => runtime.reconcile(of(service), proposal)),
    await runtime.read(of(reader), proposal),
    await runtime.list(of(reader), { limit: 1 }),
    await runtime.receipts(of(reader), proposal),
    await bareStore.events(reference(tenant), 0, 100),
  ]
  return JSON.stringify(told)
}

describe.each(STORES)('two tenants on %s', (store) => {
  it('with equal principals, orders, intents and request keys each have their own', async () => {
    const world = await openWorld({ store })
    const told = {
      acme: await live(world, TENANT, 'canary-of-acme'),
      globex: await live(world, OTHER_TENANT, 'canary-of-globex'),
    }

    const refsOf = async (tenant: string): Promise<readonly string[]> =>
      (await world.bareStore.list({ tenant: reference(tenant), limit: 10 })).map(({ ref }) => ref)
    const [own, others] = [await refsOf(TENANT), await refsOf(OTHER_TENANT)]
    expect([own.length, others.length]).toEqual([1, 1])
    expect(told.acme).toContain('canary-of-acme')
    expect(told.acme).not.toMatch(/globex/)
    expect(told.globex).not.toMatch(/canary-of-acme/)
    for (const ref of others) expect(told.acme).not.toContain(ref)
    for (const ref of own) expect(told.globex).not.toContain(ref)
    expect(world.action.business.booked).toHaveLength(2)
  })

  it('are answered alike, whatever the other one has (invariant I27)', async () => {
    const answers: unknown[] = []
    for (const isOtherBusy of [false, true]) {
      const world = await openWorld({ store, seed: 5 })
      if (isOtherBusy) {
        const busy = await world.open({ seed: 6 })
        const { proposal, commitment } = await busy.prepare(at(OTHER_TENANT, requester), {
          ...world.input({ intent: INTENT }),
          requestKey: KEY,
        })
        await busy.approve(at(OTHER_TENANT, finance1), proposal, { commitment })
        await busy.execute(at(OTHER_TENANT, requester), proposal)
      }
      const { runtime } = world
      const prepared = await runtime.prepare(requester, { ...world.input({ intent: INTENT }), requestKey: KEY })
      const { proposal, commitment } = prepared
      const told = [
        prepared,
        await runtime.approve(finance1, proposal, { commitment }),
        await runtime.list(reader),
        await runtime.read(reader, proposal),
      ]
      answers.push(
        JSON.parse(
          JSON.stringify(told)
            .replaceAll(commitment, 'COMMITMENT')
            .replaceAll(/er_[a-z2-7]{52}/g, 'REFERENCE')
            // Over a salt of its own, like the commitment.
            .replaceAll(/"lastHash":"[0-9a-f]{64}"/g, '"lastHash":"HASH"'),
        ),
      )
    }

    expect(answers[1]).toEqual(answers[0])
  })

  it('cannot act on a proposal of the other one, by any operation', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    await world.prepared(at(OTHER_TENANT, requester))
    const before = await world.stored(proposal)
    const theirs = (by: Session): Session => at(OTHER_TENANT, by)

    const answers = await Promise.all([
      answerOf(world.runtime.approve(theirs(finance1), proposal, { commitment })),
      answerOf(world.runtime.reject(theirs(finance2), proposal, { commitment })),
      answerOf(world.runtime.withdraw(theirs(requester), proposal)),
      answerOf(world.runtime.execute(theirs(requester), proposal)),
      answerOf(world.runtime.prepare(theirs(requester), { ...world.input(), replaces: proposal })),
    ])

    expect(answers).toEqual(answers.map(() => 'not_found'))
    expect(await world.stored(proposal)).toEqual(before)
  })
})

describe('the file of two tenants', () => {
  it('holds no private text of either, and no key, in the clear', async () => {
    const world = await openWorld({ store: 'sqlite' })
    await live(world, TENANT, 'canary-of-acme')
    await live(world, OTHER_TENANT, 'canary-of-globex')

    for (const file of ['', '-wal', '-shm']) {
      const bytes = readFileSync(`${world.path}${file}`)
      for (const canary of ['canary-of', 'Carla', 'customer canary', 'ORD-1001', '10.00', INTENT]) {
        expect([file, canary, bytes.includes(canary)]).toEqual([file, canary, false])
      }
    }
  })
})
