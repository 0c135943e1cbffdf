// An erasure that is interrupted at any of its steps: what is hidden stays hidden, and whoever comes next goes on.
import { afterAll, describe, expect, it } from 'vitest'
import { localKeyring, newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { startChild } from '../store/processes/child.ts'
import { openWorld, reference, refused, STORES, type World } from './harness.ts'
import type { CommitFault } from '../../src/testing/commit-faults.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { residueBeside } from './residue.ts'
import { finance1, privacy, reader, requester, TENANT } from './sessions.ts'

const why = { reason: 'asked_by_subject' } as const
const CUSTOMER = 'Carla of the canaries'

/** What there is to be seen of a proposal from outside, in one word. */
async function seen(world: World, ref: string): Promise<string> {
  try {
    return (await world.runtime.read(reader, ref)).kind
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'an error'
  }
}

/** Invariant I25: one that is marked is hidden from every way of looking at it. */
async function expectHidden(world: World, ref: string): Promise<void> {
  const { runtime } = world
  const { commitment } = (await world.stored(ref)).proposal
  const ways = [
    runtime.read(reader, ref),
    runtime.receipts(reader, ref),
    runtime.check(finance1, ref),
    runtime.approve(finance1, ref, { commitment }),
    runtime.withdraw(requester, ref),
    runtime.execute(requester, ref),
    runtime.reconcile(requester, ref),
  ]
  for (const way of ways) expect(await refused(way)).toMatchObject({ code: 'not_found' })
  expect((await runtime.list(reader)).items).toEqual([])
}

/** The two ways of going on. */
const RESUMED = {
  erase: async (world: World, ref: string) => [await world.runtime.erase(privacy, ref, why)],
  eraseDue: async (world: World) => world.runtime.eraseDue(privacy),
} as const
const WAYS = Object.keys(RESUMED) as (keyof typeof RESUMED)[]

describe.each(STORES)('invariant I25 on %s: a store that fails', (store) => {
  it.each<[string, number, CommitFault, string]>([
    ['before the mark', 1, 'refused', 'proposal'],
    ['with the answer about the mark', 1, 'lost', 'not_found'],
    ['before the mark, without an answer', 1, 'lost_before', 'proposal'],
    ['before the tombstone', 2, 'refused', 'not_found'],
    ['with the answer about the tombstone', 2, 'lost', 'erased'],
    ['before the tombstone, without an answer', 2, 'lost_before', 'not_found'],
  ])('invariant I25 %s', async (_, nth, fault, expected) => {
    for (const way of WAYS) {
      const world = await openWorld({ store })
      const { proposal } = await world.prepared()
      world.faults.at(nth, fault)

      const error = await refused(world.runtime.erase(privacy, proposal, why))

      const code = fault === 'refused' ? 'store_unavailable' : 'persistence_outcome_unknown'
      expect(error).toMatchObject({ code })
      expect(await seen(world, proposal)).toBe(expected)
      if (expected === 'not_found') await expectHidden(world, proposal)
      const isOpen = expected !== 'proposal'
      expect(await world.bareStore.erasuresOpen(reference(TENANT), null, 9)).toEqual(isOpen ? [proposal] : [])
      const resumed = isOpen || way === 'erase' ? [{ outcome: 'erased', proposal }] : []
      expect(await RESUMED[way](world, proposal)).toMatchObject(resumed)
      expect(await seen(world, proposal)).toBe(resumed.length === 0 ? 'proposal' : 'erased')
    }
  })

  it('invariant I25 while the files are cleaned', async () => {
    for (const way of WAYS) {
      let failing: keyof Store | null = null
      const around: Around = async (name, call) => {
        if (name === failing) throw new Error('the process ended')
        return call()
      }
      const world = await openWorld({ store, around })
      const { proposal } = await world.prepared()
      failing = 'scrub'
      await expect(world.runtime.erase(privacy, proposal, why)).rejects.toThrow('the process ended')
      failing = null

      expect(await seen(world, proposal)).toBe('erased')
      expect(await RESUMED[way](world, proposal)).toMatchObject([{ outcome: 'erased', proposal }])
      expect(await world.bareStore.erasuresOpen(reference(TENANT), null, 9)).toEqual([])
    }
  })
})

/** The calls of the store that an erasure makes, in their order. */
const CALLS = [
  'it is looked for',
  'it is read',
  'its effect is read',
  'it is marked',
  'it is read again',
  'its effect is read again',
  'it is entombed',
  'the files are cleaned',
] as const
const WHEN = ['before', 'after'] as const
const isKilled: boolean[] = []

describe('invariant I25: a process that is killed', () => {
  const steps = CALLS.flatMap((call, index) => WHEN.map((when) => [when, call, index + 1] as const))

  it.each(steps)('invariant I25 %s %s', async (when, _call, nth) => {
    const keys = newKeyringText()
    const world = await openWorld({ store: 'sqlite', keyring: localKeyring(keys) })
    world.action.business.customer = CUSTOMER
    const { proposal } = await world.prepared()
    const { key, content, receiptSalt } = await world.stored(proposal)
    const secrets = { wrapped: key.wrapped, ...content, salt: receiptSalt, requester: 'user:rita' }
    const program = new URL('processes/erase.ts', import.meta.url)
    const args = [world.path ?? '', keys, String(world.clock.now()), proposal, String(nth), when]

    const child = startChild(program, args)
    const [printed, { signal }] = await Promise.all([child.rest(), child.exited])

    isKilled.push(signal === 'SIGKILL')
    expect([printed, signal]).toEqual([[], 'SIGKILL'])
    const done = when === 'after' ? nth : nth - 1
    const expected = done < 4 ? 'proposal' : done < 7 ? 'not_found' : 'erased'
    expect(await seen(world, proposal)).toBe(expected)
    if (expected === 'not_found') await expectHidden(world, proposal)
    // Whatever was begun is gone on with by the sweep; the rest by whoever asks again.
    const swept = await world.runtime.eraseDue(privacy)
    expect(swept).toMatchObject(done < 4 || done === 8 ? [] : [{ outcome: 'erased', proposal }])
    expect(await world.runtime.erase(privacy, proposal, why)).toMatchObject({ outcome: 'erased' })
    expect(await seen(world, proposal)).toBe('erased')
    expect(residueBeside(world.path ?? '', secrets)).toEqual([])
  })

  it('invariant I25 later than at the last of these steps is done', async () => {
    const keys = newKeyringText()
    const world = await openWorld({ store: 'sqlite', keyring: localKeyring(keys) })
    const { proposal } = await world.prepared()
    const program = new URL('processes/erase.ts', import.meta.url)

    const child = startChild(program, [
      world.path ?? '',
      keys,
      String(world.clock.now()),
      proposal,
      String(CALLS.length + 1),
      'before',
    ])

    expect(await child.rest()).toEqual(['erased'])
    expect(await seen(world, proposal)).toBe('erased')
  })

  afterAll(() => {
    expect(isKilled.filter(Boolean)).toHaveLength(steps.length)
  })
})
