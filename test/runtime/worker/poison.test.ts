// Work that cannot be done: it delays no other work and no other tenant, and a worker does not spin on it.
import { describe, expect, it } from 'vitest'
import { StoredDataCorrupt, StoreUnavailable } from '../../../src/proposal/errors.ts'
import type { Around } from '../../../src/testing/intercepted-store.ts'
import { HOUR_MS, MINUTE_MS, STORES } from '../harness.ts'
import { elsewhere, finance1, reader, requester } from '../sessions.ts'
import { openBench, statusesOf } from './bench.ts'

describe.each(STORES)('a worker on %s', (store) => {
  it('threat T54 goes on behind one that cannot be read, one that throws and one that may not be', async () => {
    let corrupt = ''
    const around: Around = async (name, call) => {
      const answer = await call()
      if (name === 'proposal' && JSON.stringify(answer).includes(`"ref":"${corrupt}"`)) throw new StoredDataCorrupt('x')
      return answer
    }
    const bench = await openBench({ store, around })
    const made: string[] = []
    for (let nth = 0; nth < 5; nth += 1) made.push((await bench.approvedProposal()).proposal)
    const [unreadable = '', throwing = '', forbidden = '', ...sound] = made
    const { can, resolve } = bench.action.methods
    bench.action.methods.can = (act, caller, view) => {
      return (act !== 'execute' || view.proposal?.ref !== forbidden) && can(act, caller, view)
    }
    bench.action.methods.resolve = async (input) => {
      if (input.context.proposal === throwing) throw new Error('no such order')
      return resolve(input)
    }
    const other = await bench.runtime.prepare(elsewhere(requester), bench.input())
    await bench.runtime.approve(elsewhere(finance1), other.proposal, { commitment: other.commitment })
    corrupt = unreadable
    bench.work({ parallelism: 1 })

    await bench.pass(20_000)
    corrupt = ''

    expect(await statusesOf(bench, sound)).toEqual(['verified', 'verified'])
    expect(await statusesOf(bench, [throwing, forbidden])).toEqual(['approved', 'approved'])
    expect((await bench.stored(other.proposal, 'globex')).proposal.status).toBe('verified')
    expect(bench.logged).toContainEqual({
      tenant: 'acme',
      duty: 'execution of example.payments/refund@1',
      proposal: unreadable,
      code: 'stored_data_corrupt',
      message: 'due work could not be done',
    })
    expect(bench.logged.filter(({ proposal }) => proposal === unreadable)).toHaveLength(1)
  })

  it('invariant I36 settles everything, or asks a person, once faults have stopped, and then stands still', async () => {
    const bench = await openBench({ store })
    let isDown = true
    const { resolve, execute } = bench.action.methods
    bench.action.methods.resolve = async (input) => {
      if (isDown) throw new Error('directory down')
      return resolve(input)
    }
    bench.action.methods.execute = async (input) => {
      const answer = await execute(input)
      if (bench.action.calls.execute % 2 === 0) throw new Error('connection lost after the booking')
      return answer
    }
    bench.work()
    const made: string[] = []
    for (let nth = 0; nth < 6; nth += 1) made.push((await bench.approvedProposal()).proposal)
    await bench.pass(2 * MINUTE_MS)
    isDown = false

    await bench.pass(10 * MINUTE_MS)
    const calls = { ...bench.action.calls }
    await bench.pass(HOUR_MS / 2)

    expect(new Set(await statusesOf(bench, made))).toEqual(new Set(['verified']))
    expect(bench.action.business.booked).toHaveLength(6)
    expect(bench.action.calls).toEqual(calls)
  })
})

describe('a worker', () => {
  it('trace S52 tries ever more seldom what is blocked: a bounded number of calls an hour, one receipt a reason', async () => {
    const bench = await openBench({ store: 'memory' })
    bench.action.methods.resolve = async () => {
      throw new Error('directory down')
    }
    const { proposal } = await bench.approvedProposal()
    bench.work()

    await bench.pass(HOUR_MS)
    const first = bench.action.calls.resolve
    await bench.pass(HOUR_MS)
    const second = bench.action.calls.resolve - first

    // Doubling from 1 s to 5 min, each wait at least half as long: 9 visits up to the longest wait, then one in 2.5 min.
    expect(first).toBeGreaterThan(9)
    expect(first).toBeLessThan(40)
    expect(second).toBeGreaterThan(11)
    expect(second).toBeLessThan(25)
    const { receipts } = await bench.runtime.receipts(reader, proposal)
    expect(receipts.filter(({ body }) => body?.type === 'execution.blocked')).toHaveLength(1)
  })

  it('rule R18 is no quicker where the reason changes from one time to the next', async () => {
    const bench = await openBench({ store: 'memory' })
    const { resolve } = bench.action.methods
    let isDown = false
    bench.action.methods.resolve = async (input) => {
      isDown = !isDown
      if (isDown) throw new Error('directory down')
      return resolve(input)
    }
    const { can } = bench.action.methods
    bench.action.methods.can = (act, caller, view) => (view.snapshot === null ? can(act, caller, view) : false)
    const { proposal } = await bench.approvedProposal()
    bench.work()

    await bench.pass(HOUR_MS)

    expect(bench.action.calls.resolve).toBeLessThan(40)
    const { receipts } = await bench.runtime.receipts(reader, proposal)
    expect(receipts.length).toBeLessThan(45)
  })

  it('finds what is new behind many that are held, and expires what is sound behind many that are not', async () => {
    const bench = await openBench({ store: 'memory', contract: { lifetime: '10m' } })
    bench.action.methods.resolve = async () => {
      throw new Error('directory down')
    }
    const made: string[] = []
    for (let nth = 0; nth < 60; nth += 1) made.push((await bench.approvedProposal()).proposal)
    bench.work()
    await bench.pass(30_000)
    const last = await bench.approvedProposal()
    const calls = bench.action.calls.resolve

    await bench.pass(5_000)
    expect(bench.action.calls.resolve).toBeGreaterThan(calls)
    await bench.pass(11 * MINUTE_MS)

    expect(new Set(await statusesOf(bench, [...made, last.proposal]))).toEqual(new Set(['expired']))
  })

  it('trace S53 is not held up by a resolver that hangs: others are served while it does', async () => {
    const bench = await openBench({ store: 'memory' })
    const { resolve } = bench.action.methods
    const made: string[] = []
    for (let nth = 0; nth < 4; nth += 1) made.push((await bench.approvedProposal()).proposal)
    const other = await bench.runtime.prepare(elsewhere(requester), bench.input())
    await bench.runtime.approve(elsewhere(finance1), other.proposal, { commitment: other.commitment })
    bench.action.methods.resolve = async (input) => {
      return made.includes(input.context.proposal) ? new Promise(() => {}) : resolve(input)
    }
    bench.work({ parallelism: 4 })

    // Less than the limit of the calls that hang.
    await bench.pass(8_000)
    expect((await bench.stored(other.proposal, 'globex')).proposal.status).toBe('verified')
    const late = await bench.approvedProposal()
    await bench.pass(10_000)

    expect(await statusesOf(bench, [late.proposal])).not.toEqual(['approved'])
    expect(await statusesOf(bench, made)).toEqual(['approved', 'approved', 'approved', 'approved'])
  })

  it('asks a store that is away ever more seldom, and goes on when it is back', async () => {
    let isAway = false
    let asked = 0
    const around: Around = async (name, call) => {
      if (name === 'tenants') asked += 1
      if (isAway && name !== 'now') throw new StoreUnavailable('away')
      return call()
    }
    const bench = await openBench({ store: 'memory', around })
    const { proposal } = await bench.approvedProposal()
    isAway = true
    bench.work()

    await bench.pass(HOUR_MS)
    expect(asked).toBeLessThan(100)
    isAway = false
    await bench.pass(3 * MINUTE_MS)

    expect(await statusesOf(bench, [proposal])).toEqual(['verified'])
    expect(bench.logged).toContainEqual({ code: 'store_unavailable', message: 'a worker could not look for work' })
  })

  it('has the outbox of every tenant delivered, once at a time, at once where there is more', async () => {
    const bench = await openBench({ store: 'memory' })
    await bench.prepared()
    await bench.runtime.prepare(elsewhere(requester), bench.input())
    const delivered: string[] = []
    let under = 0
    let most = 0
    let left = 3
    bench.work({
      outbox: {
        deliverDue: async (tenant) => {
          under += 1
          await Promise.resolve()
          most = Math.max(most, under)
          under -= 1
          delivered.push(tenant)
          if (tenant === 'acme') return { nextAt: null }
          left -= 1
          return { nextAt: left > 0 ? 0 : null }
        },
      },
    })

    await bench.pass(1_000)

    expect(delivered.filter((tenant) => tenant === 'globex').length).toBeGreaterThanOrEqual(3)
    expect(delivered).toContain('acme')
    expect(most).toBeLessThanOrEqual(2)
    const before = delivered.length
    await bench.pass(MINUTE_MS)
    expect(delivered.length - before).toBeGreaterThan(50)
    expect(delivered.length - before).toBeLessThan(200)
  })

  it('leaves an outbox that throws alone for a while, and does the rest', async () => {
    const bench = await openBench({ store: 'memory' })
    const { proposal } = await bench.approvedProposal()
    let asked = 0
    bench.work({
      outbox: {
        deliverDue: async () => {
          asked += 1
          throw new Error('no route to the receiver of customer 4711')
        },
      },
    })

    await bench.pass(HOUR_MS)

    expect(asked).toBeLessThan(40)
    expect(await statusesOf(bench, [proposal])).toEqual(['verified'])
    expect(JSON.stringify(bench.logged)).not.toContain('4711')
    expect(bench.logged).toContainEqual({
      tenant: 'acme',
      duty: 'delivery',
      code: 'Error',
      message: 'due work could not be done',
    })
  })
})
