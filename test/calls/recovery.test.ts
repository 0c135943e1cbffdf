// Table Q: stranded calls are recovered by looking, under a raised fence.
import { describe, expect, it } from 'vitest'
import { ActionInProgressError, ActionNotStartedError } from '../../src/effect/calls/action-error.ts'
import { RetryPolicy } from '../../src/effect/calls/retry-policy.ts'
import { DefinitiveFailure } from '../../src/proposal/action.ts'
import {
  answering,
  charge,
  down,
  errorOf,
  fencedAbsence,
  found,
  foundAs,
  never,
  openBench,
  weakAbsence,
} from './bench.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'
import { actionIdOf, stranded, unstarted } from './stranded.ts'

describe.each(EVERY_STORE)('recovery on %s', (store) => {
  it.each([
    ['Q1', found, 'CONFIRMED'],
    ['Q2', fencedAbsence, 'FAILED'],
    ['Q3', weakAbsence, 'UNKNOWN'],
    ['Q4', down, 'UNKNOWN'],
  ] as const)('evidence %s completes what the verifier says', async (_id, verifier, status) => {
    const bench = await openBench(store)
    const actionId = await stranded(bench)

    const recovered = await bench.another().recoverPending(actionId, verifier)

    expect(recovered).toMatchObject({ status, replayed: false })
    expect(recovered.receipt).toMatchObject({
      state: 'COMPLETED',
      executionStatus: 'UNKNOWN',
      attempts: [{ number: 1, reason: 'fence_raised', retryDecision: 'stop' }],
    })
    expect(await bench.runner.execute('charge', never, charge())).toMatchObject({ status, replayed: true })
  })

  it('evidence Q5 of two who see opposite things is a conflict, and both are kept', async () => {
    const bench = await openBench(store)
    const actionId = await stranded(bench)

    const recovered = await bench.runner.recoverPending(actionId, async (receipt, context) => {
      await bench.another().recoverPending(actionId, fencedAbsence)
      return found(receipt, context)
    })

    expect(recovered).toMatchObject({
      status: 'UNKNOWN',
      receipt: { verificationConflict: true, verificationStatus: 'UNKNOWN' },
    })
    expect(recovered.receipt.observations.map(({ status }) => status)).toEqual(['FAILED', 'CONFIRMED'])
  })

  it('evidence Q6 of what was never started is refused', async () => {
    const bench = await openBench(store)
    const actionId = await unstarted(bench)
    const verifier = answering(found)

    for (const asked of [bench.runner.recoverPending(actionId, verifier), bench.runner.reconcile(actionId, verifier)]) {
      const error = await errorOf(asked)
      expect(error).toBeInstanceOf(ActionNotStartedError)
      expect(error).toMatchObject({ code: 'action_not_started', invoked: 'no', nextStep: 'release_unstarted' })
    }
    expect(verifier.calls).toBe(0)
  })

  it('evidence Q7 of a completed call looks once more', async () => {
    const { runner } = await openBench(store)
    const { receipt } = await runner.execute('charge', () => Promise.reject(new Error('lost')), charge())

    expect(await runner.recoverPending(receipt.actionId, found)).toMatchObject({ status: 'CONFIRMED' })
  })

  it('evidence Q8 while the worker is about to complete: both are merged', async () => {
    const bench = await openBench(store)
    const entered = Promise.withResolvers<null>()
    const parked = Promise.withResolvers<string>()
    const first = bench.runner.execute('charge', () => (entered.resolve(null), parked.promise), charge())
    await entered.promise

    const recovered = await bench.another().recoverPending(await actionIdOf(bench.runner), found)
    parked.resolve('charged')
    const completed = await first

    expect(recovered.status).toBe('CONFIRMED')
    expect(completed).toMatchObject({ status: 'CONFIRMED', replayed: false, value: 'charged' })
    expect(completed.receipt.executionStatus).toBe('CONFIRMED')
    const stored = await bench.store.call({
      tenant: completed.receipt.tenant,
      domain: 'call:charge',
      reference: completed.receipt.idempotencyKey,
    })
    expect(stored?.effect.observations.map(({ flags }) => flags)).toEqual([[], ['late']])
    expect(completed.receipt.observations.map(({ source, status }) => [source, status])).toEqual([
      ['verifier', 'CONFIRMED'],
      ['operation', 'CONFIRMED'],
    ])
  })

  it('evidence Q8 while the worker returns against what the verifier saw: a conflict', async () => {
    const bench = await openBench(store)
    const entered = Promise.withResolvers<null>()
    const parked = Promise.withResolvers<string>()
    const first = bench.runner.execute('charge', () => (entered.resolve(null), parked.promise), charge())
    await entered.promise
    await bench.another().recoverPending(await actionIdOf(bench.runner), fencedAbsence)
    parked.resolve('charged')

    expect(await first).toMatchObject({ status: 'UNKNOWN', receipt: { verificationConflict: true } })
  })

  it('evidence Q8 whose worker refuses too late is not believed', async () => {
    const bench = await openBench(store)
    const entered = Promise.withResolvers<null>()
    const parked = Promise.withResolvers<never>()
    const first = bench.runner.execute('charge', () => (entered.resolve(null), parked.promise), charge())
    await entered.promise
    await bench.another().recoverPending(await actionIdOf(bench.runner), weakAbsence)
    parked.reject(new DefinitiveFailure('declined'))

    const { status, receipt } = await first
    expect(status).toBe('UNKNOWN')
    expect(receipt.observations.at(-1)).toMatchObject({ source: 'operation', status: 'UNKNOWN', reason: 'late_word' })
  })

  it('evidence Q8 that is still looking leaves the worker nothing to do', async () => {
    const bench = await openBench(store)
    const entered = Promise.withResolvers<null>()
    const parked = Promise.withResolvers<string>()
    const first = bench.runner.execute('charge', () => (entered.resolve(null), parked.promise), charge())
    await entered.promise

    const told: unknown[] = []
    const recovered = await bench.another().recoverPending(await actionIdOf(bench.runner), async (receipt, context) => {
      parked.resolve('charged')
      told.push(await errorOf(first))
      return weakAbsence(receipt, context)
    })

    expect(told[0]).toBeInstanceOf(ActionInProgressError)
    expect(told[0]).toMatchObject({ invoked: 'yes', nextStep: 'wait' })
    expect(recovered).toMatchObject({ status: 'CONFIRMED', receipt: { verificationStatus: 'UNKNOWN' } })
  })

  it('evidence Q9 before the worker’s next attempt: that one is not made', async () => {
    const bench = await openBench(store)
    const waiting = bench.runner.execute(
      'charge',
      () => Promise.reject(new DefinitiveFailure('busy', { retryable: true })),
      charge({ retryPolicy: new RetryPolicy({ maxAttempts: 2, retryOnFailed: true, delayMs: 1_000 }) }),
    )
    let left = await bench.runner.find('charge', 'order-123')
    while (typeof left?.nextAttemptAt !== 'number') {
      await bench.clock.advance(0)
      left = await bench.runner.find('charge', 'order-123')
    }

    const recovered = await bench.another().recoverPending(left.actionId, fencedAbsence)
    await bench.clock.advance(1_000)

    expect(recovered.status).toBe('FAILED')
    expect(await waiting).toMatchObject({ status: 'FAILED', replayed: false, receipt: { attempts: [{ number: 1 }] } })
  })

  it('evidence Q10 without a provider reference finds nothing to bind to', async () => {
    const bench = await openBench(store)
    const { providerReference: _dropped, ...without } = charge()
    bench.faults.atStep('complete', 'refused')
    await errorOf(bench.runner.execute('charge', () => 1, without))

    const recovered = await bench.runner.recoverPending(await actionIdOf(bench.runner), found)

    expect(recovered).toMatchObject({ status: 'UNKNOWN', receipt: { observations: [{ reason: 'reference_unbound' }] } })
  })

  it('of a call that is under way is refused by reconcile, which raises no fence', async () => {
    const bench = await openBench(store)
    const actionId = await stranded(bench)

    const error = await errorOf(bench.runner.reconcile(actionId, found))

    expect(error).toBeInstanceOf(ActionInProgressError)
    expect(error).toMatchObject({ invoked: 'no', nextStep: 'recover_pending' })
  })

  it('hands out what a verifier recovered, if it is of the request on record', async () => {
    const bench = await openBench(store)
    const first = await bench.runner.recoverPending(await stranded(bench), foundAs('r1', { chargeId: 'ch_1' }))

    expect(first.value).toEqual({ chargeId: 'ch_1' })
  })

  it('tells a verifier no more than the receipt, and stops waiting for it', async () => {
    const bench = await openBench(store, { verifyTimeoutMs: 500 })
    const actionId = await stranded(bench)
    const asked = Promise.withResolvers<AbortSignal>()

    const recovering = bench.runner.recoverPending(actionId, (receipt, { signal }) => {
      expect(receipt).toMatchObject({ state: 'PENDING', finalStatus: null, providerReference: 'order-123' })
      expect(Object.isFrozen(receipt)).toBe(true)
      asked.resolve(signal)
      return new Promise<never>(() => {})
    })
    const signal = await asked.promise
    await bench.clock.advance(500)

    expect(await recovering).toMatchObject({
      status: 'UNKNOWN',
      receipt: { observations: [{ reason: 'verifier_timed_out' }] },
    })
    expect(signal.aborted).toBe(true)
  })

  it.each([
    [
      'no result',
      () => ({ kind: 'confirmed', health: 'HEALTHY', verifiedProviderReference: 'order-123' }),
      'no_verification_result',
    ],
    ['nothing', () => null, 'no_verification_result'],
    ['a throw', down, 'verifier_threw'],
  ])('takes %s for no evidence', async (_what, verifier, reason) => {
    const bench = await openBench(store)
    const actionId = await stranded(bench)

    const recovered = await bench.runner.recoverPending(actionId, verifier as typeof down)

    expect(recovered).toMatchObject({ status: 'UNKNOWN', receipt: { observations: [{ reason }] } })
  })
})
