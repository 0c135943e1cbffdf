// Races around an execution: in every order in which store and host are reached there is one call, and everybody is told the truth.
import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { DefinitiveFailure, type Executed, NotSent } from '../../src/proposal/action.ts'
import type { OperationResult } from '../../src/runtime/result.ts'
import { type ExecutionWorld, frozenRuntime, openExecution, underWay } from './execution-world.ts'
import type { InvariantName } from './invariants.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { EVERY_STORE, type StoreName } from '../store/fresh-stores.ts'
import type { Refund } from './refund.ts'
import { finance1, finance2, requester, service, session } from './sessions.ts'

/** More interleavings in memory; some on the file and on the server, where every commit is waited for. */
const runs = { memory: 80, sqlite: 12, postgres: 6 } as const
const INTENT = 'the one that is raced for'

interface Track {
  readonly world: ExecutionWorld
  /** Runs the operations at once; every call of the store and of the host waits for its turn. */
  readonly race: (...operations: readonly (() => Promise<OperationResult>)[]) => Promise<readonly string[]>
}

async function openTrack(
  scheduler: fc.Scheduler,
  store: StoreName,
  except: readonly InvariantName[] = [],
): Promise<Track> {
  let isRacing = false
  const turn = async (): Promise<void> => {
    if (isRacing) await scheduler.schedule(Promise.resolve())
  }
  const around: Around = async (_name, call) => {
    await turn()
    const answer = await call()
    await turn()
    return answer
  }
  const world = await openExecution({ store, around, except, contract: { lifetime: '1d' } })
  const { can, resolve, execute, verify } = world.action.methods
  world.action.methods.can = async (...about) => {
    await turn()
    return can(...about)
  }
  world.action.methods.resolve = async (input) => {
    await turn()
    return resolve(input)
  }
  world.action.methods.execute = async (input) => {
    await turn()
    const answer = await execute(input)
    await turn()
    return answer
  }
  world.action.methods.verify = async (input) => {
    await turn()
    return verify(input)
  }
  return {
    world,
    async race(...operations) {
      isRacing = true
      const answers = await scheduler.waitFor(Promise.all(operations.map(async (run) => run())))
      isRacing = false
      return answers.map(({ outcome }) => outcome)
    },
  }
}

describe.each(EVERY_STORE)('a race on %s', (store) => {
  const numRuns = runs[store]

  test.prop([fc.scheduler()], { numRuns })(
    'execute ∥ execute ∥ execute of one proposal: one call, and the others are told that it is under way',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const proposal = await world.approved(INTENT)
      const other = await world.open()

      const told = await race(
        () => world.runtime.execute(requester, proposal),
        () => world.runtime.execute(service, proposal),
        () => other.execute(requester, proposal),
      )

      expect(world.log.executed).toHaveLength(1)
      expect(world.action.business.booked).toHaveLength(1)
      expect(told).toContain('verification_pending')
      for (const outcome of told) expect(['verification_pending', 'in_progress']).toContain(outcome)
      expect(await world.receipts(proposal)).toEqual([
        'proposal.prepared',
        'approval.approved',
        'execution.started',
        'execution.accepted',
      ])
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'execute ∥ execute of two proposals of one effect: one owns it, the other is told whose it is',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const [first, second] = [await world.approved(INTENT), await world.approved(INTENT)]
      const other = await world.open()

      const told = await race(
        () => world.runtime.execute(requester, first),
        () => other.execute(requester, second),
      )

      expect(world.log.executed).toHaveLength(1)
      expect(told.toSorted()).toEqual(['replayed', 'verification_pending'])
      expect((await world.effect(first)).attempts).toHaveLength(1)
      const statuses = await Promise.all([first, second].map(async (ref) => (await world.stored(ref)).proposal.status))
      expect(statuses.toSorted()).toEqual(['approved', 'verification_pending'])
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'execute ∥ execute with another command: one owns it, and the other is never told that it was done',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const amount = { amount: { amount: '50.00', currency: 'EUR' } }
      const [first, second] = [await world.approved(INTENT), await world.approved(INTENT, amount)]

      const told = await race(
        () => world.execute(first),
        () => world.execute(second),
      )

      expect(world.log.executed).toHaveLength(1)
      expect(told.toSorted()).toEqual(['conflict', 'verification_pending'])
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'execute ∥ execute of two proposals that both look again: one call more, rules R1 and R2',
    async (scheduler) => {
      // Each must read after its own resolution, so here two reads may overlap.
      const { world, race } = await openTrack(scheduler, store, ['I17'])
      const { execute } = world.action.methods
      world.action.methods.execute = () => Promise.reject(new NotSent('pool_exhausted'))
      const first = await world.approved(INTENT)
      await world.execute(first)
      world.action.methods.execute = execute
      const second = await world.approved(INTENT)

      const told = await race(
        () => world.execute(first),
        () => world.execute(second),
      )

      expect(world.log.executed).toHaveLength(2)
      expect(world.action.business.booked).toHaveLength(1)
      // The other one's look may find what was just done, and then that is known at once.
      const done = told.filter((outcome) => outcome === 'verification_pending' || outcome === 'verified')
      expect(done.length).toBeGreaterThan(0)
      expect((await world.effect(first)).attempts.map(({ ending }) => ending?.kind)).toEqual(['not_sent', 'accepted'])
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'withdraw ∥ execute: either withdrawn and not called, or called and not withdrawn',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const proposal = await world.approved(INTENT)

      const [withdrawn, executed] = await race(
        () => world.runtime.withdraw(requester, proposal),
        () => world.execute(proposal),
      )

      const isCalled = world.log.executed.length === 1
      expect(executed).toBe(isCalled ? 'verification_pending' : 'withdrawn')
      expect(withdrawn === 'withdrawn').toBe(!isCalled)
      expect((await world.stored(proposal)).proposal.status).toBe(isCalled ? 'verification_pending' : 'withdrawn')
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'reject ∥ execute: either rejected and not called, or called and not rejected',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const proposal = await world.approved(INTENT)
      const { commitment } = (await world.stored(proposal)).proposal

      const [rejected, executed] = await race(
        () => world.runtime.reject(finance2, proposal, { commitment }),
        () => world.execute(proposal),
      )

      const isCalled = world.log.executed.length === 1
      expect(executed).toBe(isCalled ? 'verification_pending' : 'rejected')
      expect(rejected === 'rejected').toBe(!isCalled)
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'revoke ∥ execute: what is taken back before the admission is not executed on, threat T12',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const proposal = await world.approved(INTENT)
      const [approval] = (await world.stored(proposal)).approvals

      const [revoked, executed] = await race(
        () => world.runtime.revokeApproval(finance1, proposal, approval?.approvalId ?? ''),
        () => world.execute(proposal),
      )

      const isCalled = world.log.executed.length === 1
      expect(executed).toBe(isCalled ? 'verification_pending' : 'approval_pending')
      expect(revoked === 'revoked').toBe(!isCalled)
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'approve ∥ execute: another approval neither stops the call nor makes a second one',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const proposal = await world.approved(INTENT)
      const { commitment } = (await world.stored(proposal)).proposal
      const third = session('user:fred', ['finance-manager'])

      const told = await race(
        () => world.runtime.approve(finance2, proposal, { commitment }),
        () => world.execute(proposal),
        () => world.runtime.approve(third, proposal, { commitment }),
      )

      expect(world.log.executed).toHaveLength(1)
      expect(told[1]).toBe('verification_pending')
    },
  )

  test.prop([fc.scheduler()], { numRuns })(
    'reconcile ∥ reconcile ∥ execute: one read, and nothing is called again, invariant I17',
    async (scheduler) => {
      const { world, race } = await openTrack(scheduler, store)
      const proposal = await world.approved(INTENT)
      await world.execute(proposal)
      await world.clock.advance(60_000)
      const other = await world.open()

      const told = await race(
        () => world.reconcile(proposal),
        () => other.reconcile(service, proposal),
        () => world.execute(proposal),
      )

      expect([world.log.executed.length, world.log.verified.length]).toEqual([1, 1])
      expect(told.some((outcome) => outcome === 'verified')).toBe(true)
      expect((await world.stored(proposal)).proposal.status).toBe('verified')
    },
  )

  const words: readonly { readonly word: string; readonly say: () => Promise<Executed<Refund>> }[] = [
    { word: 'accepted', say: async () => ({ status: 'accepted', externalReference: 'rf-1' }) },
    { word: 'DefinitiveFailure', say: () => Promise.reject(new DefinitiveFailure('cancelled')) },
    { word: 'NotSent', say: () => Promise.reject(new NotSent('connection_refused')) },
    { word: 'an error', say: () => Promise.reject(new Error('connection reset')) },
  ]

  test.prop([fc.scheduler(), fc.constantFrom(...words)], { numRuns })(
    'reconcile ∥ the word of a worker whose lease is over: both are kept, and neither undoes the other',
    async (scheduler, { word, say }) => {
      const { world, race } = await openTrack(scheduler, store)
      const proposal = await world.approved(INTENT)
      const { execute } = world.action.methods
      const zombie = await frozenRuntime(world)
      const { promise, resolve } = Promise.withResolvers<void>()
      world.action.methods.execute = async (call) => {
        // It was sent, and landed, whatever the worker says.
        await execute(call)
        await promise
        return say()
      }
      const answer = zombie.runtime.execute(requester, proposal)
      await underWay(world, answer)
      await world.clock.advance(60_000)
      zombie.thaw()

      await race(
        () => world.reconcile(proposal),
        async () => {
          resolve()
          return answer
        },
      )
      await world.clock.advance(300_000)
      await world.reconcile(proposal)

      const { attempts, observations } = await world.effect(proposal)
      const { status } = (await world.stored(proposal)).proposal
      const heard = new Set<string | undefined>([attempts[0]?.ending?.kind, ...observations.map((one) => one.source)])
      expect(world.log.executed).toHaveLength(1)
      // The word either ended the attempt (too late to be believed) or was kept beside the lapse.
      expect(attempts[0]?.ending?.evidence).toBe('UNKNOWN')
      expect(heard.has('lease_lapsed') === heard.has('executor')).toBe(true)
      expect([status, word]).toEqual(['verified', word])
    },
  )
})
