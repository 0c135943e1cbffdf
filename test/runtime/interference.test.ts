// Interference: at every single step of an execution somebody takes something back, and never do both succeed.
import { describe, expect, it } from 'vitest'
import type { Act } from '../../src/proposal/contract.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { LIFETIME_MS, openWorld, STORES, type World } from './harness.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { finance1, finance2, requester, session } from './sessions.ts'

/** What happens in between, and whether it did take back what the execution rests on. */
type Interference = (world: World, ref: string, deny: (act: Act) => void) => Promise<boolean>

const colleague = session('user:carl', ['support'])

const takingBack: Readonly<Record<string, Interference>> = {
  'the requester withdraws': async (world, ref) => said(await world.runtime.withdraw(requester, ref), 'withdrawn'),
  'somebody from finance rejects': async (world, ref) => {
    const { commitment } = (await world.stored(ref)).proposal
    return said(await world.runtime.reject(finance2, ref, { commitment }), 'rejected')
  },
  'the approver takes the approval back': async (world, ref) => {
    const [approval] = (await world.stored(ref)).approvals
    return said(await world.runtime.revokeApproval(finance1, ref, approval?.approvalId ?? ''), 'revoked')
  },
}

describe.each(STORES)('threat T12: while it is executed on %s', (store) => {
  it.each(Object.keys(takingBack))('threat T12 %s: either that, or the call, at every step', async (what) => {
    const steps = await everyStep(store, takingBack[what] ?? never)

    expect(steps.length).toBeGreaterThan(10)
    expect(steps.filter(({ calls, isTaken }) => calls > 0 === isTaken)).toEqual([])
    expect(new Set(steps.map(({ isTaken }) => isTaken))).toEqual(new Set([true, false]))
  })

  it('threat T12 two execute at the same time: one call, at every step', async () => {
    const outcomes = await everyStep(store, async (world, ref) => {
      await world.runtime.execute(colleague, ref)
      return false
    })

    expect(outcomes.map(({ calls }) => calls)).toEqual(outcomes.map(() => 1))
  })
})

describe.each(STORES)('trace S26: the windows between the last checks on %s', (store) => {
  it.each<[string, Act]>([
    ['the caller’s right is lost', 'execute'],
    ['the approver’s right is lost', 'decide'],
  ])('trace S26 %s: it is called only if that was asked for the last time before', async (_, act) => {
    const steps = await everyStep(store, async (_world, _ref, deny) => {
      deny(act)
      return true
    })

    const lost = steps.filter(({ at, questions }) =>
      questions.some((question) => question.act === act && question.at >= at),
    )
    expect(lost.length).toBeGreaterThan(5)
    expect(lost.filter(({ calls }) => calls > 0)).toEqual([])
    // The approvers are asked for last, and nothing is awaited between that and the change.
    const called = steps.filter(({ calls }) => calls > 0)
    expect(new Set(called.map(({ questions }) => questions.at(-1)?.act))).toEqual(new Set(['decide']))
  })

  it.each(['warn', 'block'] as const)(
    'trace S26 nothing is awaited between the last right and the change: %s',
    async (hold) => {
      const order: string[] = []
      const around: Around = async (name, call) => {
        order.push(name)
        return call()
      }
      const require = [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }]
      const policy = { require, whileRelatedInDoubt: hold }
      const world = await openWorld({ store, around, contract: { policy } })
      const { proposal } = await world.approvedProposal()
      const { can } = world.action.methods
      world.action.methods.can = async (act, caller, view) => {
        order.push(act)
        return can(act, caller, view)
      }

      expect(await world.runtime.execute(requester, proposal)).toMatchObject({ status: 'verification_pending' })

      expect(order[order.lastIndexOf('decide') + 1]).toBe('commit')
    },
  )

  it('trace S26 threat T9 its time is over: it is not called, at every step before the call', async () => {
    const steps = await everyStep(store, async (world) => {
      world.clock.setWall(world.clock.now() + LIFETIME_MS)
      return true
    })

    expect(steps.filter(({ calls, isBeforeCall }) => isBeforeCall && calls > 0)).toEqual([])
    expect(new Set(steps.filter(({ isBeforeCall }) => isBeforeCall).map(({ status }) => status))).toEqual(
      new Set(['expired']),
    )
  })

  it('trace S26 the business state moves: the executor is told what was resolved, and the target refuses', async () => {
    const steps = await everyStep(store, async (world) => {
      world.action.business.orderVersion += 1
      return true
    })

    expect(steps.filter(({ booked, isBeforeCall }) => isBeforeCall && booked > 0)).toEqual([])
    expect(new Set(steps.filter(({ isBeforeCall }) => isBeforeCall).map(({ status }) => status))).toEqual(
      new Set(['stale']),
    )
  })
})

/** What came of one execution with one interference. */
interface Step {
  /** Before which step it happened. */
  readonly at: number
  readonly isTaken: boolean
  readonly calls: number
  readonly booked: number
  readonly status: string
  /** Whether the executor had not been called when it happened. */
  readonly isBeforeCall: boolean
  /** What the host was asked, and at which step. */
  readonly questions: readonly { readonly at: number; readonly act: Act }[]
}

/** Executes again and again, each time with the interference one step later, until there is no such step any more. */
async function everyStep(store: StoreName, interfere: Interference): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (let at = 1; ; at++) {
    const step = await interfered(store, at, interfere)
    if (step === null) return steps
    steps.push(step)
  }
}

async function interfered(store: StoreName, at: number, interfere: Interference): Promise<Step | null> {
  let ref: string | null = null
  let passed = 0
  let isInterfering = false
  let isTaken: boolean | null = null
  let isBeforeCall = false
  const questions: { at: number; act: Act }[] = []
  const denied = new Set<Act>()
  // A step is a call of the store or of the host; what the interference itself does is none.
  const step = async (): Promise<void> => {
    if (ref === null || isInterfering) return
    passed += 1
    if (passed !== at) return
    isInterfering = true
    isBeforeCall = world.action.calls.execute === 0
    isTaken = await interfere(world, ref, (act) => denied.add(act))
    isInterfering = false
  }
  const around: Around = async (_name, call) => {
    await step()
    return call()
  }
  const world = await openWorld({ store, around })
  const { proposal } = await world.approvedProposal()
  const { can, resolve } = world.action.methods
  world.action.methods.can = async (act, caller, view) => {
    await step()
    if (!isInterfering) questions.push({ at: passed, act })
    return !denied.has(act) && can(act, caller, view)
  }
  world.action.methods.resolve = async (input) => {
    await step()
    return resolve(input)
  }
  ref = proposal
  await world.runtime.execute(requester, proposal).catch(() => null)
  ref = null
  await world.clock.advance(0)
  const { status } = (await world.stored(proposal)).proposal
  const { calls, business } = world.action
  if (isTaken === null) return null
  return { at, isTaken, calls: calls.execute, booked: business.booked.length, status, isBeforeCall, questions }
}

function said({ outcome }: OperationResult, wanted: string): boolean {
  return outcome === wanted
}

async function never(): Promise<boolean> {
  throw new Error('nothing is known by that name')
}
