// Attacks by what a host answers: getters and proxies that throw where the runtime reads them, at stopping and in a policy.
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { frozenRuntime, hanging, openExecution, underWay } from './execution-world.ts'
import { answerOf, MINUTE_MS, openWorld, refused, STORES, unsound } from './harness.ts'
import { requester } from './sessions.ts'

const SECRET = 'directory says Carla'
const BOUNDARY_MS = 2 * MINUTE_MS

function thrown(): never {
  throw new Error(SECRET)
}

/** An answer that runs code of the host wherever it is looked at. */
function odd(fields: object, name: string): object {
  return Object.defineProperty({ ...fields }, name, { get: thrown, enumerable: true })
}
// A promise may answer it: awaiting looks for a `then`, and finds none.
function proxy(): object {
  const get = (_target: object, name: string | symbol): unknown => (name === 'then' ? null : thrown())
  return new Proxy({}, { get, ownKeys: thrown, has: thrown, getPrototypeOf: thrown })
}

const stops = [
  { what: 'a throwing acknowledgement', answer: () => odd({}, 'acknowledged') },
  { what: 'a proxy', answer: proxy },
  {
    what: 'an acknowledgement with a throwing reference',
    answer: () => odd({ acknowledged: true }, 'externalReference'),
  },
]

describe.each(STORES)('fence and cancel on %s', (store) => {
  const rows = (['fence', 'cancel'] as const).flatMap((means) => stops.map((stop) => ({ means, ...stop })))

  it.each(rows)(
    'rule R18: $what from $means acknowledges nothing, and the target is asked all the same',
    async (row) => {
      const { means, answer } = row
      const world = await openExecution({
        store,
        contract: { acceptProof: { failure: [means === 'fence' ? 'fenced' : 'cancelled'] }, lifetime: '1d' },
        methods: { [means]: async () => unsound(answer()) },
      })
      const proposal = await world.approved('the one whose worker died')
      const dead = await frozenRuntime(world)
      world.action.methods.execute = hanging()
      await underWay(world, dead.runtime.execute(requester, proposal))
      await world.clock.advance(BOUNDARY_MS)

      const result = await answerOf(world.reconcile(proposal))

      expect(result).not.toContain(SECRET)
      expect([world.action.calls[means], world.action.calls.verify]).toEqual([1, 1])
      const { observations } = await world.effect(proposal)
      expect(observations.map((one) => [one.source, one.answer, one.externalReference])).toEqual([
        [means, 'not_acknowledged', null],
        ['verifier', 'provisional_absence', null],
      ])
    },
  )
})

const sound = { require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }] }

const policies = [
  { what: 'a throwing getter', answer: () => odd({}, 'require') },
  { what: 'a throwing getter deep inside', answer: () => ({ require: [odd({ name: 'finance', count: 1 }, 'from')] }) },
  { what: 'a proxy', answer: proxy },
  { what: 'a proxy deep inside', answer: () => ({ require: [proxy()] }) },
]

describe.each(STORES)('a policy function on %s', (store) => {
  it.each(policies)('rule R18: answering $what, nothing is prepared and nothing of it is said', async ({ answer }) => {
    const world = await openWorld({ store, contract: { policy: () => answer() } })

    const error = await refused(world.prepared())

    expect(error).toMatchObject({ name: 'InvalidPreparation', code: 'invalid_preparation' })
    expect(inspect(error, { depth: 9 })).not.toContain(SECRET)
    expect(world.faults.changes).toEqual([])
  })

  it.each(policies)(
    'rule R18: answering $what at drift, the replacement is dropped and the drift is written',
    async (row) => {
      let isOdd = false
      const policy = (): object => (isOdd ? row.answer() : sound)
      const world = await openExecution({ store, contract: { policy } })
      const proposal = await world.approved('the one that drifts')
      isOdd = true
      const { resolve } = world.action.methods
      world.action.methods.resolve = async (input) => {
        const resolved = await resolve(input)
        return { ...resolved, replacement: resolved.current as typeof input.snapshot }
      }
      world.action.business.orderVersion += 1

      const answer = await world.execute(proposal)

      expect(answer).toMatchObject({ outcome: 'stale', status: 'stale', replacedBy: null })
      expect((await world.stored(proposal)).proposal.status).toBe('stale')
      expect(world.action.calls.execute).toBe(0)
    },
  )

  it('rule R18: answering plainly, a replacement is prepared', async () => {
    const world = await openExecution({ store, contract: { policy: () => sound } })
    const proposal = await world.approved('the one that drifts')
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => {
      const resolved = await resolve(input)
      return { ...resolved, replacement: resolved.current as typeof input.snapshot }
    }
    world.action.business.orderVersion += 1

    expect((await world.execute(proposal)).replacedBy).not.toBeNull()
  })
})
