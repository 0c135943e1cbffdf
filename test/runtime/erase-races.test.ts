// Races with an erasure: in every order in which the store is reached, nothing is called for what is hidden, and nothing is left.
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { withNewKey, localKeyring, newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import { rotateKeys } from '../../src/runtime/keys/rotate-keys.ts'
import { touch } from './execution-world.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { answerOf, reference, STORES, type World } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { answering, approvedFor, found, inDoubt, openOperators, saying, SETTLED_MS, unresolved } from './operators.ts'
import { finance2, operator, privacy, reader, requester, TENANT } from './sessions.ts'

/** More interleavings in memory; some on the file, which costs a sync for every commit. */
const runs = { memory: 80, sqlite: 10 } as const
const why = { reason: 'asked_by_subject' } as const
const keys = newKeyringText()
const rotated = localKeyring(withNewKey(keys).text)

/** What an operation answers. */
interface Told {
  readonly outcome: string
  readonly reason?: string | null
}

interface Track {
  readonly world: World
  /** Runs the operations at once; every call of the store waits for its turn. */
  readonly race: (...operations: readonly (() => Promise<Told>)[]) => Promise<readonly string[]>
}

async function openTrack(scheduler: fc.Scheduler, store: StoreName): Promise<Track> {
  let isRacing = false
  const turn = async (): Promise<void> => {
    if (isRacing) await scheduler.schedule(Promise.resolve())
  }
  const around: Around = async (_name, call) => {
    await turn()
    const answer = await call()
    await turn()
    return answer
  }
  const world = await openOperators({ store, around, keyring: localKeyring(keys) })
  return {
    world,
    async race(...operations) {
      isRacing = true
      const answers = await scheduler.waitFor(Promise.all(operations.map(async (run) => answerOf(run()))))
      isRacing = false
      return answers
    },
  }
}

/** What is stored of a proposal: its erasure, or that it is gone. */
async function erasureOf({ bareStore }: World, ref: string): Promise<string | undefined> {
  const stored = await bareStore.proposal(reference(TENANT), reference(ref))
  return stored?.kind === 'live' ? stored.proposal.erasure : stored?.kind
}

async function rotate({ store }: World): Promise<Told> {
  const { rewrapped } = await rotateKeys({ store, keyring: rotated })
  return { outcome: `${rewrapped} wrapped anew` }
}

/** The chain of what is left is whole, and nothing beside it is. */
async function expectErased(world: World, ref: string): Promise<void> {
  expect(await world.runtime.read(reader, ref)).toMatchObject({ kind: 'erased' })
  const { receipts, check } = await world.runtime.receipts(reader, ref)
  expect([check.intact, receipts.every(({ body }) => body === null)]).toEqual([true, true])
  const left = await world.bareStore.keysNotUnder(reference(TENANT), 'none', null, 50)
  expect(left.map(({ proposal }) => proposal)).not.toContain(ref)
}

describe.each(STORES)('a race with an erasure on %s', (store) => {
  it('is lost at the tombstone: evidence that moves what is hidden comes first, and the erasure goes on from it', async () => {
    let before = async (): Promise<void> => {}
    const around: Around = async (_name, call, change) => {
      if (change?.proposals.some(({ kind }) => kind === 'erase') === true) await before()
      return call()
    }
    const world = await openOperators({ store, around })
    const { proposal } = await approvedFor(world, 'broken vase')
    before = async () => {
      before = async () => {}
      await touch(world, proposal)
    }
    const { revision } = (await world.stored(proposal)).proposal

    expect(await world.runtime.erase(privacy, proposal, why)).toMatchObject({ outcome: 'erased' })

    expect(await world.runtime.read(reader, proposal)).toMatchObject({ tombstone: { revision: revision + 3 } })
    await expectErased(world, proposal)
  })

  const numRuns = runs[store]

  test.prop([fc.scheduler()], { numRuns })(
    'erase ∥ execute: either nothing is called, or the erasure waits for what was',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const { proposal } = await approvedFor(world, 'broken vase')

      const [erased, executed] = await race(
        () => world.runtime.erase(privacy, proposal, why),
        () => world.runtime.execute(requester, proposal),
      )

      const called = world.action.calls.execute
      expect(world.action.business.booked).toHaveLength(called)
      expect([erased, await erasureOf(world, proposal)]).toEqual(
        called === 0 ? ['erased', 'erased'] : ['erasure_deferred effect_unsettled', 'requested'],
      )
      expect(executed).toMatch(called === 0 ? /^(?:not_found|withdrawn)/ : /^verification_pending/)
      await world.clock.advance(SETTLED_MS)
      if (called === 1) await world.runtime.reconcile(requester, proposal)
      await world.runtime.eraseDue(privacy)
      await expectErased(world, proposal)
      expect(world.action.calls.execute).toBe(called)
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'erase ∥ reconcile: what is found out is kept, and the erasure is done or waits',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const ref = await inDoubt(world)
      await world.clock.advance(SETTLED_MS)
      answering(world, found)
      const { effect: key } = (await world.stored(ref)).proposal

      const [erased] = await race(
        () => world.runtime.erase(privacy, ref, why),
        () => world.runtime.reconcile(requester, ref),
      )

      expect(erased).toMatch(/^(?:erased|erasure_deferred)/)
      expect((await world.bareStore.effect(key))?.observations.map(({ verdict }) => verdict)).toEqual(['CONFIRMED'])
      await world.runtime.eraseDue(privacy)
      await expectErased(world, ref)
      expect(await world.runtime.read(reader, ref)).toMatchObject({ tombstone: { evidence: 'CONFIRMED' } })
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'erase ∥ settle: the verdict is kept without its name, and the erasure is done or waits',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const ref = await unresolved(world)
      const { effect: key } = (await world.stored(ref)).proposal

      const [erased, settled] = await race(
        () => world.runtime.erase(privacy, ref, why),
        () => world.runtime.settle(operator, ref, saying('occurred')),
      )

      expect([erased, settled]).toEqual([expect.stringMatching(/^eras/), expect.stringMatching(/^settled/)])
      await world.runtime.eraseDue(privacy)
      await expectErased(world, ref)
      expect((await world.bareStore.effect(key))?.settlement).toMatchObject({ verdict: 'occurred', by: 'erased' })
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'erase ∥ approve ∥ withdraw: no decision is left beside the tombstone',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const { proposal, commitment } = await approvedFor(world, 'broken vase')

      const [erased] = await race(
        () => world.runtime.erase(privacy, proposal, why),
        () => world.runtime.approve(finance2, proposal, { commitment, comment: 'beyond the quorum' }),
        () => world.runtime.withdraw(requester, proposal),
      )

      expect(erased).toBe('erased')
      await expectErased(world, proposal)
    },
  )

  test.prop([fc.scheduler()], { numRuns })('erase ∥ erase ∥ eraseDue: one tombstone', async (scheduler) => {
    const { world, race } = await openTrack(scheduler, store)
    const { proposal } = await approvedFor(world, 'broken vase')
    const other = await world.open()

    const told = await race(
      () => world.runtime.erase(privacy, proposal, why),
      () => other.erase(privacy, proposal, { reason: 'asked_twice' }),
      async () => ({ outcome: `${(await other.eraseDue(privacy)).length} swept` }),
    )

    expect(told.slice(0, 2)).toEqual(['erased', 'erased'])
    await expectErased(world, proposal)
    const events = await world.bareStore.events(reference(TENANT), 0, 200)
    expect(events.filter(({ type }) => type === 'proposal.erased')).toHaveLength(1)
  })

  test.prop([fc.scheduler()], { numRuns })(
    'erase ∥ rotate ∥ rotate: no key comes back, and every other one opens',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const [{ proposal }, beside] = [await approvedFor(world, 'broken vase'), await approvedFor(world, 'another')]

      await race(
        () => world.runtime.erase(privacy, proposal, why),
        async () => rotate(world),
        async () => rotate(world),
      )

      await expectErased(world, proposal)
      const runtime = await world.open({ keyring: rotated })
      expect(await runtime.read(reader, beside.proposal)).toMatchObject({ contentAvailable: true })
      expect((await world.stored(beside.proposal)).key.kekVersion).toBe('k2')
    },
  )
})
