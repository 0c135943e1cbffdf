// Rules R13 and R18 where store and runtime meet: every durable step is there whole, once, or not at all (the fault matrix).
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/effect/limits.ts'
import { DefinitiveFailure } from '../../src/proposal/action.ts'
import { Refusal } from '../../src/proposal/errors.ts'
import {
  answering,
  type ExecutionWorld,
  frozenRuntime,
  hanging,
  openExecution,
  resendAfter,
  says,
  underWay,
} from './execution-world.ts'
import { answerOf, MINUTE_MS, reference, STORES } from './harness.ts'
import { observation } from '../effect/builders.ts'
import { requester, TENANT } from './sessions.ts'

const INTENT = 'the one that is stored'

/** A durable step: how it is reached, and the operation whose n-th commit it is. */
interface Step {
  readonly step: string
  readonly arrange: (world: ExecutionWorld, proposal: string) => Promise<unknown>
  readonly run: (world: ExecutionWorld, proposal: string) => Promise<unknown>
  readonly nth: number
  /** How often the runtime offers it. */
  readonly tries: number
  readonly receipt: string
}

const steps: readonly Step[] = [
  {
    step: 'W4 admission',
    arrange: async () => null,
    run: (world, ref) => world.execute(ref),
    nth: 1,
    tries: 1,
    receipt: 'execution.started',
  },
  {
    step: 'W5 the end of the call',
    arrange: async () => null,
    run: (world, ref) => world.execute(ref),
    nth: 2,
    tries: 3,
    receipt: 'execution.accepted',
  },
  {
    step: 'W7 what the verifier saw',
    arrange: async (world, ref) => {
      await world.execute(ref)
      await world.clock.advance(5_000)
    },
    run: (world, ref) => world.reconcile(ref),
    nth: 1,
    tries: 3,
    receipt: 'verification.verified_completion',
  },
  {
    step: 'the lapse of a lease',
    arrange: async (world, ref) => {
      const dead = await frozenRuntime(world)
      world.action.methods.execute = hanging()
      await underWay(world, dead.runtime.execute(requester, ref))
      await world.clock.advance(60_000)
    },
    run: (world, ref) => world.reconcile(ref),
    nth: 1,
    tries: 1,
    receipt: 'operation.lease_lapsed',
  },
  {
    step: 'W10 drift',
    arrange: async (world) => {
      const { resolve } = world.action.methods
      world.action.business.orderVersion += 1
      world.action.methods.resolve = async (input) => {
        const resolved = await resolve(input)
        return resolved.current === null ? resolved : { ...resolved, replacement: resolved.current }
      }
    },
    run: (world, ref) => world.execute(ref),
    nth: 1,
    tries: 1,
    receipt: 'execution.drift_refused',
  },
  {
    step: 'W10 expiry',
    arrange: async (world) => world.clock.advance(10 * MINUTE_MS),
    run: (world, ref) => world.execute(ref),
    nth: 1,
    tries: 1,
    receipt: 'proposal.expired',
  },
  {
    step: 'a reason for being blocked',
    arrange: async (world) => {
      world.action.methods.resolve = () => Promise.reject(new Error('down'))
    },
    run: (world, ref) => world.execute(ref),
    nth: 1,
    tries: 1,
    receipt: 'execution.blocked',
  },
]

/** Everything that is stored, as text. */
async function stored(world: ExecutionWorld): Promise<string> {
  const tenant = reference(TENANT)
  const proposals = await world.bareStore.list({ tenant, limit: 50 })
  const details = await Promise.all(
    proposals.map(async ({ ref, effect }) => [
      await world.bareStore.effect(effect),
      await world.bareStore.receipts(tenant, ref),
    ]),
  )
  return JSON.stringify([proposals, details, await world.bareStore.events(tenant, 0, 200)])
}

describe.each(STORES)('rule R13 on %s', (store) => {
  it.each(steps)('rule R13: $step that does not land leaves nothing behind', async ({ arrange, run, nth, tries }) => {
    for (const fault of ['refused', 'lost_before'] as const) {
      const world = await openExecution({ store })
      const proposal = await world.approved(INTENT)
      await arrange(world, proposal)
      for (let faults = 0; faults < tries; faults++) world.faults.at(nth + faults, fault)
      const before: string[] = []
      const { execute } = world.action.methods
      world.action.methods.execute = async (call) => {
        before.push(await stored(world))
        return execute(call)
      }
      before.push(await stored(world))

      const told = await run(world, proposal).then(
        () => null,
        (error: unknown) => error,
      )

      expect(told).toBeInstanceOf(Refusal)
      expect(['store_unavailable', 'persistence_outcome_unknown']).toContain((told as Refusal).code)
      expect(await stored(world)).toBe(before.at(-1))
    }
  })

  it.each(steps)('rule R13: $step whose answer is lost is there whole, and once', async (row) => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    await row.arrange(world, proposal)
    for (let faults = 0; faults < row.tries; faults++) world.faults.at(row.nth + faults, 'lost')

    await row.run(world, proposal).catch(() => null)

    const receipts = await world.receipts(proposal)
    expect(receipts.filter((type) => type === row.receipt)).toHaveLength(1)
    expect(receipts.at(-1)).toBe(row.receipt)
    await world.assertWhole()
  })

  it('rule R13: everything of an admission is in one change, and nothing is put right afterwards', async () => {
    const world = await openExecution({ store, contract: resendAfter('terminal') })
    const proposal = await world.approved(INTENT)
    const before = world.faults.changes.length

    await world.execute(proposal)

    // Admission and end: no reservation before the one, no compensation after the other.
    expect(world.faults.changes.slice(before).map(({ receipts }) => receipts.map(({ body }) => body?.type))).toEqual([
      ['execution.started'],
      ['execution.accepted'],
    ])
  })
})

describe('policy-and-protection 3, through the runtime', () => {
  it('beyond the limit an answer that says nothing new is told and counted, and is not stored once more', async () => {
    let isFull = false
    const many = Array.from({ length: limits.observationsKeptFully }, (_, index) => {
      return observation({ sequence: index + 1, target: 'business-system' })
    })
    const world = await openExecution({
      store: 'memory',
      contract: { lifetime: '1d' },
      around: async (name, call) => {
        const answer = await call()
        const isEffect = name === 'effect' && typeof answer === 'object' && answer !== null
        return isFull && isEffect ? { ...answer, observations: many } : answer
      },
    })
    const proposal = await world.approved(INTENT)
    await world.execute(proposal)
    world.action.methods.verify = answering(says.absent)
    await world.clock.advance(5 * MINUTE_MS)
    isFull = true

    expect(await answerOf(world.reconcile(proposal))).toBe('verification_pending')

    isFull = false
    const effect = await world.effect(proposal)
    expect([effect.observations, effect.absencesSpent]).toEqual([[], 1])
    expect((await world.receipts(proposal)).at(-1)).toBe('verification.provisional_absence')
  })
})

describe.each(STORES)('rule R18 on %s', (store) => {
  it('rule R18: one receipt for each change of reason, over all that can block', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    const { resolve, can } = world.action.methods
    const reasons: (string | null)[] = []
    const tried = async (): Promise<void> => {
      for (const _ of [1, 2]) reasons.push((await world.execute(proposal)).reason)
    }
    world.action.methods.resolve = () => Promise.reject(new Error('down'))
    await tried()
    world.action.methods.resolve = resolve
    world.action.methods.can = (act, caller, view) => act !== 'decide' && can(act, caller, view)
    await tried()
    world.action.methods.can = can
    world.action.methods.resolve = () => Promise.reject(new Error('down'))
    await tried()

    const chain = await world.bareStore.receipts(reference(TENANT), reference(proposal))
    const blocked = chain.flatMap(({ body }) => (body?.type === 'execution.blocked' ? [body.reason] : []))
    expect(reasons).toEqual([
      'resolve_failed',
      'resolve_failed',
      'not_permitted',
      'not_permitted',
      'resolve_failed',
      'resolve_failed',
    ])
    expect(blocked).toEqual(['resolve_failed', 'not_permitted', 'resolve_failed'])
  })

  it('rule R18: a closed effect is looked at no more by itself', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved(INTENT)
    world.action.methods.execute = () => Promise.reject(new DefinitiveFailure('card_expired'))
    await world.execute(proposal)
    await world.clock.advance(365 * 24 * 60 * MINUTE_MS)

    expect(await answerOf(world.reconcile(proposal))).toBe('failed_known')
    expect(world.action.calls.verify).toBe(0)
  })
})
