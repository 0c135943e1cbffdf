// The world of the runtime's tests does what it says: a refund goes from prepare to verified on both stores, and faults fail.
import { describe, expect, it } from 'vitest'
import { openWorld, refused, STORES } from './harness.ts'
import { requester, service } from './sessions.ts'

describe.each(STORES)('a world on %s', (store) => {
  it('takes a refund from prepare to verified', async () => {
    const world = await openWorld({ store })
    const { proposal, status } = await world.approvedProposal()

    const executed = await world.runtime.execute(requester, proposal)
    await world.clock.advance(5_000)
    const verified = await world.runtime.reconcile(service, proposal)

    expect([status, executed.status, verified.status]).toEqual(['approved', 'verification_pending', 'verified'])
    expect(verified.result).toEqual({ refundId: 'rf-1' })
    expect(world.action.calls).toMatchObject({ prepare: 1, preview: 2, resolve: 1, execute: 1, verify: 1 })
  })

  it('makes the commit fail that a test names', async () => {
    const world = await openWorld({ store })
    world.faults.at(1, 'refused')

    expect(await refused(world.prepared())).toMatchObject({ code: 'store_unavailable' })
    expect((await world.prepared()).outcome).toBe('prepared')
    expect(world.faults.changes).toHaveLength(2)
  })
})
