// Settling: the end of a call is stored once, whatever the store does meanwhile, and nothing is ever called again for it.
import { describe, expect, it } from 'vitest'
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../../src/proposal/errors.ts'
import type { Executed } from '../../src/proposal/action.ts'
import { endsAttempt, frozenRuntime, openExecution, touch } from './execution-world.ts'
import { answerOf, refused, START, STORES } from './harness.ts'
import type { CommitFault } from '../../src/testing/commit-faults.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import type { Refund } from './refund.ts'
import { requester, service } from './sessions.ts'

const LEASE_MS = 60_000
/** The admission is the first change of an execution, and the end of its call the second one. */
const SETTLING = 2

describe.each(STORES)('the end of a call on %s', (store) => {
  it.each<{ faults: readonly CommitFault[] }>([
    { faults: ['refused'] },
    { faults: ['lost'] },
    { faults: ['lost_before'] },
    { faults: ['refused', 'refused'] },
    { faults: ['lost', 'lost_before'] },
  ])('is offered again after $faults, and lands once', async ({ faults }) => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one whose store hesitates')
    for (const [index, fault] of faults.entries()) world.faults.at(SETTLING + index, fault)

    const answer = await world.execute(proposal)

    const offered = world.faults.changes.slice(-1 - faults.length)
    expect(answer.outcome).toBe('verification_pending')
    expect(new Set(offered.map(({ changeId }) => changeId)).size).toBe(1)
    expect((await world.receipts(proposal)).slice(2)).toEqual(['execution.started', 'execution.accepted'])
    expect(world.action.calls.execute).toBe(1)
  })

  it.each<{ fault: CommitFault; status: string }>([
    { fault: 'refused', status: 'executing' },
    { fault: 'lost_before', status: 'executing' },
    { fault: 'lost', status: 'verification_pending' },
  ])('that stays $fault is told with what was seen, repeats nothing, and is found out by reading', async (row) => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one whose store is gone')
    for (const nth of [0, 1, 2]) world.faults.at(SETTLING + nth, row.fault)

    const error = await refused(world.execute(proposal))

    expect(error).toBeInstanceOf(PersistenceOutcomeUnknown)
    expect(error).toMatchObject({
      code: 'persistence_outcome_unknown',
      observed: { attempt: 1, ending: 'accepted' },
    })
    expect((await world.stored(proposal)).proposal.status).toBe(row.status)
    await answerOf(world.execute(proposal))
    await world.clock.advance(LEASE_MS)
    expect((await world.reconcile(proposal)).status).toBe('verified')
    expect([world.action.calls.execute, world.action.business.booked.length]).toEqual([1, 1])
  })

  it.each<{ read: 'effect' | 'proposal'; fails: number; told: string }>([
    { read: 'effect', fails: 2, told: 'verification_pending' },
    { read: 'proposal', fails: 2, told: 'verification_pending' },
    { read: 'effect', fails: 99, told: 'persistence_outcome_unknown' },
    { read: 'proposal', fails: 99, told: 'persistence_outcome_unknown' },
  ])('is $told where reading the $read fails $fails times', async ({ read, fails, told }) => {
    let left = 0
    const around: Around = async (name, call) => {
      if (name !== read || left === 0) return call()
      left -= 1
      throw new StoreUnavailable('The disk is slow.')
    }
    const world = await openExecution({ store, around })
    const proposal = await world.approved('the one that cannot be read')
    const { execute } = world.action.methods
    world.action.methods.execute = async (call) => {
      left = fails
      return execute(call)
    }

    const answer = await answerOf(world.execute(proposal))

    left = 0
    expect(answer).toBe(told)
    expect(world.action.calls.execute).toBe(1)
  })

  it('that is stored and cannot be read back is not told as if nothing had happened', async () => {
    let isSettled = false
    const around: Around = async (name, call, change) => {
      if (isSettled && name === 'proposal') throw new StoreUnavailable('The disk is slow.')
      const answer = await call()
      if (endsAttempt(change)) isSettled = true
      return answer
    }
    const world = await openExecution({ store, around })
    const proposal = await world.approved('the one that is not read back')

    const error = await refused(world.execute(proposal))

    isSettled = false
    expect(error).toMatchObject({ code: 'persistence_outcome_unknown', observed: { attempt: 1, ending: 'accepted' } })
    expect((await world.stored(proposal)).proposal.status).toBe('verification_pending')
  })

  it('carries no result and no text of the host in what is told', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one with a secret')
    world.action.methods.execute = () => Promise.reject(new Error('card 4111 of Carla'))
    for (const nth of [0, 1, 2]) world.faults.at(SETTLING + nth, 'refused')

    const error = await refused(world.execute(proposal))

    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('4111')
    expect(error).toMatchObject({ observed: { attempt: 1, ending: 'failed_unknown' } })
  })

  it('is stored whole: attempt, receipt, status and when it is looked into', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one that is settled')

    await world.execute(proposal)

    const change = world.faults.changes.at(-1)
    const [attempt] = (await world.effect(proposal)).attempts
    expect(change).toMatchObject({
      effect: {
        ended: { number: 1, token: attempt?.token, ending: { kind: 'accepted' } },
        row: { verifyDueAt: START + 5_000, epoch: 1 },
      },
      proposals: [{ kind: 'update', proposal: { status: 'verification_pending', attempt: 1 } }],
      receipts: [{ body: { type: 'execution.accepted', attempt: 1, externalReference: 'rf-1' } }],
      events: [{ type: 'proposal.in_doubt', status: 'verification_pending' }],
    })
  })

  it('is looked into first by the runtime that made the call, and by another one if that does not', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one that is looked into')
    const other = await world.open()
    await world.execute(proposal)
    await world.clock.advance(5_000)

    expect((await other.reconcile(service, proposal)).outcome).toBe('verification_pending')
    expect(world.action.calls.verify).toBe(0)
    await world.clock.advance(5_000)
    expect((await other.reconcile(service, proposal)).outcome).toBe('verified')
  })

  it('rule R3: is stored at once while its proposal keeps changing, and the status follows', async () => {
    let touches = 0
    const world = await openExecution({
      store,
      around: async (_name, call, change) => {
        const isStatus = change !== null && change.proposals.some(({ kind }) => kind === 'update')
        if (isStatus && isCalled && touches < 20) {
          touches += 1
          await touch(world, proposal)
        }
        const answer = await call()
        // What ended the call is on record before the status could follow.
        if (isStatus && touches > 1)
          endedEarly = (await world.effect(proposal)).attempts[0]?.ending?.kind === 'accepted'
        return answer
      },
    })
    let isCalled = false
    let endedEarly = false
    const proposal = await world.approved('the one that everybody touches')
    const { execute } = world.action.methods
    world.action.methods.execute = async (call) => {
      isCalled = true
      return execute(call)
    }

    const answer = await world.execute(proposal)

    expect([answer.status, touches, endedEarly]).toEqual(['verification_pending', 20, true])
    expect((await world.effect(proposal)).attempts).toHaveLength(1)
  })

  it('rule R3: is never lost to a proposal that never stops changing', async () => {
    let isCalled = false
    const world = await openExecution({
      store: 'memory',
      around: async (_name, call, change) => {
        if (isCalled && change !== null && change.proposals.length > 0) await touch(world, proposal)
        return call()
      },
    })
    const proposal = await world.approved('the one that is never still')
    world.action.methods.execute = async () => {
      isCalled = true
      return { status: 'failed_known', reason: 'card_expired' }
    }

    expect(await answerOf(world.execute(proposal))).toBe('persistence_outcome_unknown')
    isCalled = false
    expect((await world.effect(proposal)).attempts[0]?.ending).toMatchObject({ evidence: 'FAILED' })
    // Whoever looks next brings the status after it.
    await world.reconcile(proposal)
    expect((await world.stored(proposal)).proposal.status).toBe('failed_known')
  })

  it('whose lease somebody else ended is late, and answers what the proposal is by then', async () => {
    const world = await openExecution({ store })
    const proposal = await world.approved('the one that was given up')
    const frozen = await frozenRuntime(world)
    const { promise, resolve } = Promise.withResolvers<Executed<Refund>>()
    const { execute } = world.action.methods
    world.action.methods.execute = async (call) => {
      await execute(call)
      return promise
    }
    const answer = frozen.runtime.execute(requester, proposal)
    await world.clock.advance(LEASE_MS)
    expect((await world.reconcile(proposal)).status).toBe('verified')

    resolve({ status: 'accepted', externalReference: 'rf-1' })

    expect(await answerOf(answer)).toBe('verified')
    expect((await world.receipts(proposal)).at(-1)).toBe('execution.late')
  })
})
