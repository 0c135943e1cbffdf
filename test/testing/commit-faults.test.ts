// Commit faults: what is stored and what is said when a commit is refused, lost, or lost before it landed.
import { expect, it } from 'vitest'
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../../src/proposal/errors.ts'
import { commitStep } from '../../src/testing/commit-faults.ts'
import { MINUTE_MS, openWorld } from '../runtime/harness.ts'
import { finance1, requester } from '../runtime/sessions.ts'

it('a refused commit stores nothing and says so', async () => {
  const world = await openWorld({ store: 'memory' })

  world.faults.atStep('prepare', 'refused')

  await expect(world.prepared()).rejects.toThrow(StoreUnavailable)
  expect(await world.bareStore.tenants()).toEqual([])
})

it('an answer that is lost is lost after the commit, one that is lost before it leaves nothing', async () => {
  const world = await openWorld({ store: 'memory' })
  const refused = await world.prepared()
  const kept = await world.prepared()

  world.faults.atStep('decide', 'lost_before')
  const before = world.runtime.approve(finance1, refused.proposal, { commitment: refused.commitment })
  await expect(before).rejects.toThrow(PersistenceOutcomeUnknown)
  world.faults.atStep('decide', 'lost')
  const after = world.runtime.approve(finance1, kept.proposal, { commitment: kept.commitment })
  await expect(after).rejects.toThrow(PersistenceOutcomeUnknown)

  expect((await world.stored(refused.proposal)).approvals).toEqual([])
  expect((await world.stored(kept.proposal)).approvals).toHaveLength(1)
})

it('a fault meets the n-th commit of its step and no other', async () => {
  const world = await openWorld({ store: 'memory' })

  world.faults.atStep('prepare', 'refused', 2)
  await world.prepared()

  await expect(world.prepared()).rejects.toThrow(StoreUnavailable)
  await expect(world.prepared()).resolves.toMatchObject({ status: 'awaiting_approval' })
})

it('every commit of a proposal has the name of its step', async () => {
  const world = await openWorld({ store: 'memory' })
  const { proposal } = await world.approvedProposal()
  await world.runtime.execute(requester, proposal)
  await world.clock.advance(MINUTE_MS)
  await world.runtime.reconcile(requester, proposal)

  expect(world.faults.changes.map(commitStep)).toEqual(
    expect.arrayContaining(['prepare', 'decide', 'start_attempt', 'complete', 'observe']),
  )
})
