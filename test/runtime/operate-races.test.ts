// Settling while others act: answers that are lost, verdicts at the same time, and what changes in between.
import { describe, expect, it } from 'vitest'
import { refused, STORES } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { effectBehind, keyOf, openOperators, operator2, saying, unresolved, webhooks } from './operators.ts'
import { operator } from './sessions.ts'

describe.each(STORES)('rule R8: settling against others on %s', (store) => {
  it('rule R8 what was decided on another revision is not taken', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    const { revision } = (await world.stored(ref)).proposal

    expect(
      await refused(world.runtime.settle(operator, ref, saying('occurred', { ifRevision: revision - 1 }))),
    ).toMatchObject({ code: 'revision_mismatch', revision })
    expect(await world.runtime.settle(operator, ref, saying('occurred', { ifRevision: revision }))).toMatchObject({
      outcome: 'settled',
      revision: revision + 1,
    })
  })

  it('rule R8 what changes between the look and the verdict is looked at again', async () => {
    let between: (() => Promise<unknown>) | null = null
    const around: Around = async (name, call) => {
      const happening = name === 'effect' ? between : null
      if (happening !== null) {
        between = null
        await happening()
      }
      return call()
    }
    const world = await openOperators({ store, around })
    const ref = await unresolved(world)
    const { revision } = (await world.stored(ref)).proposal
    between = async () => world.runtime.resume(operator2, ref, { reason: 'outage_over' })

    expect(
      await refused(world.runtime.settle(operator, ref, saying('occurred', { ifRevision: revision }))),
    ).toMatchObject({ code: 'revision_mismatch', revision: revision + 1 })
    expect((await world.stored(ref)).proposal.status).toBe('verification_pending')
  })

  it('rule R8 who always loses is told so, and has changed nothing', async () => {
    let isRestless = false
    const around: Around = async (_name, call, change) => {
      const isSettling = (change?.effect?.row.settlement ?? null) !== null
      if (isRestless && isSettling) {
        isRestless = false
        await world.runtime.observe(webhooks, { idempotencyKey: await keyOf(world, ref), eventId: `evt_${events}` })
        events += 1
        isRestless = true
      }
      return call()
    }
    let events = 0
    const world = await openOperators({ store, around })
    const ref = await unresolved(world)
    isRestless = true

    expect(await world.runtime.settle(operator, ref, saying('occurred'))).toMatchObject({
      outcome: 'conflict',
      reason: 'lost_race',
      status: 'verification_unresolved',
    })
    expect(events).toBeGreaterThan(1)
  })

  it('rule R8 an answer that was lost is found when the same is said again', async () => {
    const world = await openOperators({ store })
    const ref = await unresolved(world)
    world.faults.at(1, 'lost')

    expect(await refused(world.runtime.settle(operator, ref, saying('did_not_occur')))).toMatchObject({
      code: 'persistence_outcome_unknown',
    })
    expect(await world.runtime.settle(operator, ref, saying('did_not_occur'))).toMatchObject({
      outcome: 'replayed',
      status: 'failed_known',
    })
    expect((await effectBehind(world, ref)).settlement?.secondOperator).toBeNull()
  })

  it('rule R8 of two verdicts at the same time one settles, and an equal one confirms it', async () => {
    const world = await openOperators({ store })
    const [different, equal] = [await unresolved(world), await unresolved(world, 'broken lamp')]

    const one = await Promise.all([
      world.runtime.settle(operator, different, saying('occurred')),
      world.runtime.settle(operator2, different, saying('did_not_occur')),
    ])
    const two = await Promise.all([
      world.runtime.settle(operator, equal, saying('did_not_occur')),
      world.runtime.settle(operator2, equal, saying('did_not_occur')),
    ])

    expect(one.filter(({ outcome }) => outcome === 'settled')).toHaveLength(1)
    expect(two.map(({ outcome }) => outcome)).toEqual(['settled', 'settled'])
    const { settlement } = await effectBehind(world, equal)
    expect(new Set([settlement?.by, settlement?.secondOperator])).toEqual(new Set(['user:oscar', 'user:olivia']))
  })
})
