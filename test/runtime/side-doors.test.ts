// Side doors: what can be found out of a proposal without reading it, and whether there is another way to its effect.
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/proposal/session.ts'
import { refused, STORES, type World } from './harness.ts'
import {
  answering,
  approvedFor,
  executing,
  found,
  gone,
  inDoubt,
  openOperators,
  permissions,
  SETTLED_MS,
  successor,
  unresolved,
} from './operators.ts'
import { agent, finance1, operator, requester, service, session } from './sessions.ts'

describe.each(STORES)('trace S47: side doors for readers on %s', (store) => {
  it.each<[string, Session]>([
    ['the requester', requester],
    ['the agent', agent],
    ['the executor', service],
  ])('trace S47 %s cannot watch the business by checking', async (_, by) => {
    const world = await openOperators({ store })
    const { proposal } = await approvedFor(world, 'broken vase')

    expect(await refused(world.runtime.check(by, proposal))).toMatchObject({ code: 'not_permitted' })
    expect(world.action.calls.resolve).toBe(0)
  })

  it('trace S47 who may check learns nothing of what the preview does not show, and leaves no trace', async () => {
    const world = await openOperators({ store })
    const { proposal } = await approvedFor(world, 'broken vase')
    const commits = world.faults.changes.length
    expect(await world.runtime.check(finance1, proposal)).toEqual({ outcome: 'checked', drifted: false, paths: [] })

    world.action.business.customer = 'Somebody else'
    expect(await world.runtime.check(finance1, proposal)).toEqual({ outcome: 'checked', drifted: true, paths: [] })
    world.action.business.refunded = { amount: '33.00', currency: 'EUR' }
    const { paths } = await world.runtime.check(finance1, proposal)

    expect(paths.every((path) => path.startsWith('/refunded'))).toBe(true)
    expect(world.faults.changes).toHaveLength(commits)
  })

  it.each([
    ['in doubt', gone, 'effect_in_flight_elsewhere', 'replayed'],
    ['done', found, 'effect_completed_elsewhere', 'replayed'],
  ] as const)(
    'trace S47 a proposal that may not be read is not named where its effect is %s',
    async (_, answer, reason, outcome) => {
      const world = await hiding(store, 'rosa')
      executing(world, async () => {
        throw new Error('the answer was lost')
      })
      const hidden = await successor(world, 'broken vase', session('user:rosa', ['support']))
      await world.runtime.execute(service, hidden)
      const rival = await successor(world)
      answering(world, answer)
      await world.clock.advance(SETTLED_MS)
      await world.runtime.reconcile(operator, hidden, { now: true })

      const told = await world.runtime.execute(requester, rival)

      expect(told).toMatchObject({ outcome, reason, supersededBy: null, evidence: null })
      const everything = [
        told,
        await world.runtime.read(requester, rival),
        await world.runtime.receipts(requester, rival),
        await world.runtime.list(requester),
      ]
      expect(JSON.stringify(everything)).not.toContain(hidden)
      expect(await refused(world.runtime.read(requester, hidden))).toMatchObject({ code: 'not_found' })
    },
  )
})

describe('threat T2: another way to the effect', () => {
  it('threat T2 a runtime holds nothing that could be taken out of it', async () => {
    const world = await openOperators({ store: 'memory' })
    const { runtime, action } = world

    const own = Reflect.ownKeys(runtime)
    const inherited = Reflect.ownKeys(Object.getPrototypeOf(runtime) as object)
    expect(own).toEqual([])
    expect(inherited).not.toContain('action')
    expect(inspect(runtime, { depth: 9, showHidden: true })).not.toContain(action.constructor.name)
    expect(JSON.stringify(runtime)).toBe('{}')
  })

  it('threat T2 the methods of an action are handed nothing with which one could call another', async () => {
    const world = await openOperators({ store: 'memory' })
    const handed: Record<string, readonly string[]> = {}
    const { prepare, resolve, verify, execute } = world.action.methods
    world.action.methods.prepare = async (input) => {
      handed['prepare'] = functionsIn(input)
      return prepare(input)
    }
    world.action.methods.resolve = async (input) => {
      handed['resolve'] = functionsIn(input)
      return resolve(input)
    }
    world.action.methods.execute = async (input) => {
      handed['execute'] = functionsIn(input)
      return execute(input)
    }
    world.action.methods.verify = async (input) => {
      handed['verify'] = functionsIn(input)
      return verify(input)
    }
    const { proposal } = await approvedFor(world, 'broken vase')
    await world.runtime.execute(requester, proposal)
    await world.runtime.reconcile(operator, proposal, { now: true })

    expect(handed).toEqual({ prepare: ['derive'], resolve: [], execute: ['stepKey', 'markSending'], verify: [] })
  })

  it('threat T2 whoever is called by the runtime gets no second call out of it', async () => {
    const world = await openOperators({ store: 'memory' })
    const { proposal } = await approvedFor(world, 'broken vase')
    const inner: string[] = []
    executing(world, async () => {
      inner.push(
        (await world.runtime.execute(service, proposal)).outcome,
        (await world.runtime.execute(service, proposal, { reconcile: true })).outcome,
        (await world.runtime.reconcile(operator, proposal, { now: true })).outcome,
      )
      return { status: 'accepted' }
    })

    await world.runtime.execute(requester, proposal)

    expect(inner).toEqual(['in_progress', 'in_progress', 'in_progress'])
    expect(world.action.calls.execute).toBe(1)
  })

  it('threat T2 nothing but an execution of what is approved ever calls, however often everything else is done', async () => {
    const world = await openOperators({ store: 'memory' })
    const refs = [
      (await world.prepared()).proposal,
      await inDoubt(world, 'vase one'),
      await unresolved(world, 'vase two'),
    ]
    const calls = world.action.calls.execute
    answering(world, gone)

    for (const ref of refs) {
      await world.runtime.execute(requester, ref)
      await world.runtime.execute(service, ref, { reconcile: true })
      await world.runtime.reconcile(operator, ref, { now: true })
      await world.runtime.resume(operator, ref, { reason: 'again' })
      await world.runtime.reconcile(service, ref)
      await world.runtime.check(operator, ref)
    }
    await world.runtime.expireDue(service)

    expect(world.action.calls.execute).toBe(calls)
  })
})

/** A world in which nobody from support may read what somebody requested, but for that person. */
async function hiding(store: (typeof STORES)[number], who: string): Promise<World> {
  return openOperators({
    store,
    methods: {
      can(act, { roles, principal }, { proposal }) {
        const isAllowed = [permissions[act] ?? []].flat().some((role) => roles.some((one) => one === role))
        const isHidden = proposal?.requester.id === who && principal.id !== who && roles.includes('support')
        return isAllowed && !isHidden
      },
    },
  })
}

function functionsIn(input: object): readonly string[] {
  return Object.entries(input).flatMap(([name, value]: [string, unknown]): readonly string[] => {
    if (typeof value === 'function') return [name]
    const isPlain = typeof value === 'object' && value !== null && !(value instanceof AbortSignal)
    return isPlain ? functionsIn(value) : []
  })
}
