// A wall clock that jumps: until what was under way is settled nothing is admitted, given up or closed by it; trace S6.
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/effect/limits.ts'
import {
  answering,
  type ExecutionOptions,
  type ExecutionWorld,
  frozenRuntime,
  hanging,
  openExecution,
  opensAttempt,
  resendAfter,
  says,
  underWay,
} from './execution-world.ts'
import type { StoreName } from '../store/fresh-stores.ts'
import { answerOf, HOUR_MS, MINUTE_MS, STORES } from './harness.ts'
import { requester, service } from './sessions.ts'

const IN_FLIGHT_MS = 60_000
/** A lease and the time in flight, of monotonic time. */
const SETTLED_MS = 120_000
const YEARS_MS = 10 * 366 * 24 * HOUR_MS

/** By a clock that is set back, a state is resolved before the approval that came before it. */
const setBack = { except: ['I7'] } as const

const jumps = [
  { jump: 'an hour on', ms: HOUR_MS },
  { jump: 'an hour back', ms: -HOUR_MS },
] as const

function jump(world: ExecutionWorld, ms: number): void {
  world.clock.setWall(world.clock.now() + ms)
}

async function openLong(store: StoreName, options: Partial<ExecutionOptions> = {}): Promise<ExecutionWorld> {
  return openExecution({ store, contract: { lifetime: '1d' }, ...options })
}

/** A proposal whose worker stands still in the middle of its call. */
async function openUnderWay(store: StoreName) {
  const world = await openLong(store)
  const proposal = await world.approved('the one under way')
  const frozen = await frozenRuntime(world)
  const { execute } = world.action.methods
  world.action.methods.execute = hanging()
  await underWay(world, frozen.runtime.execute(requester, proposal))
  world.action.methods.execute = execute
  expect((await world.stored(proposal)).proposal.status).toBe('executing')
  return { world, proposal }
}

/** A proposal whose call was answered by nobody. */
async function openInDoubt(store: StoreName, contract: ExecutionOptions['contract']) {
  const world = await openLong(store, { contract: { lifetime: '1d', ...contract } })
  const proposal = await world.approved('the one in doubt')
  world.action.methods.execute = () => Promise.reject(new Error('connection reset'))
  await world.execute(proposal)
  return { world, proposal }
}

describe.each(STORES)('trace S6: a jump of the wall clock, on %s', (store) => {
  it('trace S6: ends no lease, whatever the wall clock says', async () => {
    const { world, proposal } = await openUnderWay(store)
    const before = await world.effect(proposal)
    jump(world, HOUR_MS)

    // The clock of the store is not known to have jumped as well: by it the lease is not over.
    expect(await answerOf(world.reconcile(proposal))).toBe('in_progress')
    await world.clock.advance(SETTLED_MS - 1)
    expect(await answerOf(world.reconcile(proposal))).toBe('in_progress clock_unsettled')
    expect(await world.effect(proposal)).toEqual(before)
    await world.clock.advance(1)

    expect((await world.reconcile(proposal)).status).toBe('verification_pending')
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({ kind: 'lease_lapsed' })
  })

  it.each([
    { answer: 'an absence', say: says.gone('terminal') },
    { answer: 'a refusal', say: says.refused(1) },
  ])('trace S6: makes nothing of $answer, which spends nothing and counts when it is said again', async ({ say }) => {
    const { world, proposal } = await openInDoubt(store, {})
    world.action.methods.verify = answering(say)
    jump(world, HOUR_MS)

    expect((await world.reconcile(proposal)).status).toBe('verification_pending')
    const { observations, absencesSpent, unavailablesSpent } = await world.effect(proposal)
    expect(observations).toMatchObject([{ verdict: 'UNKNOWN', reason: 'clock_unsettled' }])
    expect([absencesSpent, unavailablesSpent]).toEqual([0, 0])
    await world.clock.advance(SETTLED_MS)

    expect((await world.reconcile(proposal)).status).toBe('failed_known')
  })

  it('trace S6: is no first half of a proof that needs two reads', async () => {
    const { world, proposal } = await openInDoubt(store, resendAfter('settled'))
    world.action.methods.verify = answering(says.gone('settled'))
    jump(world, HOUR_MS)
    await world.reconcile(proposal)
    await world.clock.advance(SETTLED_MS)

    const first = await world.reconcile(proposal)
    await world.clock.advance(IN_FLIGHT_MS)
    const second = await world.reconcile(proposal)

    expect([first.status, second.status]).toEqual(['verification_pending', 'approved'])
    expect(second.outcome).toBe('resend_allowed')
  })

  it('trace S6: keeps nothing from being verified', async () => {
    const { world, proposal } = await openInDoubt(store, {})
    world.action.methods.verify = answering(says.done)
    jump(world, HOUR_MS)

    expect((await world.reconcile(proposal)).status).toBe('verified')
  })

  it.each(jumps)('trace S6: $jump admits nothing, asks the host nothing, and says so once', async ({ ms }) => {
    const world = await openLong(store, setBack)
    const proposal = await world.approved('the one that waits')
    jump(world, ms)

    expect(await answerOf(world.execute(proposal))).toBe('blocked clock_unsettled')
    await world.clock.advance(SETTLED_MS - 1)
    expect(await answerOf(world.execute(proposal))).toBe('blocked clock_unsettled')
    expect(await world.receipts(proposal)).toEqual(['proposal.prepared', 'approval.approved', 'execution.blocked'])
    expect(world.action.calls.resolve).toBe(0)
    await world.clock.advance(1)

    expect((await world.execute(proposal)).status).toBe('verification_pending')
    expect(world.action.calls.execute).toBe(1)
  })

  it.each([
    { steps: [limits.clockJumpMs], answer: 'verification_pending' },
    { steps: [-limits.clockJumpMs], answer: 'verification_pending' },
    { steps: [limits.clockJumpMs + 1], answer: 'blocked clock_unsettled' },
    { steps: [-limits.clockJumpMs - 1], answer: 'blocked clock_unsettled' },
    { steps: [3_000, 3_000], answer: 'blocked clock_unsettled' },
    { steps: [3_000, -3_000, 3_000], answer: 'verification_pending' },
  ])('trace S6: steps of $steps ms are $answer', async ({ steps, answer }) => {
    const world = await openLong(store, setBack)
    const proposal = await world.approved('the one of the steps')
    for (const ms of steps) {
      jump(world, ms)
      await world.runtime.read(requester, proposal)
    }

    expect(await answerOf(world.execute(proposal))).toBe(answer)
  })

  it('trace S6: while the host resolves, it is seen before the admission', async () => {
    const world = await openLong(store)
    const proposal = await world.approved('the one that is resolved')
    const { resolve } = world.action.methods
    world.action.methods.resolve = async (input) => {
      jump(world, MINUTE_MS)
      return resolve(input)
    }

    expect(await answerOf(world.execute(proposal))).toBe('blocked clock_unsettled')
    expect(await world.bareStore.effect((await world.stored(proposal)).proposal.effect)).toBeNull()
  })

  it('trace S6: while it is admitted, it is seen before the call', async () => {
    let isTime = false
    const world = await openLong(store, {
      around: async (_name, call, change) => {
        const answer = await call()
        if (isTime && opensAttempt(change)) jump(world, 10_000)
        return answer
      },
    })
    const proposal = await world.approved('the one that is admitted')
    isTime = true

    expect((await world.execute(proposal)).status).toBe('approved')
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({
      kind: 'not_sent',
      reason: 'clock_unsettled',
    })
    expect(world.action.calls.execute).toBe(0)
  })

  it('trace S6: of ten years closes nothing that nobody touched, until the clock is believed', async () => {
    const world = await openLong(store)
    const proposal = await world.approved('the one with a day to live')
    jump(world, YEARS_MS)

    expect(await world.runtime.expireDue(service)).toEqual({ expired: [] })
    await world.clock.advance(SETTLED_MS - 1)
    expect(await world.runtime.expireDue(service)).toEqual({ expired: [] })
    await world.clock.advance(1)

    expect(await world.runtime.expireDue(service)).toEqual({ expired: [proposal] })
  })

  it('trace S6: that is put right again has closed nothing', async () => {
    const world = await openLong(store)
    const proposal = await world.approved('the one that lives on')
    jump(world, YEARS_MS)
    await world.runtime.expireDue(service)
    jump(world, -YEARS_MS)
    await world.clock.advance(SETTLED_MS)

    // The second jump is noticed by this look, and counts from here.
    expect(await world.runtime.expireDue(service)).toEqual({ expired: [] })
    await world.clock.advance(SETTLED_MS)

    expect(await world.runtime.expireDue(service)).toEqual({ expired: [] })
    expect((await world.execute(proposal)).status).toBe('verification_pending')
  })

  it('trace S6: that is not noticed is none, and that was noticed is logged, by how far it went', async () => {
    const warned: object[] = []
    const quiet = { info() {}, error() {}, warn: (fields: object) => void warned.push(fields) }
    const world = await openLong(store, { logger: quiet })
    const proposal = await world.approved('the one that is logged')

    await world.clock.advance(YEARS_MS)
    await world.execute(proposal)
    expect(warned).toEqual([])
    jump(world, -HOUR_MS)
    await world.execute(proposal)

    expect(warned).toEqual([{ byMs: -HOUR_MS }])
  })
})
