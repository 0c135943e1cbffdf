// Table P: a store that fails before a commit or loses the answer after it, at every write of a guarded call.
import { describe, expect, it } from 'vitest'
import { ActionPersistenceError } from '../../src/effect/calls/action-error.ts'
import { RetryPolicy } from '../../src/effect/calls/retry-policy.ts'
import { DefinitiveFailure } from '../../src/proposal/action.ts'
import { StoreUnavailable } from '../../src/proposal/errors.ts'
import { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import { effectWrite } from '../../src/runtime/effect-write.ts'
import type { Store } from '../../src/runtime/ports.ts'
import type { Around } from '../../src/testing/intercepted-store.ts'
import { InterceptedStore } from '../../src/testing/intercepted-store.ts'
import { emptyChange } from '../../src/testing/store-conformance/sample-changes.ts'
import { startingCall } from '../../src/testing/store-conformance/sample-calls.ts'
import { callKey } from '../../src/effect/calls/call-input.ts'
import { parseReference } from '../../src/effect/reference.ts'
import { told, type Bench, charge, down, errorOf, fencedAbsence, found, never, openBench, scripted } from './bench.ts'
import { EVERY_STORE, type StoreName } from '../store/fresh-stores.ts'

const throws = (): never => {
  throw new Error('lost')
}
const key = callKey(parseReference('default', ''), 'charge', 'order-123')

describe.each(EVERY_STORE)('a store that fails on %s', (name) => {
  it('evidence P1 before the claim: nothing is there, and the call can be made', async () => {
    const { runner, faults } = await openBench(name)
    faults.atStep('claim', 'refused')

    const error = await errorOf(runner.execute('charge', never, charge()))

    expect(error).toBeInstanceOf(ActionPersistenceError)
    expect(error).toMatchObject({
      code: 'action_persistence',
      invoked: 'no',
      nextStep: 'inspect_ledger',
      receipt: null,
      valueAvailable: false,
    })
    expect(await runner.find('charge', 'order-123')).toBeNull()
    expect(await runner.execute('charge', () => 1, charge())).toMatchObject({ status: 'CONFIRMED', replayed: false })
  })

  it('evidence P2 after the claim: it is read back by its holder, and goes on', async () => {
    const { runner, faults } = await openBench(name)
    faults.atStep('claim', 'lost')
    const operation = scripted(() => 1)

    expect(await runner.execute('charge', operation, charge())).toMatchObject({ status: 'CONFIRMED', replayed: false })
    expect(operation.calls).toBe(1)
  })

  it('evidence P2 without a claim to be found again: nothing is called', async () => {
    const { runner, faults } = await openBench(name)
    faults.atStep('claim', 'lost_before')

    const error = await errorOf(runner.execute('charge', never, charge()))

    expect(error).toMatchObject({ code: 'action_persistence', invoked: 'no', receipt: null })
  })

  it('evidence P3 before the start: nothing is called, and the claim can be released', async () => {
    const { runner, faults } = await openBench(name)
    faults.atStep('start_attempt', 'refused')

    const error = await errorOf(runner.execute('charge', never, charge()))

    expect(error).toMatchObject({
      code: 'action_persistence',
      invoked: 'no',
      receipt: { state: 'PENDING', attempts: [] },
    })
    const left = await receiptOf(runner)
    expect(left).toMatchObject({ state: 'PENDING', attempts: [] })
    await runner.releaseUnstarted(left.actionId)
    expect(await runner.execute('charge', () => 1, charge())).toMatchObject({ status: 'CONFIRMED' })
  })

  it('evidence P4 after the start, which is found exactly: it is called once, in one attempt', async () => {
    const { runner, faults } = await openBench(name)
    faults.atStep('start_attempt', 'lost')
    const operation = scripted(() => 1)

    const { receipt, value } = await runner.execute('charge', operation, charge())

    expect(value).toBe(1)
    expect(operation.calls).toBe(1)
    expect(receipt.attempts).toHaveLength(1)
  })

  it('evidence P5 after the start, and then nothing can be read: nothing is called', async () => {
    const { store, runner } = await benchWith(name, (faulty) => async (method, call) => {
      if (method === 'call' && faulty.lost) throw new StoreUnavailable('The store is out of reach.')
      return call()
    })

    const error = await errorOf(runner.execute('charge', never, charge()))

    expect(error).toMatchObject({ code: 'action_persistence', invoked: 'no' })
    const left = await store.call(key)
    expect(left).toMatchObject({ claim: { state: 'PENDING' }, effect: { attempts: [{ number: 1, ending: null }] } })
    const plain = new ActionRunner({ store })
    const actionId = left?.claim.actionId ?? ''
    expect(await errorOf(plain.releaseUnstarted(actionId))).toMatchObject({ code: 'action_started' })
    expect(await plain.recoverPending(actionId, found)).toMatchObject({ status: 'CONFIRMED' })
  })

  it('evidence P6 after the start, which somebody has gone beyond: nothing is called', async () => {
    const { store, runner } = await benchWith(name, (faulty, inner) => async (method, call) => {
      if (method === 'call' && faulty.lost) {
        faulty.lost = false
        const read = await inner.call(key)
        if (read === null) throw new TypeError('The call is there')
        const effect = { ...read.effect, version: read.effect.version + 1 }
        await inner.commit({ ...emptyChange(key.tenant), effect: effectWrite(effect, read.effect.version) })
      }
      return call()
    })

    const error = await errorOf(runner.execute('charge', never, charge()))

    expect(error).toMatchObject({ code: 'action_persistence', invoked: 'no' })
    expect(await store.call(key)).toMatchObject({ effect: { version: 3, attempts: [{ number: 1, ending: null }] } })
  })

  it('evidence P6 after a start of another worker’s: nothing is called', async () => {
    const { runner } = await benchWith(name, (faulty, inner) => async (method, call) => {
      if (method === 'commit' && faulty.isStart) {
        const read = await inner.call(key)
        if (read === null) throw new TypeError('The call is there')
        await inner.commit(startingCall(read, { startedAt: Date.UTC(2031, 0, 1), leaseUntil: Date.UTC(2031, 0, 2) }))
        throw new Error('the answer was lost')
      }
      return call()
    })

    expect(await errorOf(runner.execute('charge', never, charge()))).toMatchObject({ invoked: 'no' })
  })

  it('evidence P7 after a start that is not to be found: nothing is called', async () => {
    const { runner, faults } = await openBench(name)
    faults.atStep('start_attempt', 'lost_before')

    expect(await errorOf(runner.execute('charge', never, charge()))).toMatchObject({
      code: 'action_persistence',
      invoked: 'no',
    })
    expect(await receiptOf(runner)).toMatchObject({ state: 'PENDING', attempts: [] })
  })

  it('evidence P8 before the end: what was seen is told, and the claim bars a repetition', async () => {
    const { runner, faults } = await openBench(name)
    faults.atStep('complete', 'refused')

    const error = await errorOf(
      runner.execute('charge', (call) => (call.reportRequestId('r1'), 'charged'), charge({ metadata: { order: '1' } })),
    )

    expect(error).toMatchObject({
      code: 'action_persistence',
      invoked: 'yes',
      nextStep: 'inspect_ledger',
      receipt: { state: 'PENDING', attempts: [{ number: 1, executionStatus: null }] },
      observedStatus: 'CONFIRMED',
      observedMetadata: { order: '1', provider_request_ids: ['r1'] },
      valueAvailable: true,
      observedValue: 'charged',
    })
    const left = await receiptOf(runner)
    expect(left.state).toBe('PENDING')
    expect(await runner.recoverPending(left.actionId, found)).toMatchObject({ status: 'CONFIRMED' })
  })

  it('evidence P9 after the end: the same error, and the same call is answered again', async () => {
    const { runner, faults } = await openBench(name)
    faults.atStep('complete', 'lost')

    const error = await errorOf(runner.execute('charge', () => 'charged', charge()))

    expect(error).toMatchObject({ invoked: 'yes', observedStatus: 'CONFIRMED', observedValue: 'charged' })
    expect(await receiptOf(runner)).toMatchObject({ state: 'COMPLETED', finalStatus: 'CONFIRMED' })
    expect(await runner.execute('charge', never, charge())).toMatchObject({ replayed: true, status: 'CONFIRMED' })
  })

  it('evidence P10 before the end of a call that threw', async () => {
    const { runner, faults } = await openBench(name)
    faults.atStep('complete', 'refused')

    const error = await errorOf(runner.execute('charge', throws, charge()))

    expect(error).toMatchObject({ invoked: 'yes', observedStatus: 'UNKNOWN', valueAvailable: false })
    expect(Object.entries(error as object)).toContainEqual(['observedValue', undefined])
    expect(await receiptOf(runner)).toMatchObject({ state: 'PENDING', attempts: [{ executionStatus: null }] })
  })

  it('evidence P11 before the second start: it was called once', async () => {
    const { runner, faults } = await openBench(name)
    faults.atStep('start_attempt', 'refused', 2)
    const operation = scripted(() => Promise.reject(new DefinitiveFailure('busy', { retryable: true })))
    const retryPolicy = new RetryPolicy({ maxAttempts: 2, retryOnFailed: true })

    const error = await errorOf(runner.execute('charge', operation, charge({ retryPolicy })))

    expect(error).toMatchObject({ code: 'action_persistence', invoked: 'yes' })
    expect(operation.calls).toBe(1)
    const left = await receiptOf(runner)
    expect(left).toMatchObject({ state: 'PENDING', attempts: [{ retryDecision: 'retry' }] })
    expect(await runner.recoverPending(left.actionId, fencedAbsence)).toMatchObject({ status: 'FAILED' })
  })

  it('evidence P12 while another observation comes in between: both are kept', async () => {
    const { runner, another } = await openBench(name)
    const { receipt } = await runner.execute('charge', throws, charge())
    const other = another()

    const merged = await runner.reconcile(receipt.actionId, async (seen, context) => {
      await other.reconcile(receipt.actionId, fencedAbsence)
      return found(seen, context)
    })

    expect(merged).toMatchObject({ status: 'UNKNOWN', receipt: { verificationConflict: true } })
    expect(merged.receipt.observations.map(({ status }) => status)).toEqual(['FAILED', 'CONFIRMED'])
  })

  it('evidence P13 after an observation: it is there once', async () => {
    const { runner, faults } = await openBench(name)
    const { receipt } = await runner.execute('charge', throws, charge())
    faults.atStep('observe', 'lost')

    const { receipt: after } = await runner.reconcile(receipt.actionId, found)

    expect(after.observations).toHaveLength(1)
    expect(after.finalStatus).toBe('CONFIRMED')
  })

  it('evidence P13 before an observation, time after time: an error, and it can be looked again', async () => {
    const { runner, faults } = await openBench(name)
    const { receipt } = await runner.execute('charge', throws, charge())
    for (const nth of [1, 2, 3]) faults.atStep('observe', 'refused', nth)

    const error = await errorOf(runner.reconcile(receipt.actionId, found))

    expect(error).toMatchObject({ code: 'action_persistence', invoked: 'no', receipt: { finalStatus: 'UNKNOWN' } })
    expect(await runner.reconcile(receipt.actionId, found)).toMatchObject({ status: 'CONFIRMED' })
  })

  it.each<[string, (bench: Bench) => void, boolean]>([
    ['P3', ({ faults }) => faults.atStep('start_attempt', 'refused'), false],
    ['P7', ({ faults }) => faults.atStep('start_attempt', 'lost_before'), false],
    ['P8', ({ faults }) => faults.atStep('complete', 'refused'), false],
    ['P9', ({ faults }) => faults.atStep('complete', 'lost'), true],
  ])('evidence P14 the same call after %s is not made', async (_id, plan, isCompleted) => {
    const bench = await openBench(name)
    plan(bench)
    const operation = scripted(() => 1)
    await errorOf(bench.runner.execute('charge', operation, charge()))
    const calls = operation.calls

    const again = await told(bench.another().execute('charge', operation, charge()))

    expect(again).toMatchObject(isCompleted ? { replayed: true } : { code: 'action_in_progress' })
    expect(operation.calls).toBe(calls)
  })

  it('keeps the end of a call of which the verification could not be stored', async () => {
    const { runner, faults } = await openBench(name)
    for (const nth of [1, 2, 3]) faults.atStep('observe', 'refused', nth)

    const error = await errorOf(runner.execute('charge', () => 1, charge({ verifier: down })))

    expect(error).toMatchObject({ code: 'action_persistence', invoked: 'yes' })
    expect(await receiptOf(runner)).toMatchObject({ state: 'PENDING', executionStatus: 'UNKNOWN', observations: [] })
  })

  it('tells of a store that cannot be read before the claim', async () => {
    const { store } = await openBench(name)
    const failing = new InterceptedStore(store, async () => {
      throw new StoreUnavailable('The store is out of reach.')
    })
    const runner = new ActionRunner({ store: failing })

    for (const asked of [
      runner.execute('charge', never, charge()),
      runner.reconcile('01SAMPLE', found),
      runner.recoverPending('01SAMPLE', found),
      runner.releaseUnstarted('01SAMPLE'),
      runner.receipt('01SAMPLE'),
      runner.find('charge', 'order-123'),
    ]) {
      expect(await errorOf(asked)).toMatchObject({ code: 'action_persistence', invoked: 'no', receipt: null })
    }
  })
})

async function receiptOf(runner: ActionRunner): Promise<NonNullable<Awaited<ReturnType<ActionRunner['find']>>>> {
  const receipt = await runner.find('charge', 'order-123')
  if (receipt === null) throw new TypeError('There is no such call')
  return receipt
}

interface Faulty {
  /** The answer to the start of an attempt was lost. */
  lost: boolean
  /** This is the start of an attempt. */
  isStart: boolean
}

/** A runner whose start of an attempt lands and loses its answer, and whatever else `around` does. */
async function benchWith(
  name: StoreName,
  around: (faulty: Faulty, inner: Store) => (method: keyof Store, call: () => Promise<unknown>) => Promise<unknown>,
): Promise<{ readonly store: Store; readonly runner: ActionRunner }> {
  const { store, clock } = await openBench(name)
  const faulty: Faulty = { lost: false, isStart: false }
  const act = around(faulty, store)
  const faults: Around = async (method, call, change) => {
    faulty.isStart = (change?.effect?.opened ?? null) !== null
    const answer = (await act(method, call)) as Awaited<ReturnType<typeof call>>
    if ((change?.effect?.opened ?? null) === null) return answer
    faulty.lost = true
    throw new Error('the answer was lost')
  }
  return { store, runner: new ActionRunner({ store: new InterceptedStore(store, faults), clock }) }
}
