// Tables D and S: what one attempt, and whole scripts of attempts and verifications, come to.
import { describe, expect, it } from 'vitest'
import type { ActionStatus } from '../../src/effect/calls/guarded-call.ts'
import { RetryPolicy, type RetryPolicyInput } from '../../src/effect/calls/retry-policy.ts'
import type { VerifyAction } from '../../src/runtime/calls/operation.ts'
import { DefinitiveFailure, NotSent } from '../../src/proposal/action.ts'
import {
  type Act,
  answering,
  charge,
  down,
  fencedAbsence,
  fencedAbsenceOfAll,
  found,
  openBench,
  scripted,
  weakAbsence,
} from './bench.ts'
import { EVERY_STORE } from '../store/fresh-stores.ts'

const returns: Act = () => 'charged'
const returnsNothing: Act = () => 0
const refuses: Act = () => {
  throw new DefinitiveFailure('card_declined')
}
const refusesForNow: Act = () => {
  throw new DefinitiveFailure('busy', { retryable: true })
}
const throws: Act = () => {
  throw new Error('the answer was lost')
}

type Status = ActionStatus

interface Row {
  readonly id: string
  readonly does: string
  readonly act: Act
  readonly verifier?: VerifyAction
  readonly expected: readonly [execution: Status, verification: Status | null, final: Status]
  readonly conflict?: true
}

const TABLE_D: readonly Row[] = [
  { id: 'D01', does: 'returns', act: returns, expected: ['CONFIRMED', null, 'CONFIRMED'] },
  { id: 'D01', does: 'returns a falsey value', act: returnsNothing, expected: ['CONFIRMED', null, 'CONFIRMED'] },
  { id: 'D02', does: 'returns', act: returns, verifier: found, expected: ['UNKNOWN', 'CONFIRMED', 'CONFIRMED'] },
  { id: 'D03', does: 'returns', act: returns, verifier: fencedAbsence, expected: ['UNKNOWN', 'FAILED', 'FAILED'] },
  { id: 'D04', does: 'returns', act: returns, verifier: weakAbsence, expected: ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'] },
  { id: 'D05', does: 'refuses', act: refuses, expected: ['FAILED', null, 'FAILED'] },
  {
    id: 'D06',
    does: 'refuses',
    act: refuses,
    verifier: found,
    expected: ['FAILED', 'CONFIRMED', 'UNKNOWN'],
    conflict: true,
  },
  { id: 'D07', does: 'refuses', act: refuses, verifier: fencedAbsence, expected: ['FAILED', 'FAILED', 'FAILED'] },
  { id: 'D08', does: 'refuses', act: refuses, verifier: down, expected: ['FAILED', 'UNKNOWN', 'FAILED'] },
  { id: 'D09', does: 'throws', act: throws, expected: ['UNKNOWN', null, 'UNKNOWN'] },
  { id: 'D10', does: 'throws', act: throws, verifier: found, expected: ['UNKNOWN', 'CONFIRMED', 'CONFIRMED'] },
  { id: 'D11', does: 'throws', act: throws, verifier: fencedAbsence, expected: ['UNKNOWN', 'FAILED', 'FAILED'] },
  { id: 'D12', does: 'throws', act: throws, verifier: weakAbsence, expected: ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'] },
]

describe.each(EVERY_STORE)('one attempt on %s', (store) => {
  it.each(TABLE_D)('evidence $id it $does: $expected', async ({ act, verifier, expected, conflict }) => {
    const [execution, verification, final] = expected
    const { runner } = await openBench(store)
    const operation = scripted(act)

    const result = await runner.execute('charge', operation, charge(verifier && { verifier }))

    expect(result.status).toBe(final)
    expect(result.receipt).toMatchObject({
      state: 'COMPLETED',
      executionStatus: execution,
      verificationStatus: verification,
      finalStatus: final,
      verificationConflict: conflict ?? false,
      attempts: [{ number: 1, executionStatus: execution, verificationStatus: verification, retryDecision: 'stop' }],
    })
    expect(operation.calls).toBe(1)
    expect(await runner.receipt(result.receipt.actionId)).toEqual(result.receipt)
  })

  it.each<[string, Act]>([
    ['an abort', () => Promise.reject(new DOMException('gone', 'AbortError'))],
    ['a string', () => thrown('no error at all')],
    ['nothing', () => thrown(null)],
    [
      'a look-alike of a definitive failure',
      () => Promise.reject(Object.assign(new Error('x'), { name: 'DefinitiveFailure', retryable: true })),
    ],
    ['a proxy that throws when it is looked at', () => thrown(new Proxy({}, { getPrototypeOf: never }))],
  ])('evidence D09 %s that is thrown is UNKNOWN', async (_what, act) => {
    const { runner } = await openBench(store)

    const result = await runner.execute('charge', scripted(act), charge())

    expect(result.status).toBe('UNKNOWN')
  })

  it('believes that nothing was sent unless sending had begun', async () => {
    const { runner } = await openBench(store)
    const unsent = scripted(() => {
      throw new NotSent('no_route')
    })
    const begun = scripted(({ markSending }) => {
      markSending()
      throw new NotSent('no_route')
    })

    const first = await runner.execute('charge', unsent, charge({ idempotencyKey: 'a' }))
    const second = await runner.execute('charge', begun, charge({ idempotencyKey: 'b' }))

    expect(first.status).toBe('FAILED')
    expect(first.receipt.attempts[0]?.reason).toBe('no_route')
    expect(second.status).toBe('UNKNOWN')
    expect(second.receipt.attempts[0]?.reason).toBe('not_sent_after_sending')
  })

  it('takes no word of failure after the signal has fired, and keeps a return that comes even later', async () => {
    const { runner, clock } = await openBench(store, { timeoutMs: 1_000, graceMs: 100 })
    const refusing = Promise.withResolvers<never>()
    const returning = Promise.withResolvers<string>()
    const signals: AbortSignal[] = []

    const refused = runner.execute(
      'charge',
      ({ signal }) => (signals.push(signal), refusing.promise),
      charge({ idempotencyKey: 'a' }),
    )
    const returned = runner.execute('charge', () => returning.promise, charge({ idempotencyKey: 'b' }))
    while (signals.length === 0) await clock.advance(0)
    await clock.idle()
    await clock.advance(1_000)
    expect(signals[0]?.aborted).toBe(true)
    refusing.reject(new DefinitiveFailure('too_late'))
    const late = await refused
    await clock.advance(100)
    const timedOut = await returned

    expect(late.status).toBe('UNKNOWN')
    expect(late.receipt.attempts[0]?.reason).toBe('late_word')
    expect(timedOut.status).toBe('UNKNOWN')
    expect(timedOut.receipt.attempts[0]?.reason).toBe('operation_timed_out')
    returning.resolve('charged')
    let heard = await runner.receipt(timedOut.receipt.actionId)
    while (heard.finalStatus === 'UNKNOWN') {
      await clock.idle()
      heard = await runner.receipt(timedOut.receipt.actionId)
    }
    expect(heard).toMatchObject({
      finalStatus: 'CONFIRMED',
      observations: [{ source: 'operation', status: 'CONFIRMED' }],
    })
  })

  it('bounds what it keeps of an error', async () => {
    const { runner } = await openBench(store)
    const result = await runner.execute(
      'charge',
      scripted(() => Promise.reject(new Error('x'.repeat(10_000)))),
      charge(),
    )

    expect(result.receipt.attempts[0]?.error).toBe('x'.repeat(500))
  })
})

/** Throws what need not be an error. */
function thrown(what: unknown): never {
  throw what
}

const never = (): never => {
  throw new Error('looked at')
}

interface Script {
  readonly id: string
  readonly acts: readonly Act[]
  readonly answers?: readonly VerifyAction[]
  readonly policy?: RetryPolicyInput
  readonly expected: readonly [calls: number, execution: Status, verification: Status | null, final: Status]
  readonly duplicatePossible?: boolean
}

const retried: RetryPolicyInput = { maxAttempts: 3, retryOnFailed: true }

const TABLE_S: readonly Script[] = [
  { id: 'S01', acts: [returns], expected: [1, 'CONFIRMED', null, 'CONFIRMED'] },
  { id: 'S02', acts: [throws], expected: [1, 'UNKNOWN', null, 'UNKNOWN'] },
  { id: 'S03', acts: [refuses], expected: [1, 'FAILED', null, 'FAILED'] },
  { id: 'S04', acts: [refusesForNow], expected: [1, 'FAILED', null, 'FAILED'] },
  { id: 'S05', acts: [refusesForNow], policy: { maxAttempts: 3 }, expected: [1, 'FAILED', null, 'FAILED'] },
  { id: 'S06', acts: [refuses], policy: retried, expected: [1, 'FAILED', null, 'FAILED'] },
  { id: 'S07', acts: [refusesForNow, returns], policy: retried, expected: [2, 'CONFIRMED', null, 'CONFIRMED'] },
  {
    id: 'S08',
    acts: [refusesForNow, refusesForNow, refusesForNow],
    policy: retried,
    expected: [3, 'FAILED', null, 'FAILED'],
  },
  { id: 'S09', acts: [refusesForNow, throws], policy: retried, expected: [2, 'UNKNOWN', null, 'UNKNOWN'] },
  { id: 'S10', acts: [throws], answers: [found], policy: retried, expected: [1, 'UNKNOWN', 'CONFIRMED', 'CONFIRMED'] },
  {
    id: 'S11',
    acts: [throws],
    answers: [weakAbsence],
    policy: retried,
    expected: [1, 'UNKNOWN', 'UNKNOWN', 'UNKNOWN'],
  },
  { id: 'S12', acts: [throws], answers: [fencedAbsence], expected: [1, 'UNKNOWN', 'FAILED', 'FAILED'] },
  {
    id: 'S13',
    acts: [throws, returns],
    answers: [fencedAbsence, found],
    policy: retried,
    expected: [2, 'UNKNOWN', 'CONFIRMED', 'CONFIRMED'],
  },
  { id: 'S14', acts: [returns], answers: [down], policy: retried, expected: [1, 'UNKNOWN', 'UNKNOWN', 'UNKNOWN'] },
  { id: 'S15', acts: [returns], answers: [fencedAbsence], expected: [1, 'UNKNOWN', 'FAILED', 'FAILED'] },
  {
    id: 'S16',
    acts: [throws, refuses],
    policy: { maxAttempts: 2, retryOnUnknown: true },
    expected: [2, 'UNKNOWN', null, 'UNKNOWN'],
  },
  {
    id: 'S17',
    acts: [throws, refusesForNow],
    policy: { maxAttempts: 2, retryOnUnknown: true, retryOnFailed: true },
    expected: [2, 'UNKNOWN', null, 'UNKNOWN'],
  },
  {
    id: 'S18',
    acts: [throws, returns],
    policy: { maxAttempts: 2, retryOnUnknown: true },
    expected: [2, 'CONFIRMED', null, 'CONFIRMED'],
    duplicatePossible: true,
  },
  {
    id: 'S19',
    acts: [throws, throws],
    answers: [down, fencedAbsence],
    policy: { maxAttempts: 2, retryOnUnknown: true },
    expected: [2, 'UNKNOWN', 'UNKNOWN', 'UNKNOWN'],
  },
  {
    id: 'S20',
    acts: [throws, throws],
    answers: [down, fencedAbsenceOfAll],
    policy: { maxAttempts: 2, retryOnUnknown: true },
    expected: [2, 'UNKNOWN', 'FAILED', 'FAILED'],
  },
]

describe.each(EVERY_STORE)('whole calls on %s', (store) => {
  it.each(TABLE_S)('evidence $id: $expected', async ({ acts, answers, policy, expected, duplicatePossible }) => {
    const { runner } = await openBench(store)
    const operation = scripted(...acts)
    const verifier = answers && answering(...answers)
    const more = { ...(verifier && { verifier }), ...(policy && { retryPolicy: new RetryPolicy(policy) }) }

    const { status, receipt } = await runner.execute('charge', operation, charge(more))

    const [calls, execution, verification, final] = expected
    expect(operation.calls).toBe(calls)
    expect(receipt.attempts).toHaveLength(calls)
    expect(status).toBe(final)
    expect(receipt).toMatchObject({ executionStatus: execution, verificationStatus: verification, finalStatus: final })
    expect(receipt.verificationConflict).toBe(false)
    expect(receipt.duplicatePossible).toBe(duplicatePossible ?? receipt.duplicatePossible)
    const decisions = receipt.attempts.map(({ retryDecision }) => retryDecision)
    expect(decisions).toEqual([...decisions.slice(1).map(() => 'retry'), 'stop'])
  })

  it('evidence S17 asks the policy with what all attempts say together, and with the budget that is left', async () => {
    const { runner } = await openBench(store)
    const operation = scripted(throws, refusesForNow, throws)
    const retryPolicy = new RetryPolicy({ maxAttempts: 3, retryOnFailed: true })

    const first = await runner.execute('charge', operation, charge({ retryPolicy }))

    expect(operation.calls).toBe(1)
    expect(first.status).toBe('UNKNOWN')
  })
})
