// Expiry of what nobody touches: what is over is closed, by whom it may be, and one that cannot be is no obstacle.
import { describe, expect, it } from 'vitest'
import { StoredDataCorrupt } from '../../src/proposal/errors.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { answerOf, LIFETIME_MS, openWorld, START, STORES } from './harness.ts'
import { elsewhere, finance1, reader, requester, service } from './sessions.ts'

describe.each(STORES)('expireDue on %s', (store) => {
  it('closes what is over, at its very millisecond, with a receipt in which nobody took part', async () => {
    const world = await openWorld({ store })
    const [waiting, approved] = [await world.prepared(), await world.approvedProposal()]

    await world.clock.advance(LIFETIME_MS - 1)
    expect(await world.runtime.expireDue(service)).toEqual({ expired: [] })
    await world.clock.advance(1)
    const { expired } = await world.runtime.expireDue(service)

    expect(new Set(expired)).toEqual(new Set([waiting.proposal, approved.proposal]))
    expect((await world.stored(approved.proposal)).proposal).toMatchObject({
      status: 'expired',
      closedAt: START + LIFETIME_MS,
    })
    const { receipts } = await world.runtime.receipts(reader, waiting.proposal)
    expect(receipts.at(-1)?.body).toMatchObject({
      type: 'proposal.expired',
      participant: null,
      trigger: 'service:worker',
      at: START + LIFETIME_MS,
    })
    expect(await world.runtime.expireDue(service)).toEqual({ expired: [] })
  })

  it('takes those that expired first first, and no more than it is asked for', async () => {
    const world = await openWorld({ store })
    const made: string[] = []
    for (let nth = 0; nth < 3; nth += 1) {
      made.push((await world.prepared()).proposal)
      await world.clock.advance(1_000)
    }
    await world.clock.advance(LIFETIME_MS)

    expect(await world.runtime.expireDue(service, { limit: 2 })).toEqual({ expired: made.slice(0, 2) })
    expect(await world.runtime.expireDue(service, { limit: 2 })).toEqual({ expired: made.slice(2) })
  })

  it('touches neither what is closed, nor what is under way, nor another tenant', async () => {
    const world = await openWorld({ store })
    const rejected = await world.prepared()
    await world.runtime.reject(finance1, rejected.proposal, { commitment: rejected.commitment })
    const executed = await world.approvedProposal()
    await world.runtime.execute(requester, executed.proposal)
    await world.prepared(elsewhere(requester))
    await world.clock.advance(LIFETIME_MS)

    expect(await world.runtime.expireDue(service)).toEqual({ expired: [] })
    expect((await world.stored(executed.proposal)).proposal.status).toBe('verification_pending')
  })

  it('leaves to others what they touched first', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    await world.clock.advance(LIFETIME_MS)

    const [answer, { expired }] = await Promise.all([
      answerOf(world.runtime.approve(finance1, proposal, { commitment })),
      world.runtime.expireDue(service),
    ])

    expect(answer).toBe('expired')
    expect(expired.length).toBeLessThanOrEqual(1)
    expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'expired', revision: 1 })
  })

  it('goes on behind one that cannot be read, and behind one about which nobody can be asked', async () => {
    let corrupt = ''
    const around: Around = async (name, call) => {
      const answer = await call()
      if (name === 'proposal' && JSON.stringify(answer).includes(`"ref":"${corrupt}"`)) throw new StoredDataCorrupt('x')
      return answer
    }
    const world = await openWorld({ store, around })
    const made: string[] = []
    for (let nth = 0; nth < 3; nth += 1) made.push((await world.prepared()).proposal)
    await world.clock.advance(LIFETIME_MS)
    const { can } = world.action.methods
    world.action.methods.can = (act, caller, view) => {
      if (view.proposal?.ref === made[1]) throw new Error('directory down')
      return can(act, caller, view)
    }

    corrupt = made[0] ?? ''
    const { expired } = await world.runtime.expireDue(service)
    corrupt = ''

    expect(expired).toEqual([made[2]])
  })

  it('says so when the store is away', async () => {
    const world = await openWorld({ store })
    await world.prepared()
    await world.clock.advance(LIFETIME_MS)
    world.faults.at(1, 'refused')

    await expect(world.runtime.expireDue(service)).rejects.toHaveProperty('code', 'store_unavailable')
    expect((await world.runtime.expireDue(service)).expired).toHaveLength(1)
  })
})
