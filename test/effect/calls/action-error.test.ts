// The errors and results of guarded calls: each says whether anything was called, and what to do next.
import { describe, expect, it } from 'vitest'
import {
  ActionClaimLostError,
  ActionError,
  ActionHeldError,
  ActionInProgressError,
  ActionNotFoundError,
  ActionNotStartedError,
  ActionPersistenceError,
  ActionStartedError,
  IdempotencyConflictError,
  InvalidCallError,
  ResultValueUnavailableError,
  UnresolvedActionError,
} from '../../../src/effect/calls/action-error.ts'
import { actionReceipt } from '../../../src/effect/calls/action-receipt.ts'
import { ActionResult } from '../../../src/effect/calls/action-result.ts'
import type { CallValue } from '../../../src/effect/calls/readable-value.ts'
import { unclaimed, withEnded, withOpened } from '../../../src/effect/effect-changes.ts'
import type { Evidence } from '../../../src/effect/effect.ts'
import { attempt, ending, ref } from '../builders.ts'

function receiptOf(state: 'PENDING' | 'COMPLETED', evidence: Evidence = 'CONFIRMED') {
  const key = { tenant: ref('default'), domain: 'call:charge', reference: ref('order-123') }
  const opened = withOpened(unclaimed(key), null, attempt({ proposal: null }))
  const effect = withEnded(opened, 1, ending('returned', { evidence }))
  const claim = {
    actionId: ref('01SAMPLE'),
    requestHash: 'hash',
    providerReference: null,
    risk: null,
    metadata: '{}',
    holder: 'holder',
    leaseUntil: 1,
    createdAt: 0,
  }
  const stated = state === 'PENDING' ? { ...claim, state, completedAt: null } : { ...claim, state, completedAt: 2 }
  return actionReceipt({ claim: stated, effect, attempts: [] })
}

const pending = receiptOf('PENDING')
const completed = receiptOf('COMPLETED')
const lost = new Error('the answer was lost')

const ERRORS: readonly (readonly [ActionError, code: string, invoked: string, nextStep: string])[] = [
  [new InvalidCallError('/name', 'empty'), 'invalid_call', 'no', 'correct_the_call'],
  [new ActionInProgressError(pending, { invoked: 'no', nextStep: 'wait' }), 'action_in_progress', 'no', 'wait'],
  [new IdempotencyConflictError('request', completed), 'idempotency_conflict', 'no', 'use_another_key'],
  [new UnresolvedActionError(completed, 'UNKNOWN'), 'unresolved_action', 'yes', 'reconcile'],
  [new UnresolvedActionError(completed, 'FAILED'), 'unresolved_action', 'yes', 'use_another_key'],
  [new ResultValueUnavailableError(completed), 'result_value_unavailable', 'yes', 'read_system_of_record'],
  [new ActionPersistenceError('yes', { receipt: null }, lost), 'action_persistence', 'yes', 'inspect_ledger'],
  [new ActionClaimLostError({ invoked: 'no', nextStep: 'call_again' }), 'action_claim_lost', 'no', 'call_again'],
  [new ActionHeldError(pending, 'no'), 'action_held', 'no', 'wait'],
  [new ActionHeldError(pending, 'yes'), 'action_held', 'yes', 'wait'],
  [new ActionNotFoundError(), 'action_not_found', 'no', 'inspect_ledger'],
  [new ActionNotStartedError(pending), 'action_not_started', 'no', 'release_unstarted'],
  [new ActionStartedError(pending), 'action_started', 'no', 'recover_pending'],
  [new ActionStartedError(completed), 'action_started', 'no', 'reconcile'],
]

describe('an error of a guarded call', () => {
  it.each(ERRORS)('%s has its code and its advice', (error, code, invoked, nextStep) => {
    expect(error).toBeInstanceOf(ActionError)
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ code, invoked, nextStep })
    expect(error.name).toBe(error.constructor.name)
    expect(error.message).toMatch(/^[A-Z].*[.]$/u)
  })

  it('of the store keeps its cause, and what was seen without any promise', () => {
    const bare = new ActionPersistenceError('no', { receipt: null }, lost)
    const seen = new ActionPersistenceError(
      'yes',
      {
        receipt: pending,
        observedStatus: 'CONFIRMED',
        observedMetadata: { order: '1' },
        value: { value: undefined },
      },
      lost,
    )

    expect(bare.cause).toBe(lost)
    expect(bare).toMatchObject({ observedStatus: null, observedMetadata: null, valueAvailable: false })
    expect(seen).toMatchObject({
      receipt: pending,
      observedStatus: 'CONFIRMED',
      observedMetadata: { order: '1' },
      valueAvailable: true,
    })
    expect(new ActionNotFoundError().cause).toBeUndefined()
  })
})

describe('a result', () => {
  const direct: CallValue = { source: 'direct', value: 0, requestId: null }

  it('has the value of a confirmed action, also a falsey one', () => {
    const result = new ActionResult<number>(completed, false, direct)

    expect(result).toMatchObject({ status: 'CONFIRMED', replayed: false, receipt: completed })
    expect(result.value).toBe(0)
    expect(Object.isFrozen(result)).toBe(true)
  })

  it('has none that is not there', () => {
    expect(() => new ActionResult(completed, true, { source: 'none' }).value).toThrow(ResultValueUnavailableError)
  })

  it.each(['FAILED', 'UNKNOWN'] as const)('of a %s action has none', (status) => {
    expect(() => new ActionResult(receiptOf('COMPLETED', status), false, direct).value).toThrow(UnresolvedActionError)
  })

  it('is not made of an action that is not completed', () => {
    expect(() => new ActionResult(pending, false, direct)).toThrow(TypeError)
  })
})
