// Check: whether a proposal would still stand, told to who may ask, without writing anything and without watching what is private.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Prepared, Preview, Resolved } from '../../src/proposal/action.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
import { answerOf, openWorld, reference, refused, STORES, unsound, type World } from './harness.ts'
import { type Refund } from './refund.ts'
import { finance1, requester, TENANT } from './sessions.ts'

describe.each(STORES)('a check on %s', (store) => {
  it('says that nothing moved, or that something did, and writes nothing', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()

    expect(await world.runtime.check(finance1, proposal)).toEqual({ outcome: 'checked', drifted: false, paths: [] })
    world.action.business.refunded = { amount: '30.00', currency: 'EUR' }
    expect(await world.runtime.check(finance1, proposal)).toEqual({
      outcome: 'checked',
      drifted: true,
      paths: ['/refunded/amount'],
    })
    expect((await world.stored(proposal)).proposal).toMatchObject({ status: 'approved', revision: 1 })
    expect(world.faults.changes).toHaveLength(2)
    expect(world.action.calls.execute).toBe(0)
  })

  it('says that the thing is gone, and what the host reports beyond the fields', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    const { resolve } = world.action.methods

    world.action.methods.resolve = async (input) => ({ ...(await resolve(input)), current: null })
    expect(await world.runtime.check(finance1, proposal)).toMatchObject({ drifted: true, paths: [] })
    world.action.methods.resolve = async (input) => ({ ...(await resolve(input)), materiallyDrifted: true })
    expect(await world.runtime.check(finance1, proposal)).toMatchObject({ drifted: true, paths: [] })
  })

  it('does not know when the host does not', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    const unknown = { outcome: 'checked', drifted: null, paths: [] }

    world.action.methods.resolve = async () => {
      throw new Error('no connection')
    }
    expect(await world.runtime.check(finance1, proposal)).toEqual(unknown)
    world.action.methods.resolve = async () => unsound<Resolved<Refund>>({ current: 7, precondition: 'x' })
    expect(await world.runtime.check(finance1, proposal)).toEqual(unknown)
    world.action.methods.resolve = async () => new Promise(() => {})
    const answer = world.runtime.check(finance1, proposal)
    await world.clock.advance(10_000)
    expect(await answer).toEqual(unknown)
  })

  it('asks no version of the action that the proposal was not made for', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    const later = world.actionWith({ type: 'example.payments/refund@2', verifies: [1] })
    const changed = world.actionWith({ revision: 2 })

    for (const action of [later, changed]) {
      const runtime = await world.open({ actions: [action] })
      expect(await runtime.check(finance1, proposal)).toEqual({ outcome: 'checked', drifted: null, paths: [] })
      expect(action.calls.resolve).toBe(0)
    }
  })

  it('is refused for content that cannot be opened', async () => {
    const world = await openWorld({ store })
    const { proposal } = await world.approvedProposal()
    world.keyring.resolve = async () => {
      throw new KeyUnavailable('denied')
    }

    const error = await refused(world.runtime.check(finance1, proposal))

    expect(error).toMatchObject({ name: 'ContentUnavailable', code: 'content_unavailable', answer: 'denied' })
    expect(world.action.calls.resolve).toBe(0)
  })

  it('of a closed proposal still answers, and revives nothing', async () => {
    const world = await openWorld({ store })
    const { proposal, commitment } = await world.prepared()
    await world.runtime.reject(finance1, proposal, { commitment })

    expect(await answerOf(world.runtime.check(finance1, proposal))).toBe('checked')
    expect((await world.bareStore.list({ tenant: reference(TENANT), limit: 9 })).map(({ status }) => status)).toEqual([
      'rejected',
    ])
  })
})

/** An action whose preview shows some fields of its snapshot as they are, one of them summed up, and others not at all. */
async function openShop(
  snapshot: Readonly<Record<string, unknown>>,
): Promise<{ world: World; current: typeof snapshot }> {
  const current: Record<string, unknown> = structuredClone(snapshot)
  const world = await openWorld({
    store: 'memory',
    contract: {
      schemas: {
        command: z.strictObject({}),
        snapshot: z.strictObject({
          shown: z.string(),
          lines: z.array(z.strictObject({ name: z.string(), price: z.int() })),
          hidden: z.string(),
          isBlocked: z.boolean(),
          limit: z.int(),
          remark: z.exactOptional(z.string()),
        }),
        preview: z.strictObject({
          text: z.string(),
          total: z.int(),
          isFinal: z.boolean(),
          count: z.int(),
          remark: z.string(),
        }),
        result: z.strictObject({}),
      },
      facts: ['/shown'],
    },
    methods: {
      prepare: async ({ effect }) => unsound<Prepared<Refund>>({ snapshot, effectReference: effect.derive('shop') }),
      preview: (given) => {
        const {
          shown,
          lines,
          remark = '',
        } = unsound<{ shown: string; lines: { price: number }[]; remark?: string }>(given)
        const total = lines.reduce((sum, { price }) => sum + price, 0)
        return unsound<Preview<Refund>>({ text: `For ${shown}`, total, isFinal: false, count: 7, remark })
      },
      resolve: async () => unsound<Resolved<Refund>>({ current, precondition: 'v1' }),
    },
  })
  return { world, current }
}

describe('rule R14: check names only paths that the preview shows', () => {
  const snapshot = {
    shown: 'a',
    lines: [
      { name: 'x', price: 1 },
      { name: 'y', price: 2 },
    ],
    hidden: 'b',
    isBlocked: false,
    limit: 7,
  }

  it.each<[string, (current: Record<string, unknown>) => void, readonly string[]]>([
    ['a field that is shown', (now) => (now['shown'] = 'c'), ['/shown']],
    [
      'a field that is summed up',
      (now) => (unsound<{ price: number }[]>(now['lines'])[1] = unsound({ name: 'y', price: 3 })),
      ['/lines/1/price'],
    ],
    ['a field that is private', (now) => (now['hidden'] = 'c'), []],
    ['a private field that is equal to something shown', (now) => (now['isBlocked'] = true), []],
    ['a private number that is equal to something shown', (now) => (now['limit'] = 8), []],
    [
      'a private part of something shown',
      (now) => (unsound<{ name: string }[]>(now['lines'])[0] = unsound({ name: 'z', price: 1 })),
      [],
    ],
    ['something shown that was added', (now) => (now['remark'] = 'new'), ['/remark']],
    ['a list that is shorter', (now) => unsound<unknown[]>(now['lines']).pop(), ['/lines/1']],
    ['a list that is longer', (now) => unsound<unknown[]>(now['lines']).push({ name: 'w', price: 4 }), ['/lines/2']],
  ])('%s', async (_title, change, paths) => {
    const { world, current } = await openShop(snapshot)
    const { proposal, commitment } = await world.runtime.prepare(requester, {
      action: world.action.contract.type,
      command: {},
    })
    await world.runtime.approve(finance1, proposal, { commitment })

    change(unsound(current))

    expect(await world.runtime.check(finance1, proposal)).toEqual({ outcome: 'checked', drifted: true, paths })
  })
})
