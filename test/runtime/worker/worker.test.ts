// The worker: what waits for nobody but time is done by it, with the rights that it has, and by nobody twice.
import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS, STORES, unsound } from '../harness.ts'
import { frozenRuntime, hanging, says, underWay } from '../execution-world.ts'
import { finance1, privacy, reader, requester } from '../sessions.ts'
import { ending } from '../../../src/testing/store-conformance/sample-effects.ts'
import { evidence } from '../../../src/testing/store-conformance/steps.ts'
import { Worker } from '../../../src/runtime/worker/worker.ts'
import { AS, openBench, statusesOf } from './bench.ts'

describe.each(STORES)('a worker on %s', (store) => {
  it('executes what is approved where the contract says so, and has it verified', async () => {
    const bench = await openBench({ store })
    bench.work()
    const { proposal } = await bench.approvedProposal()

    await bench.pass(20_000)

    expect(await statusesOf(bench, [proposal])).toEqual(['verified'])
    expect(bench.action.business.booked).toHaveLength(1)
    expect(bench.action.calls.execute).toBe(1)
    const { receipts } = await bench.runtime.receipts(reader, proposal)
    expect(receipts.find(({ body }) => body?.type === 'execution.started')?.body?.trigger).toBe('service:worker')
  })

  it('leaves to people what is executed on request', async () => {
    const bench = await openBench({ store, contract: { execution: 'on_request' } })
    bench.work()
    const { proposal } = await bench.approvedProposal()

    await bench.pass(MINUTE_MS)

    expect(await statusesOf(bench, [proposal])).toEqual(['approved'])
    expect(bench.action.calls.resolve).toBe(0)
  })

  it('does not execute what is not approved, and closes it when it has expired', async () => {
    const bench = await openBench({ store, contract: { lifetime: '10m' } })
    bench.work()
    const { proposal } = await bench.prepared()

    await bench.pass(11 * MINUTE_MS)

    expect(await statusesOf(bench, [proposal])).toEqual(['expired'])
    expect(bench.action.calls.resolve).toBe(0)
  })

  it('has verified, and never repeated, what a process left behind that died in the middle of a call', async () => {
    const bench = await openBench({ store })
    const dead = await frozenRuntime(bench)
    bench.action.methods.execute = hanging()
    const { proposal } = await bench.approvedProposal()
    await underWay(bench, dead.runtime.execute(requester, proposal))
    bench.action.methods.verify = async (input) => says.done(input)
    bench.work()

    await bench.pass(2 * MINUTE_MS)

    expect(await statusesOf(bench, [proposal])).toEqual(['verified'])
    expect(bench.action.calls.execute).toBe(1)
  })

  it('trace S54 probes, once a day, what is unresolved because its target was away', async () => {
    const bench = await openBench({ store, contract: { verification: { unavailables: 2, delay: '1s' } } })
    bench.action.methods.verify = async () => says.unavailable()
    const { proposal } = await bench.approvedProposal()
    bench.work({ pollMs: MINUTE_MS })
    await bench.pass(HOUR_MS)
    expect(await statusesOf(bench, [proposal])).toEqual(['verification_unresolved'])
    const asked = bench.action.calls.verify

    bench.action.methods.verify = async (input) => says.done(input)
    await bench.clock.advance(24 * HOUR_MS)
    await bench.pass(2 * MINUTE_MS)

    expect(await statusesOf(bench, [proposal])).toEqual(['verified'])
    expect(bench.action.calls.verify).toBe(asked + 1)
  })

  it('erases what was to be erased once its effect was settled', async () => {
    const bench = await openBench({ store })
    const { proposal } = await bench.approvedProposal()
    bench.action.methods.verify = async () => says.unavailable()
    await bench.runtime.execute(requester, proposal)
    expect((await bench.runtime.erase(privacy, proposal, { reason: 'asked_for' })).outcome).toBe('erasure_deferred')
    bench.action.methods.verify = async (input) => says.done(input)
    bench.work()

    await bench.pass(3 * MINUTE_MS)

    expect(await bench.runtime.read(reader, proposal)).toMatchObject({ tombstone: { status: 'verified' } })
    await expect(bench.stored(proposal)).rejects.toThrow('not a live proposal')
  })

  it('erases what its contract does not keep any longer, settled and closed each by its own time', async () => {
    const bench = await openBench({ store, contract: { retention: { settled: '2h', closed: '1h' } } })
    bench.work({ pollMs: MINUTE_MS })
    const settled = await bench.approvedProposal()
    const closed = await bench.prepared()
    await bench.runtime.reject(finance1, closed.proposal, { commitment: closed.commitment })
    const open = await bench.prepared()

    await bench.pass(90 * MINUTE_MS)
    expect(await statusesOf(bench, [settled.proposal, open.proposal])).toEqual(['verified', 'awaiting_approval'])
    await expect(bench.stored(closed.proposal)).rejects.toThrow('not a live proposal')
    await bench.pass(60 * MINUTE_MS)

    await expect(bench.stored(settled.proposal)).rejects.toThrow('not a live proposal')
    expect(await bench.runtime.read(reader, settled.proposal)).toMatchObject({
      tombstone: { reason: 'retention_over' },
    })
    expect(await statusesOf(bench, [open.proposal])).toEqual(['awaiting_approval'])
  })

  it('keeps for ever what no contract lets go', async () => {
    const bench = await openBench({ store })
    bench.work({ pollMs: MINUTE_MS })
    const { proposal, commitment } = await bench.prepared()
    await bench.runtime.reject(finance1, proposal, { commitment })

    await bench.pass(2 * HOUR_MS)

    expect(await statusesOf(bench, [proposal])).toEqual(['rejected'])
  })

  it('rule R14 does nothing for which it has no right', async () => {
    const bench = await openBench({ store, contract: { lifetime: '10m', retention: { closed: '1h' } } })
    bench.work({ roles: ['auditor'], pollMs: MINUTE_MS })
    const rejected = await bench.prepared()
    await bench.runtime.reject(finance1, rejected.proposal, { commitment: rejected.commitment })
    const waiting = await bench.prepared()
    const approved = await bench.approvedProposal()
    await bench.pass(90 * MINUTE_MS)

    const statuses = await statusesOf(bench, [rejected.proposal, waiting.proposal, approved.proposal])
    expect(statuses).toEqual(['rejected', 'awaiting_approval', 'approved'])
    expect(bench.action.calls.resolve).toBe(0)
  })

  it('finds again what died between the evidence and the status that follows from it', async () => {
    const bench = await openBench({ store })
    const dead = await frozenRuntime(bench)
    bench.action.methods.execute = hanging()
    const { proposal } = await bench.approvedProposal()
    await underWay(bench, dead.runtime.execute(requester, proposal))
    const effect = await bench.bareStore.effect((await bench.stored(proposal)).proposal.effect)
    if (effect === null) throw new Error('it was admitted')
    // The executor's word of failure was stored, and its process died before the status was.
    const ended = ending(effect, { kind: 'failed_known', evidence: 'FAILED' })
    await bench.bareStore.commit(evidence({ ...ended, row: { ...ended.row, verifyDueAt: null } }))
    expect(await statusesOf(bench, [proposal])).toEqual(['executing'])

    bench.work()
    await bench.pass(2 * MINUTE_MS)

    expect(await statusesOf(bench, [proposal])).toEqual(['failed_known'])
  })

  it('works beside others on one store: every effect happens once', async () => {
    const bench = await openBench({ store })
    for (const seed of [11, 12, 13]) bench.work({ runtime: await bench.open({ seed }) })
    const made: string[] = []
    for (let nth = 0; nth < 12; nth += 1) made.push((await bench.approvedProposal()).proposal)

    await bench.pass(30_000)

    expect(new Set(await statusesOf(bench, made))).toEqual(new Set(['verified']))
    expect(bench.action.business.booked).toHaveLength(12)
    expect(bench.action.calls.execute).toBe(12)
  })

  it('case C117 old and new instance both work through the queue: each proposal by the one that it was approved under', async () => {
    const bench = await openBench({ store })
    const made: string[] = []
    for (let nth = 0; nth < 4; nth += 1) made.push((await bench.approvedProposal()).proposal)
    const newer = bench.actionWith({ ...bench.action.contract, revision: 2 })
    bench.work({ runtime: await bench.open({ actions: [newer], seed: 21 }) })
    bench.work({ runtime: await bench.open({ seed: 22 }) })

    await bench.pass(30_000)

    expect(new Set(await statusesOf(bench, made))).toEqual(new Set(['verified']))
    expect(newer.calls.execute).toBe(0)
    expect(bench.action.business.booked).toHaveLength(4)
  })
})

describe('a worker that is stopped', () => {
  it('lets what is under way end, begins nothing else, and leaves no timer behind', async () => {
    const bench = await openBench({ store: 'memory' })
    const call = Promise.withResolvers<void>()
    const { execute } = bench.action.methods
    bench.action.methods.execute = async (input) => {
      await call.promise
      return execute(input)
    }
    const first = await bench.approvedProposal()
    const worker = bench.work({ parallelism: 1 })
    await bench.pass(2_000)
    const second = await bench.approvedProposal()

    const stopped = worker.stop({ limitMs: 20_000 })
    await bench.clock.advance(1_000)
    call.resolve()

    expect(await stopped).toBe(true)
    expect(await statusesOf(bench, [first.proposal, second.proposal])).toEqual(['verification_pending', 'approved'])
    expect(bench.clock.timers).toBe(0)
    await bench.pass(HOUR_MS / 12)
    expect(await statusesOf(bench, [second.proposal])).toEqual(['approved'])
  })

  it('is not kept by a call that does not end', async () => {
    const bench = await openBench({ store: 'memory' })
    bench.action.methods.execute = hanging()
    await bench.approvedProposal()
    const worker = bench.work()
    await bench.pass(2_000)

    const stopped = worker.stop({ limitMs: 5_000 })
    await bench.clock.advance(5_000)

    expect(await stopped).toBe(false)
  })

  it('can be stopped before it has begun, and twice', async () => {
    const bench = await openBench({ store: 'memory' })
    const worker = bench.work()

    expect(await worker.stop({ limitMs: 1_000 })).toBe(true)
    expect(await worker.stop({ limitMs: 1_000 })).toBe(true)
    expect(bench.clock.timers).toBe(0)
    expect(() => worker.start()).toThrow(TypeError)
  })
})

describe('a worker is refused', () => {
  it.each([
    ['a person', { principal: { kind: 'user', id: 'rita' } }],
    ['a service without a name', { principal: { kind: 'service', id: '' } }],
    ['something else than a runtime', { runtime: {} }],
    ['roles that are none', { roles: 'executor' }],
    ['no parallelism', { parallelism: 0 }],
    ['more than it can have', { parallelism: 257 }],
    ['a look every millisecond', { pollMs: 1 }],
    ['a look at no time', { pollMs: Number.NaN }],
  ])('%s', async (_what, options) => {
    const { runtime } = await openBench({ store: 'memory' })

    expect(() => new Worker(unsound({ runtime, ...AS, ...options }))).toThrow(TypeError)
  })
})
