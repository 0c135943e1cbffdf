// Cases C: commands that come twice, late or from two sides. Every one of them is answered, and one effect comes out.
import { describe, expect, it } from 'vitest'
import type { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import { answering, type ExecutionWorld, hanging, openExecution, says } from '../runtime/execution-world.ts'
import { answerOf, MINUTE_MS } from '../runtime/harness.ts'
import { refund } from '../runtime/refund.ts'
import { finance1, finance2, operator, reader, requester, service, session } from '../runtime/sessions.ts'
import { lookWhenDue, standing } from './steps.ts'

const DAY_MS = 24 * 60 * MINUTE_MS

/** Somebody else's process on the same file: another connection, another runtime. */
async function otherProcess(world: ExecutionWorld): Promise<ProposalRuntime> {
  if (world.path === null) throw new Error('only a file is seen by other processes')
  return world.open({ store: await sqliteStore(world.path, { clock: world.clock }) })
}

it('case C032 what prepares is called once for every preparation, and never again for a decision, a restart or an execution', async () => {
  const world = await openExecution({ store: 'sqlite' })
  const input = world.input({ intent: 'draft' })
  const first = await world.prepared(requester, input)
  const second = await world.prepared(requester, { ...input, replaces: first.proposal })
  const third = await world.prepared(requester, { ...input, replaces: second.proposal })
  await world.runtime.approve(finance1, third.proposal, { commitment: third.commitment })

  const restarted = await otherProcess(world)
  await restarted.execute(requester, third.proposal)
  for (const { proposal } of [first, second])
    expect(await answerOf(restarted.execute(requester, proposal))).toMatch(/withdrawn|superseded/)

  expect(world.action.calls).toMatchObject({ prepare: 3, execute: 1 })
  expect(world.action.business.booked).toHaveLength(1)
})

it('case C035 while the call is under way the screen says so, and a second approval and execution change nothing', async () => {
  const world = await openExecution({ store: 'sqlite' })
  const ref = await world.approved('refund')
  const { commitment } = (await world.stored(ref)).proposal
  world.action.methods.execute = hanging()
  world.execute(ref).catch(() => null)
  await world.clock.advance(1_000)

  const other = await otherProcess(world)
  expect(await other.read(finance2, ref)).toMatchObject({ status: 'executing' })
  expect(await answerOf(other.approve(finance2, ref, { commitment }))).toBe('in_progress')
  expect(await answerOf(other.execute(service, ref))).toBe('in_progress')

  expect((await world.stored(ref)).approvals).toHaveLength(1)
  expect(world.action.calls.execute).toBe(1)
})

it('case C037 one approves and one rejects at the same moment: one decision stands, and only it', async () => {
  const world = await openExecution({ store: 'sqlite' })
  const other = await otherProcess(world)

  for (let round = 0; round < 40; round += 1) {
    const { proposal, commitment } = await world.prepared()
    const decisions = [
      async () => world.runtime.approve(finance1, proposal, { commitment }),
      async () => other.reject(finance2, proposal, { commitment }),
    ]
    await Promise.all((round % 2 === 0 ? decisions : decisions.toReversed()).map(async (decide) => decide()))

    const { status } = (await world.stored(proposal)).proposal
    const executed = await answerOf(world.execute(proposal))
    expect(['approved', 'rejected']).toContain(status)
    expect(executed).toBe(status === 'rejected' ? 'rejected' : 'verification_pending')
    if (status === 'approved') await lookWhenDue(world, proposal)
  }
})

describe('case C040: after the deploy the first click is swallowed, or counts twice', () => {
  it('case C040 the first approval after a restart counts, and the second is told that it stands', async () => {
    const world = await openExecution({ store: 'sqlite' })
    const { proposal, commitment } = await world.prepared()

    const restarted = await otherProcess(world)

    expect(await answerOf(restarted.approve(finance1, proposal, { commitment }))).toBe('approved')
    expect(await answerOf(restarted.approve(finance1, proposal, { commitment }))).toBe('replayed')
    expect((await world.stored(proposal)).approvals).toHaveLength(1)
  })

  it('case C040 after a kill in the middle of a call nothing is sent, twice', async () => {
    const world = await openExecution({ store: 'sqlite' })
    const ref = await world.approved('refund')
    world.action.methods.execute = hanging()
    world.action.methods.verify = answering(says.absent)
    world.execute(ref).catch(() => null)
    await world.clock.advance(0)

    const restarted = await otherProcess(world)
    const inLease = [await restarted.execute(requester, ref), await restarted.execute(requester, ref)]
    await world.clock.advance(2 * MINUTE_MS)
    await restarted.reconcile(service, ref)
    const after = [await restarted.execute(requester, ref), await restarted.execute(requester, ref)]

    expect(inLease.map(({ outcome }) => outcome)).toEqual(['in_progress', 'in_progress'])
    expect(after.map(standing)).toEqual(['in doubt', 'in doubt'])
    expect(world.action.calls.execute).toBe(1)
  })
})

it('case C041 nothing that only looks writes at the provider or calls the executor', async () => {
  const world = await openExecution({
    store: 'memory',
    contract: { permissions: { ...refund.permissions, evidence: 'auditor' } },
  })
  world.action.methods.execute = async () => {
    throw new Error('a dry run must not come here')
  }
  const ref = await world.approved('refund')

  await world.prepared()
  await world.runtime.check(finance1, ref)
  await world.runtime.read(reader, ref)
  await world.runtime.list(reader)
  await world.runtime.receipts(reader, ref)
  await world.runtime.exportEvidence(reader, ref)
  await world.reconcile(ref)
  await world.runtime.reconcile(operator, ref, { now: true })

  expect(world.action.calls.execute).toBe(0)
  expect(world.action.business.booked).toEqual([])
  expect((await world.stored(ref)).proposal).toMatchObject({ status: 'approved' })
})

describe('case C043: the command got through, the answer did not; the client asks again', () => {
  const privacy = session('user:paula', ['privacy-officer', 'auditor'])

  it('case C043 a repeated preparation is the first proposal, whatever has become of it', async () => {
    const world = await openExecution({ store: 'memory', contract: { lifetime: '1d' } })
    const input = { ...world.input(), requestKey: 'request-1' }
    const { proposal, commitment } = await world.runtime.prepare(requester, input)
    const repeated = async (): Promise<string> => {
      const again = await world.runtime.prepare(requester, input)
      expect([again.outcome, again.proposal]).toEqual(['replayed', proposal])
      return again.status
    }

    expect(await repeated()).toBe('awaiting_approval')
    await world.runtime.approve(finance1, proposal, { commitment })
    await world.execute(proposal)
    await lookWhenDue(world, proposal)
    expect(await repeated()).toBe('verified')
    await world.clock.advance(40 * DAY_MS)
    expect(await repeated()).toBe('verified')
    expect(world.action.calls).toMatchObject({ prepare: 1, execute: 1 })
  })

  it('case C043 after expiry it is the expired one, and after erasure there is no new one either', async () => {
    const world = await openExecution({ store: 'memory' })
    const input = { ...world.input(), requestKey: 'request-1' }
    const { proposal } = await world.runtime.prepare(requester, input)
    await world.clock.advance(11 * MINUTE_MS)
    await world.execute(proposal)

    expect(await world.runtime.prepare(requester, input)).toMatchObject({ outcome: 'replayed', status: 'expired' })

    await world.runtime.erase(privacy, proposal, { reason: 'customer_request' })
    // Whatever is said of what is erased: nothing is prepared under a key that was used.
    expect(await answerOf(world.runtime.prepare(requester, input))).toMatch(/^(?:replayed|not_found)/)
    expect(world.action.calls.prepare).toBe(1)
  })

  it('case C043 a repeated decision or execution is told how it stands, and another person a conflict', async () => {
    const world = await openExecution({ store: 'memory' })
    const { proposal, commitment } = await world.prepared()
    const approve = async (): Promise<string> => answerOf(world.runtime.approve(finance1, proposal, { commitment }))

    expect([await approve(), await approve()]).toEqual(['approved', 'replayed'])
    expect(await answerOf(world.execute(proposal))).toBe('verification_pending')
    expect(await answerOf(world.execute(proposal))).toBe('verification_pending')
    await lookWhenDue(world, proposal)
    expect([await approve(), await answerOf(world.execute(proposal))]).toEqual(['verified', 'verified'])
    expect((await world.stored(proposal)).approvals).toHaveLength(1)

    const second = await world.prepared()
    const reject = async (by: typeof finance1): Promise<string> => {
      return answerOf(world.runtime.reject(by, second.proposal, { commitment: second.commitment }))
    }
    expect([await reject(finance1), await reject(finance1)]).toEqual(['rejected', 'rejected'])
    expect(await answerOf(world.runtime.approve(finance2, second.proposal, { commitment: second.commitment }))).toBe(
      'rejected',
    )
  })
})
