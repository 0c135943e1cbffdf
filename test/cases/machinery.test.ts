// Cases H: machinery failures. A lease protects the store and not the world; what is in doubt has less power, never more.
import { describe, expect, it } from 'vitest'
import { answering, approved, hanging, openExecution, says } from '../runtime/execution-world.ts'
import { answerOf, LIFETIME_MS, MINUTE_MS, openWorld, refused, STORES } from '../runtime/harness.ts'
import { type Around, InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { finance1, requester, service } from '../runtime/sessions.ts'
import { withoutGuards } from '../store/sqlite-fixture.ts'
import { lookWhenDue, SECOND_MS, standing } from './steps.ts'

describe.each(STORES)('case C111 on %s: the call outlives the lease', (store) => {
  it('case C111 another worker looks and never sends, and the late success is evidence', async () => {
    const world = await openExecution({ store, contract: { executeTimeout: '1s' } })
    const ref = await world.approved('payout')
    const { execute } = world.action.methods
    const answer = Promise.withResolvers<null>()
    world.action.methods.execute = async (input) => {
      await answer.promise
      return execute(input)
    }
    const first = world.execute(ref)
    await world.clock.advance(0)
    const other = await world.open()

    await world.clock.advance(31 * SECOND_MS)
    expect((await first).status).toBe('failed_unknown')
    expect(standing(await other.reconcile(service, ref))).toBe('in doubt')
    expect(standing(await other.execute(requester, ref))).toBe('in doubt')
    answer.resolve(null)
    await world.clock.advance(5 * SECOND_MS)

    const late = await lookWhenDue(world, ref)
    expect(late.status).toBe('verified')
    expect(world.action.calls.execute).toBe(1)
    expect(world.action.business.booked).toHaveLength(1)
    expect(await world.receipts(ref)).toContain('execution.late')
  })
})

describe.each(STORES)('case C115 on %s: COMMIT sent, connection lost', (store) => {
  /** Every COMMIT lands and loses its connection; the same change is tried once more on a fresh one. */
  const losing: Around = async (name, call) => {
    if (name === 'commit') await call()
    return call()
  }

  it('case C115 lost after it landed: one approval, one attempt, one request, one result', async () => {
    const world = await openExecution({ store, around: losing })
    const { proposal, commitment } = await world.prepared()

    expect(await answerOf(world.runtime.approve(finance1, proposal, { commitment }))).toBe('approved')
    // What turns out to be one's own claim is not told as somebody else's.
    expect(await answerOf(world.execute(proposal))).toBe('verification_pending')
    expect((await lookWhenDue(world, proposal)).status).toBe('verified')

    expect((await world.stored(proposal)).approvals).toHaveLength(1)
    expect((await world.effect(proposal)).attempts.map(({ ending }) => ending?.kind)).toEqual(['accepted'])
    expect(world.action.calls.execute).toBe(1)
    expect(await world.receipts(proposal)).toEqual([
      'proposal.prepared',
      'approval.approved',
      'execution.started',
      'execution.accepted',
      'verification.verified_completion',
    ])
  })

  it('case C115 lost before it landed: whoever asks again makes the only approval and the only attempt', async () => {
    const world = await openExecution({ store })
    const { proposal, commitment } = await world.prepared()
    const approve = async (): Promise<string> => answerOf(world.runtime.approve(finance1, proposal, { commitment }))

    world.faults.at(1, 'lost_before')
    expect([await approve(), await approve()]).toEqual(['persistence_outcome_unknown', 'approved'])
    world.faults.at(1, 'lost_before')
    expect(await answerOf(world.execute(proposal))).toBe('persistence_outcome_unknown')
    expect(await answerOf(world.execute(proposal))).toBe('verification_pending')

    expect((await world.stored(proposal)).approvals).toHaveLength(1)
    expect((await world.effect(proposal)).attempts).toHaveLength(1)
    expect(world.action.calls.execute).toBe(1)
  })

  it('case C115 where the fresh connection is lost too, nothing is called on a claim that may not be there', async () => {
    const world = await openExecution({ store })
    const ref = await world.approved('refund')
    world.faults.at(1, 'lost')

    expect(await answerOf(world.execute(ref))).toBe('persistence_outcome_unknown')
    expect(await answerOf(world.execute(ref))).toBe('in_progress')
    expect(world.action.calls.execute).toBe(0)
  })

  it('case C115 a result that could not be stored is found out by reading', async () => {
    const world = await openExecution({ store })
    const ref = await world.approved('refund')
    for (const nth of [2, 3, 4]) world.faults.at(nth, 'lost_before')

    expect(await answerOf(world.execute(ref))).toBe('persistence_outcome_unknown')
    await world.clock.advance(2 * MINUTE_MS)

    expect((await world.reconcile(ref)).status).toBe('verified')
    expect(world.action.calls.execute).toBe(1)
  })
})

describe('case C117: rolling update, old and new instance both run the batch', () => {
  it('case C117 five hundred proposals, two versions at once, one of them stopped half-way: five hundred effects', async () => {
    const world = await openWorld({ store: 'memory', contract: { lifetime: '1d' } })
    const refs: string[] = []
    for (let number = 0; number < 500; number += 1) refs.push(await approved(world.runtime, world.input()))
    const old = await world.open()
    const renewed = await world.open({
      actions: [world.action, world.actionWith({ type: 'example.payments/refund@2' })],
    })

    await Promise.all([
      ...refs.slice(0, 250).map(async (ref) => old.execute(requester, ref)),
      ...refs.toReversed().map(async (ref) => renewed.execute(requester, ref)),
    ])

    expect(world.action.business.booked).toHaveLength(500)
    expect(new Set(world.action.business.booked.map(({ key }) => key)).size).toBe(500)
  })

  it('case C117 a worker that has lost the store, but not the provider, sends nothing that the store does not know', async () => {
    const world = await openExecution({ store: 'memory', contract: { lifetime: '1d' } })
    const refs: string[] = []
    for (let number = 0; number < 50; number += 1) refs.push(await world.approved(`debit ${number}`))
    let commits = 0
    const losing: Around = async (_name, call, change) => {
      if (change === null) return call()
      commits += 1
      if (commits % 3 === 0) throw new Error('ECONNRESET')
      const answer = await call()
      if (commits % 7 === 0) throw new Error('ECONNRESET')
      return answer
    }
    const worker = await world.open({ store: new InterceptedStore(world.bareStore, losing) })

    for (const ref of refs) await worker.execute(requester, ref).catch(() => null)

    // The invariants are held against the log: every call had its claim and its attempt stored before it began.
    expect(world.action.calls.execute).toBeGreaterThan(0)
    const claimed = await Promise.all(refs.map(async (ref) => world.effect(ref).catch(() => null)))
    expect(world.action.business.booked.length).toBeLessThanOrEqual(claimed.filter((effect) => effect !== null).length)
  })
})

describe('case C119: clean-up picks the permissive end state', () => {
  it('case C119 what was cut off while it was written has less power afterwards, never more', async () => {
    const world = await openExecution({ store: 'sqlite' })

    // In the middle of prepare: it is not there.
    world.faults.at(1, 'refused')
    expect((await refused(world.prepared()))['code']).toBe('store_unavailable')
    expect((await world.dump()).proposals).toEqual([])

    // In the middle of approve: it waits as before.
    const { proposal, commitment } = await world.prepared()
    world.faults.at(1, 'refused')
    await refused(world.runtime.approve(finance1, proposal, { commitment }))
    expect((await world.stored(proposal)).proposal.status).toBe('awaiting_approval')
    expect(await answerOf(world.execute(proposal))).toBe('approval_pending')

    // In the middle of expiry: whoever touches it next expires it.
    await world.clock.advance(LIFETIME_MS)
    world.faults.at(1, 'refused')
    await world.runtime.expireDue(service).catch(() => null)
    expect(await answerOf(world.execute(proposal))).toBe('expired')
    expect(world.action.calls.execute).toBe(0)
  })

  it('case C119 in the middle of a call it is in doubt', async () => {
    const world = await openExecution({ store: 'sqlite' })
    const ref = await world.approved('confirming')
    world.action.methods.execute = hanging()
    world.action.methods.verify = answering(says.absent)
    world.execute(ref).catch(() => null)
    await world.clock.advance(0)
    const restarted = await world.open()
    await world.clock.advance(2 * MINUTE_MS)

    expect(standing(await restarted.reconcile(service, ref))).toBe('in doubt')
  })

  it.each(['teleported', 'APPROVED', ''])(
    'case C119 the status "%s", which nobody here knows, executes nothing',
    async (status) => {
      const world = await openExecution({ store: 'sqlite', verified: false })
      const ref = await world.approved('from a newer version')
      withoutGuards(world.path ?? '', `UPDATE proposals SET status = '${status}'`)

      expect(await answerOf(world.execute(ref))).toBe('stored_data_corrupt')
      expect(world.action.calls.execute).toBe(0)
    },
  )
})
