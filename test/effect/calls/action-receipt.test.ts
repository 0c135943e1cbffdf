// The receipt of a guarded call: statuses, ids and attempts as they follow from what is on record, and nothing that can be changed.
import { describe, expect, it } from 'vitest'
import { type ActionReceipt, actionReceipt } from '../../../src/effect/calls/action-receipt.ts'
import { withProgress } from '../../../src/effect/calls/call-changes.ts'
import { callStatuses, verificationAfter } from '../../../src/effect/calls/call-evidence.ts'
import type { CallAttempt, CallClaim, GuardedCall } from '../../../src/effect/calls/guarded-call.ts'
import { requestIdsOf } from '../../../src/effect/calls/request-ids.ts'
import { unclaimed } from '../../../src/effect/effect-changes.ts'
import type { Attempt, Effect, Observation } from '../../../src/effect/effect.ts'
import { attempt, ending, leaseUntil, observation, ref, startedAt } from '../builders.ts'

const key = { tenant: ref('default'), domain: 'call:charge_customer', reference: ref('order-123') }

const claim: CallClaim = {
  actionId: ref('01SAMPLE'),
  requestHash: 'hash',
  providerReference: ref('order-123'),
  risk: 'financial',
  metadata: '{"order":"123"}',
  state: 'PENDING',
  holder: 'holder',
  leaseUntil,
  createdAt: startedAt,
  completedAt: null,
}

function effectOf(attempts: readonly Attempt[], observations: readonly Observation[] = []): Effect {
  return {
    ...unclaimed(key),
    version: 7,
    attempts: attempts.map((one, index) => ({ ...one, number: index + 1 })),
    observations: observations.map((one, index) => ({ ...one, sequence: index + 1 })),
  }
}

function callOf(
  effect: Effect,
  attempts: readonly CallAttempt[] = [],
  state: CallClaim['state'] = 'PENDING',
): GuardedCall {
  return { claim: { ...claim, state, completedAt: state === 'COMPLETED' ? startedAt : null }, effect, attempts }
}

const told: CallAttempt = { number: 1, error: 'lost', isRetryable: false, decision: 'stop', nextAttemptAt: null }
const returned = attempt({ ending: ending('returned', { evidence: 'CONFIRMED', externalReference: ref('r1') }) })
const lost = attempt({ ending: ending('failed_unknown', { externalReference: ref('r0') }) })
const refused = attempt({ ending: ending('failed_known') })
const found = observation({ verdict: 'CONFIRMED', answer: 'confirmed', externalReference: ref('r2') })
const absent = observation({ verdict: 'FAILED', answer: 'absent' })
const unsure = observation({ verdict: 'UNKNOWN', answer: 'unknown' })
const late = observation({
  source: 'executor',
  answer: 'returned',
  verdict: 'CONFIRMED',
  flags: ['late'],
  externalReference: ref('r3'),
})

describe('a receipt', () => {
  it('says nothing of a call that was not started', () => {
    expect(actionReceipt(callOf(effectOf([])))).toMatchObject({
      name: 'charge_customer',
      idempotencyKey: 'order-123',
      state: 'PENDING',
      executionStatus: null,
      verificationStatus: null,
      finalStatus: null,
      attempts: [],
      metadata: { order: '123' },
      version: 7,
      nextAttemptAt: null,
    })
  })

  it('tells whose word each observation is', () => {
    const { observations } = actionReceipt(callOf(effectOf([lost], [late, found]), [told]))

    expect(observations.map(({ source, status }) => [source, status])).toEqual([
      ['operation', 'CONFIRMED'],
      ['verifier', 'CONFIRMED'],
    ])
  })

  it('has no final status before the call is completed', () => {
    const pending = actionReceipt(callOf(effectOf([attempt()])))

    expect(pending).toMatchObject({ executionStatus: 'UNKNOWN', finalStatus: null })
    expect(pending.attempts).toEqual([
      {
        number: 1,
        executionStatus: null,
        verificationStatus: null,
        reason: null,
        error: null,
        providerRequestId: null,
        retryDecision: null,
        startedAt,
        endedAt: null,
      },
    ])
  })

  it('tells what was made, seen and decided', () => {
    const receipt = actionReceipt(callOf(effectOf([lost], [found]), [told], 'COMPLETED'))

    expect(receipt).toMatchObject({
      executionStatus: 'UNKNOWN',
      verificationStatus: 'CONFIRMED',
      finalStatus: 'CONFIRMED',
      providerRequestId: 'r2',
      providerRequestIds: ['r0', 'r2'],
      providerRequestIdConflict: false,
      completedAt: startedAt,
    })
    expect(receipt.attempts[0]).toMatchObject({ error: 'lost', retryDecision: 'stop', verificationStatus: 'CONFIRMED' })
    expect(receipt.observations).toEqual([
      {
        source: 'verifier',
        status: 'CONFIRMED',
        covers: { from: 1, to: 1 },
        reason: null,
        providerRequestId: 'r2',
        beganAt: leaseUntil,
        endedAt: leaseUntil + 100,
      },
    ])
  })

  it('tells when the next attempt is due, until it is made or the call is completed', () => {
    const waiting: CallAttempt = { ...told, decision: 'retry', nextAttemptAt: 5 }

    expect(actionReceipt(callOf(effectOf([lost]), [waiting])).nextAttemptAt).toBe(5)
    expect(actionReceipt(callOf(effectOf([lost, attempt()]), [waiting])).nextAttemptAt).toBeNull()
    expect(actionReceipt(callOf(effectOf([lost]), [waiting], 'COMPLETED')).nextAttemptAt).toBeNull()
  })

  it('cannot be changed, and leaves what it was made of as it was', () => {
    const call = callOf(effectOf([lost], [found]), [told], 'COMPLETED')
    const receipt: ActionReceipt = actionReceipt(call)

    for (const part of [
      receipt,
      receipt.attempts,
      receipt.attempts[0],
      receipt.observations[0]?.covers,
      receipt.metadata,
    ]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
    expect(Object.isFrozen(call.effect.observations[0]?.covers)).toBe(false)
  })
})

describe('the statuses of a call', () => {
  it.each<[string, Effect, string, string | null, string, boolean]>([
    ['a return', effectOf([returned]), 'CONFIRMED', null, 'CONFIRMED', false],
    ['a lost answer', effectOf([lost]), 'UNKNOWN', null, 'UNKNOWN', false],
    ['a refusal and a finding', effectOf([refused], [found]), 'FAILED', 'CONFIRMED', 'UNKNOWN', true],
    ['a look that said nothing', effectOf([lost], [unsure]), 'UNKNOWN', 'UNKNOWN', 'UNKNOWN', false],
    ['a late return', effectOf([lost], [late]), 'CONFIRMED', null, 'CONFIRMED', false],
    ['a late return against an absence', effectOf([lost], [absent, late]), 'CONFIRMED', 'FAILED', 'UNKNOWN', true],
  ])('after %s', (_what, effect, execution, verification, final, conflict) => {
    expect(callStatuses(effect)).toMatchObject({ execution, verification, final, conflict })
  })

  it.each<[readonly Observation[], string | null]>([
    [[], null],
    [[late], null],
    [[unsure], 'UNKNOWN'],
    [[found, unsure], 'CONFIRMED'],
    [[absent], 'FAILED'],
    [[absent, found], 'UNKNOWN'],
    [[observation({ verdict: 'CONFIRMED', covers: { from: 1, to: 2 } })], null],
  ])('after one attempt the answers %# say %s', (observations, status) => {
    expect(verificationAfter(effectOf([lost, lost], observations), 1)).toBe(status)
  })
})

describe('the request ids of a call', () => {
  it.each<[string, Effect, string | null, readonly string[], boolean]>([
    ['none', effectOf([attempt()]), null, [], false],
    ['one that was returned and believed', effectOf([returned]), 'r1', ['r1'], false],
    ['one of a lost answer', effectOf([lost]), null, ['r0'], false],
    ['one that was found', effectOf([lost], [found]), 'r2', ['r0', 'r2'], false],
    ['two that were confirmed', effectOf([returned], [found]), 'r1', ['r1', 'r2'], true],
    [
      'two that were found',
      effectOf([lost], [found, { ...found, externalReference: ref('r4') }]),
      'r2',
      ['r0', 'r2', 'r4'],
      true,
    ],
    ['one of an absence', effectOf([lost], [{ ...absent, externalReference: ref('r5') }]), null, ['r0', 'r5'], false],
    [
      'one that was returned and is to be verified',
      effectOf([attempt({ ending: ending('returned', { externalReference: ref('r1') }) })], [unsure]),
      'r1',
      ['r1'],
      false,
    ],
    [
      'one of a late return that is to be verified',
      effectOf([lost], [{ ...late, verdict: 'UNKNOWN' }]),
      'r3',
      ['r0', 'r3'],
      false,
    ],
    [
      'those of two attempts, in their order',
      effectOf([lost, returned], [{ ...unsure, externalReference: ref('r6') }]),
      'r1',
      ['r0', 'r6', 'r1'],
      false,
    ],
  ])('%s', (_what, effect, retained, all, conflict) => {
    expect(requestIdsOf(effect)).toEqual({ retained, all, conflict })
  })
})

describe('the progress of a call', () => {
  it('tells of an attempt, decides on it and completes the call', () => {
    const call = callOf(effectOf([lost]))
    const ended = withProgress(call, {
      ended: { number: 1, error: null, isRetryable: true },
      decided: [],
      completedAt: null,
    })
    const decided = withProgress(ended, {
      ended: null,
      decided: [{ number: 1, decision: 'retry', nextAttemptAt: 9 }],
      completedAt: null,
    })
    const completed = withProgress(decided, { ended: null, decided: [], completedAt: 12 })

    expect(ended.attempts).toEqual([{ number: 1, error: null, isRetryable: true, decision: null, nextAttemptAt: null }])
    expect(decided.attempts).toEqual([{ ...ended.attempts[0], decision: 'retry', nextAttemptAt: 9 }])
    expect(completed.claim).toEqual({ ...claim, state: 'COMPLETED', completedAt: 12 })
    expect(call.attempts).toEqual([])
  })
})
