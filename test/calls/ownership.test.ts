// Durable ownership of guarded calls: claims with leases and fences, of which no lapse is ever evidence.
import { describe, expect, it } from 'vitest'
import { callKey } from '../../src/effect/calls/call-input.ts'
import { RetryPolicy } from '../../src/effect/calls/retry-policy.ts'
import { parseReference } from '../../src/effect/reference.ts'
import { DefinitiveFailure } from '../../src/proposal/action.ts'
import { advancing, charge, errorOf, fencedAbsence, found, never, openBench, scripted, stalling } from './bench.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'
import type { VerifyAction } from '../../src/runtime/calls/operation.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'

const LEASE_MS = 60_000
const key = callKey(parseReference('default', ''), 'charge', 'order-123')

describe.each(EVERY_STORE)('the ownership of a guarded call on %s', (name) => {
  it('ownership 4a.1 a live lease keeps everybody out, also its own worker, and is not renewed', async () => {
    const { runner, another, faults, clock, store } = await openBench(name)
    faults.atStep('start_attempt', 'refused')
    await errorOf(runner.execute('charge', never, charge()))
    const claimed = await store.call(key)
    await clock.advance(LEASE_MS - 1)

    for (const worker of [runner, another()]) {
      expect(await errorOf(worker.execute('charge', never, charge()))).toMatchObject({
        code: 'action_in_progress',
        nextStep: 'wait',
      })
    }

    expect(await store.call(key)).toEqual(claimed)
  })

  it('ownership 4a.1 every acquisition raises the fence, and a stale release does nothing', async () => {
    const { runner, faults, clock, store } = await openBench(name)
    faults.atStep('start_attempt', 'refused')
    await errorOf(runner.execute('charge', never, charge()))
    const first = await store.call(key)
    await clock.advance(LEASE_MS)
    faults.atStep('start_attempt', 'refused')
    await errorOf(runner.execute('charge', never, charge()))
    const second = await store.call(key)

    expect(second?.claim.holder).not.toBe(first?.claim.holder)
    expect(second?.effect.epoch).toBe((first?.effect.epoch ?? 0) + 1)
    expect(second?.claim.actionId).toBe(first?.claim.actionId)
    await runner.releaseUnstarted(second?.claim.actionId ?? '')
    await runner.execute('charge', () => 1, charge())
    expect(await errorOf(runner.releaseUnstarted(first?.claim.actionId ?? ''))).toMatchObject({
      code: 'action_not_found',
    })
    expect(await store.call(key)).toMatchObject({ claim: { state: 'COMPLETED' } })
  })

  it('ownership 4a.2 4a.3 who was taken over from starts nothing', async () => {
    const { another, clock, faults, store } = await openBench(name)
    const slow = Promise.withResolvers<null>()
    const operation = scripted(() => 1)
    faults.atStep('start_attempt', 'refused')
    await errorOf(another().execute('charge', never, charge()))
    await clock.advance(LEASE_MS)
    // The one who takes over stands still between its claim and its start.
    const stalled = another({ store: stalling(store, slow.promise) }).execute('charge', operation, charge())
    while ((await store.call(key))?.effect.epoch !== 2) await clock.idle()
    await clock.advance(LEASE_MS)

    const second = await another().execute('charge', () => 2, charge())
    slow.resolve(null)

    expect(second).toMatchObject({ status: 'CONFIRMED', value: 2 })
    expect(await errorOf(stalled)).toMatchObject({ code: 'action_claim_lost', invoked: 'no', nextStep: 'call_again' })
    expect(operation.calls).toBe(0)
    expect(await store.call(key)).toMatchObject({ effect: { attempts: [{ number: 1 }] } })
  })

  it('ownership 4a.3 a start after the end of the lease is refused by the store, also if nobody took over', async () => {
    const { another, clock, store } = await openBench(name)
    const slow = Promise.withResolvers<null>()
    const stalled = another({ store: stalling(store, slow.promise) }).execute('charge', never, charge())
    while ((await store.call(key)) === null) await clock.idle()
    await clock.advance(LEASE_MS)
    slow.resolve(null)

    expect(await errorOf(stalled)).toMatchObject({ code: 'action_claim_lost', invoked: 'no', nextStep: 'call_again' })
    expect(await store.call(key)).toMatchObject({ effect: { attempts: [] } })
  })

  it('ownership 4a.4 a lapsed lease with an attempt permits no call, and is no evidence', async () => {
    const { runner, another, clock, faults } = await openBench(name)
    faults.atStep('complete', 'refused')
    await errorOf(runner.execute('charge', () => 1, charge()))
    await clock.advance(1_000 * LEASE_MS)

    const error = await errorOf(another().execute('charge', never, charge()))

    expect(error).toMatchObject({
      code: 'action_in_progress',
      nextStep: 'recover_pending',
      receipt: { state: 'PENDING', executionStatus: 'UNKNOWN', finalStatus: null },
    })
  })

  it('ownership 4a.4 a process that stood still after its start does not call', async () => {
    const { another, clock, store } = await openBench(name)
    const operation = scripted(() => 1)
    const stopped = advancing(store, clock, 2 * LEASE_MS)

    const { status, receipt } = await another({ store: stopped }).execute('charge', operation, charge())

    expect(operation.calls).toBe(0)
    expect(status).toBe('FAILED')
    expect(receipt.attempts[0]).toMatchObject({ reason: 'lease_too_short', executionStatus: 'FAILED' })
  })

  it('ownership 4a.5 the fence is up before the verifier is asked', async () => {
    const { runner, another, clock, store } = await openBench(name)
    const operation = scripted(() => Promise.reject(new DefinitiveFailure('busy', { retryable: true })))
    const retryPolicy = new RetryPolicy({ maxAttempts: 2, retryOnFailed: true, delayMs: 5 })
    const waiting = errorOf(runner.execute('charge', operation, charge({ retryPolicy })))
    while ((await store.call(key))?.attempts[0]?.decision !== 'retry') await clock.idle()
    const before = await store.call(key)

    // What a verifier throws is no evidence: it only takes down what is expected below.
    const seen: unknown[] = []
    const recovered = await another().recoverPending(before?.claim.actionId ?? '', async (receipt, context) => {
      seen.push((await store.call(key))?.effect.epoch)
      await clock.advance(5)
      seen.push(await waiting)
      return fencedAbsence(receipt, context)
    })

    expect(seen[0]).toBe((before?.effect.epoch ?? 0) + 1)
    expect(seen[1]).toMatchObject({ code: 'action_in_progress', invoked: 'yes' })
    expect(recovered.receipt.observations).toMatchObject([{ status: 'FAILED' }])
    expect(recovered.status).toBe('FAILED')
    expect(operation.calls).toBe(1)
  })

  it('ownership 4a.5 a worker that is fenced while its verifier looks decides nothing any more', async () => {
    const { runner, another, store } = await openBench(name)
    const operation = scripted(() => Promise.reject(new Error('lost')))
    const retryPolicy = new RetryPolicy({ maxAttempts: 2, retryOnFailed: true })
    const [looking, looked] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()]
    const verifier: VerifyAction = async (receipt, context) => {
      looking.resolve(null)
      await looked.promise
      return fencedAbsence(receipt, context)
    }
    const first = errorOf(runner.execute('charge', operation, charge({ retryPolicy, verifier })))
    await looking.promise
    const actionId = (await store.call(key))?.claim.actionId ?? ''

    const told: unknown[] = []
    const recovered = await another().recoverPending(actionId, async (receipt, context) => {
      looked.resolve(null)
      told.push(await first, await store.call(key))
      return fencedAbsence(receipt, context)
    })

    expect(told).toMatchObject([
      { code: 'action_in_progress', invoked: 'yes', nextStep: 'wait' },
      {
        claim: { state: 'PENDING' },
        attempts: [{ decision: null }],
        effect: { observations: [{ verdict: 'FAILED' }] },
      },
    ])
    expect(recovered).toMatchObject({ status: 'FAILED', receipt: { attempts: [{ retryDecision: 'stop' }] } })
    expect(operation.calls).toBe(1)
  })

  it('ownership 4a.7 the clock of the store decides, whatever the worker’s own clock says', async () => {
    const { runner, another, faults, clock, store } = await openBench(name)
    faults.atStep('start_attempt', 'refused')
    await errorOf(runner.execute('charge', never, charge()))
    const ahead = new VirtualClock(clock.now() + 10 * LEASE_MS)

    const early = await errorOf(another({ clock: ahead }).execute('charge', never, charge()))

    expect(early).toMatchObject({ code: 'action_in_progress', nextStep: 'wait' })
    await clock.advance(LEASE_MS)
    expect(await another({ clock: ahead }).execute('charge', () => 1, charge())).toMatchObject({ status: 'CONFIRMED' })
    expect(await store.call(key)).toMatchObject({ claim: { state: 'COMPLETED' } })
  })

  it('evidence K8 between two attempts nothing is under way, and the next one waits for its time', async () => {
    const { runner, clock, store } = await openBench(name)
    const operation = scripted(
      () => Promise.reject(new DefinitiveFailure('busy', { retryable: true })),
      () => 'charged',
    )
    const retryPolicy = new RetryPolicy({ maxAttempts: 2, retryOnFailed: true, delayMs: (attempts) => attempts * 500 })
    const waiting = runner.execute('charge', operation, charge({ retryPolicy }))
    while ((await store.call(key))?.attempts[0]?.decision !== 'retry') await clock.idle()

    expect(await runner.find('charge', 'order-123')).toMatchObject({
      state: 'PENDING',
      nextAttemptAt: clock.now() + 500,
      attempts: [{ executionStatus: 'FAILED', retryDecision: 'retry' }],
    })
    await clock.advance(499)
    expect(operation.calls).toBe(1)
    await clock.advance(1)
    expect(await waiting).toMatchObject({ status: 'CONFIRMED', value: 'charged' })
    expect(operation.calls).toBe(2)
  })

  it('a retry that was decided on other evidence is not made', async () => {
    const { runner, clock, store, faults } = await openBench(name, { timeoutMs: 10, graceMs: 10 })
    const late = Promise.withResolvers<string>()
    const operation = scripted(() => late.promise)
    const retryPolicy = new RetryPolicy({ maxAttempts: 2, retryOnUnknown: true, delayMs: 1_000 })
    const waiting = runner.execute('charge', operation, charge({ retryPolicy }))
    while ((await store.call(key))?.effect.attempts.length !== 1) await clock.idle()
    await clock.idle()
    await clock.advance(20)
    while ((await store.call(key))?.attempts[0]?.decision !== 'retry') await clock.idle()
    late.resolve('charged')
    while ((await store.call(key))?.effect.observations.length !== 1) await clock.idle()

    await clock.advance(1_000)

    expect(await waiting).toMatchObject({ status: 'CONFIRMED', receipt: { attempts: [{ number: 1 }] } })
    expect(operation.calls).toBe(1)
    expect(faults.changes.filter(({ effect }) => (effect?.opened ?? null) !== null)).toHaveLength(2)
  })

  it('a delay that cannot be computed stops, and says so', async () => {
    const { runner, warnings } = await openBench(name)
    const operation = scripted(() => Promise.reject(new DefinitiveFailure('busy', { retryable: true })))
    const retryPolicy = new RetryPolicy({ maxAttempts: 2, retryOnFailed: true, delayMs: () => Number.NaN })

    expect(await runner.execute('charge', operation, charge({ retryPolicy }))).toMatchObject({ status: 'FAILED' })
    expect(operation.calls).toBe(1)
    expect(warnings).toEqual(['retry_delay_malformed'])
  })

  it('a provider that refused for certain is asked under another key, any other one under the same', async () => {
    const { runner } = await openBench(name)
    const keys: string[] = []
    const retryPolicy = new RetryPolicy({ maxAttempts: 2, retryOnFailed: true, retryOnUnknown: true })
    const twice = async (idempotencyKey: string, fail: () => never): Promise<boolean> => {
      keys.length = 0
      await runner.execute(
        'charge',
        ({ attempt, providerIdempotencyKey }) => (keys.push(providerIdempotencyKey), attempt === 1 ? fail() : 1),
        charge({ idempotencyKey, retryPolicy }),
      )
      return keys[0] === keys[1]
    }
    const refuse = (): never => {
      throw new DefinitiveFailure('busy', { retryable: true })
    }
    const lose = (): never => {
      throw new Error('lost')
    }

    expect(await twice('a', refuse)).toBe(false)
    expect(await twice('b', lose)).toBe(true)
    expect(await runner.reconcile((await runner.find('charge', 'b'))?.actionId ?? '', found)).toMatchObject({
      status: 'CONFIRMED',
    })
  })
})
