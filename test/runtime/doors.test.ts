// Every door takes plain JSON and nothing else: command, snapshot, preview, what resolve found, facts and results.
import { describe, expect, it } from 'vitest'
import type { Executed, Prepared, Preview, Resolved, Verified } from '../../src/proposal/action.ts'
import { badValues, CANARY, touched } from './bad-values.ts'
import { answerOf, openWorld, refused, unsound, type World } from './harness.ts'
import type { Refund } from './refund.ts'
import { reader, requester, service } from './sessions.ts'

/** Nothing of a bad value is told, and none of its code has run. */
function expectSilence(error: Error): void {
  expect(`${error.message}${JSON.stringify(error)}${error.stack}`).not.toContain(CANARY)
  expect(touched.count).toBe(0)
}

const bad = badValues.map(({ title, rule, make }) => [title, rule, make] as const)
// A value that is returned by itself is awaited on the way, which looks for its `then`; undefined is no property.
const returned = bad.filter(
  ([title]) => !title.startsWith('a proxy') && title !== 'a promise' && title !== 'a revoked proxy',
)

describe('the door of a preparation', () => {
  it.each(bad)('command: %s is refused as %s', async (_title, rule, make) => {
    const world = await openWorld({ store: 'memory' })

    const within = await refused(world.prepared(requester, world.input({ memo: make() })))
    const itself = await refused(world.runtime.prepare(requester, { ...world.input(), command: make() }))

    expect(within).toMatchObject({ name: 'InvalidCommand', code: 'invalid_command' })
    expect(within['problems']).toEqual([expect.objectContaining({ path: '/memo', rule })])
    expect(itself).toMatchObject({ code: 'invalid_command' })
    expect(itself['problems']).toEqual([expect.objectContaining({ path: '', rule })])
    expect(world.action.calls.prepare).toBe(0)
    expectSilence(within)
    expectSilence(itself)
  })

  it.each(bad)('snapshot: %s is refused as %s', async (_title, rule, make) => {
    const world = await openWorld({ store: 'memory' })
    const { prepare } = world.action.methods
    world.action.methods.prepare = async (input) => {
      const good = await prepare(input)
      return { ...good, snapshot: { ...good.snapshot, customer: unsound(make()) } }
    }

    const error = await refused(world.prepared())

    expect(error).toMatchObject({ name: 'InvalidPreparation', code: 'invalid_preparation' })
    expect(error['problems']).toEqual([expect.objectContaining({ path: '/snapshot/customer', rule })])
    expect(world.action.calls.preview).toBe(0)
    expectSilence(error)
  })

  it.each(returned)('what prepare returns: %s is no preparation', async (_title, _rule, make) => {
    const world = await openWorld({ store: 'memory' })
    world.action.methods.prepare = async () => unsound<Prepared<Refund>>(make())

    const error = await refused(world.prepared())

    expect(error).toMatchObject({ code: 'invalid_preparation' })
    expectSilence(error)
  })

  it.each(bad)('preview: %s is refused as %s', async (_title, rule, make) => {
    const world = await openWorld({ store: 'memory' })
    const { preview } = world.action.methods
    world.action.methods.preview = (snapshot) => ({ ...preview(snapshot), title: unsound(make()) })
    const within = await refused(world.prepared())
    world.action.methods.preview = () => unsound<Preview<Refund>>(make())
    const itself = await refused(world.prepared())

    expect(within['problems']).toEqual([expect.objectContaining({ path: '/preview/title', rule })])
    expect(itself['problems']).toEqual([expect.objectContaining({ path: '/preview', rule })])
    for (const error of [within, itself]) {
      expect(error).toMatchObject({ name: 'InvalidPreparation', code: 'invalid_preparation' })
      expectSilence(error)
    }
  })
})

describe('the door of an execution', () => {
  it.each(bad)('resolve: %s in what it found blocks the execution', async (_title, _rule, make) => {
    const world = await openWorld({ store: 'memory' })
    const { proposal } = await world.approvedProposal()
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => {
      const { current, ...rest } = await resolve(input)
      return unsound<Resolved<Refund>>({ ...rest, current: { ...current, customer: make() } })
    }

    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('blocked resolve_failed')
    expect(world.action.calls.execute).toBe(0)
    expect(touched.count).toBe(0)
  })

  it.each(bad.filter(([title]) => title !== 'undefined'))(
    'resolve: %s in a replacement is dropped, and hides no drift',
    async (_title, _rule, make) => {
      const world = await openWorld({ store: 'memory' })
      const { proposal } = await world.approvedProposal()
      const { resolve } = world.action.methods
      world.action.business.orderVersion = 8
      world.action.methods.resolve = async (input) => {
        const found = await resolve(input)
        return unsound<Resolved<Refund>>({ ...found, replacement: { ...found.current, customer: make() } })
      }

      const answer = await world.runtime.execute(requester, proposal)

      expect(answer).toMatchObject({ outcome: 'stale', reason: 'material_drift', replacedBy: null })
      expect(world.action.calls.execute).toBe(0)
      const { receipts } = await world.runtime.receipts(reader, proposal)
      expect(receipts.at(-1)?.body?.detail).toEqual(['/orderVersion', 'replacement_dropped'])
      expect(touched.count).toBe(0)
    },
  )

  it.each(bad)('execute: %s in its result proves nothing', async (_title, _rule, make) => {
    const world = await openWorld({ store: 'memory' })
    const { proposal } = await world.approvedProposal()
    world.action.methods.execute = async () =>
      unsound<Executed<Refund>>({ status: 'accepted', externalReference: 'rf-1', result: { refundId: make() } })

    expect(await answerOf(world.runtime.execute(requester, proposal))).toBe('failed_unknown malformed_return')
    expect(touched.count).toBe(0)
  })

  it.each(bad)('verify: %s in a fact or a result confirms nothing', async (_title, _rule, make) => {
    for (const spoil of [spoilFact, spoilResult]) {
      const world = await openWorld({ store: 'memory' })
      const { proposal } = await world.approvedProposal()
      await world.runtime.execute(requester, proposal)
      await world.clock.advance(5_000)
      spoil(world, make)

      const answer = await world.runtime.reconcile(service, proposal)

      expect(answer).toMatchObject({ status: 'verification_pending', evidence: { status: 'UNKNOWN' } })
      expect(touched.count).toBe(0)
    }
  })
})

function spoilFact(world: World, make: () => unknown): void {
  const { verify } = world.action.methods
  world.action.methods.verify = async (input) => {
    const found = await verify(input)
    return unsound<Verified<Refund>>({ ...found, facts: { '/orderReference': 'ORD-1001', '/amount': make() } })
  }
}

function spoilResult(world: World, make: () => unknown): void {
  const { verify } = world.action.methods
  world.action.methods.verify = async (input) => {
    const found = await verify(input)
    return unsound<Verified<Refund>>({ ...found, result: { refundId: make() } })
  }
}
