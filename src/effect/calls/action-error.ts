// The errors of guarded calls: each with a stable code, whether the operation was invoked, and what to do next.
import type { JsonValue } from '../canonical-json.ts'
import type { ActionReceipt } from './action-receipt.ts'
import type { ActionStatus } from './guarded-call.ts'

/** What went wrong with a guarded call. */
export type ActionErrorCode =
  | 'invalid_call'
  | 'action_in_progress'
  | 'idempotency_conflict'
  | 'unresolved_action'
  | 'result_value_unavailable'
  | 'action_persistence'
  | 'action_claim_lost'
  | 'action_held'
  | 'action_not_found'
  | 'action_not_started'
  | 'action_started'

/** Whether the operation was called, by this use of the runner. `maybe` is never permission to call it again. */
export type Invoked = 'no' | 'yes' | 'maybe'

/**
 * What to do next. `call_again`: the same call, with the same key. `wait`: somebody else is at it. `inspect_ledger`: read
 * the receipt before anything else. `reconcile`, `recover_pending`, `release_unstarted`: the runner's operation of that
 * name. `use_another_key`: what is meant is another action. `read_system_of_record`: the value is not kept here.
 * `correct_the_call`: nothing but the caller's code can help.
 */
export type ActionNextStep =
  | 'call_again'
  | 'wait'
  | 'inspect_ledger'
  | 'reconcile'
  | 'recover_pending'
  | 'release_unstarted'
  | 'use_another_key'
  | 'read_system_of_record'
  | 'correct_the_call'

/** What every error of a guarded call is. The message is safe to show: it holds no value of the caller's. Spec: harness 1. */
export abstract class ActionError extends Error {
  abstract readonly code: ActionErrorCode
  readonly invoked: Invoked
  readonly nextStep: ActionNextStep

  constructor(
    message: string,
    advice: { readonly invoked: Invoked; readonly nextStep: ActionNextStep },
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = new.target.name
    this.invoked = advice.invoked
    this.nextStep = advice.nextStep
  }
}

/** An input is not of its form. Refused before anything was claimed: the key is free. */
export class InvalidCallError extends ActionError {
  readonly code = 'invalid_call'
  /** JSON Pointer into the call: `/name`, `/request/…`, `/metadata/…`. */
  readonly path: string
  /** The rule or the limit that is broken, as a code. */
  readonly rule: string
  constructor(path: string, rule: string) {
    super(`The value at "${path}" of the call is refused: ${rule}.`, { invoked: 'no', nextStep: 'correct_the_call' })
    this.path = path
    this.rule = rule
  }
}

/** The same call is PENDING: another worker has it, or a recovery that fenced this one is not done. */
export class ActionInProgressError extends ActionError {
  readonly code = 'action_in_progress'
  readonly receipt: ActionReceipt
  constructor(receipt: ActionReceipt, advice: { readonly invoked: 'no' | 'yes'; readonly nextStep: ActionNextStep }) {
    super('The action is claimed and not completed.', advice)
    this.receipt = receipt
  }
}

/** The key was used before, for another request or another provider reference. */
export class IdempotencyConflictError extends ActionError {
  readonly code = 'idempotency_conflict'
  readonly differs: 'request' | 'provider_reference'
  readonly receipt: ActionReceipt
  constructor(differs: 'request' | 'provider_reference', receipt: ActionReceipt) {
    super('The idempotency key was used for another call.', { invoked: 'no', nextStep: 'use_another_key' })
    this.differs = differs
    this.receipt = receipt
  }
}

/** The value of an action was read that is FAILED or UNKNOWN. */
export class UnresolvedActionError extends ActionError {
  readonly code = 'unresolved_action'
  readonly status: ActionStatus
  readonly receipt: ActionReceipt
  constructor(receipt: ActionReceipt, status: ActionStatus) {
    super(`The action is ${status}: it has no value.`, {
      invoked: 'yes',
      nextStep: status === 'FAILED' ? 'use_another_key' : 'reconcile',
    })
    this.status = status
    this.receipt = receipt
  }
}

/** The action is CONFIRMED, but its value is not at hand or cannot be correlated with the request on record. */
export class ResultValueUnavailableError extends ActionError {
  readonly code = 'result_value_unavailable'
  readonly receipt: ActionReceipt
  constructor(receipt: ActionReceipt) {
    super('The action is CONFIRMED; its value is not kept, or belongs to another request.', {
      invoked: 'yes',
      nextStep: 'read_system_of_record',
    })
    this.receipt = receipt
  }
}

/** What was seen in this process when the store failed: diagnosis, and no proof that anything was stored. */
export interface ObservedOutcome {
  /** Last safely observed; null if there was none yet. */
  readonly receipt: ActionReceipt | null
  readonly observedStatus?: ActionStatus | null
  readonly observedMetadata?: Readonly<Record<string, JsonValue>> | null
  /** Present if an immediate confirmed value was returned. */
  readonly value?: { readonly value: unknown }
}

/** The store failed at a transition. The claim stays as a barrier: never permission to repeat the call. */
export class ActionPersistenceError extends ActionError {
  readonly code = 'action_persistence'
  readonly receipt: ActionReceipt | null
  readonly observedStatus: ActionStatus | null
  readonly observedMetadata: Readonly<Record<string, JsonValue>> | null
  readonly valueAvailable: boolean
  readonly observedValue: unknown
  constructor(invoked: Invoked, observed: ObservedOutcome, cause: unknown) {
    super(
      'The ledger could not be written or read; what is stored must be looked at.',
      { invoked, nextStep: 'inspect_ledger' },
      cause,
    )
    this.receipt = observed.receipt
    this.observedStatus = observed.observedStatus ?? null
    this.observedMetadata = observed.observedMetadata ?? null
    this.valueAvailable = observed.value !== undefined
    this.observedValue = observed.value?.value
  }
}

/** The claim was released, taken over or fenced before this worker's attempt was started: that one was not made. */
export class ActionClaimLostError extends ActionError {
  readonly code = 'action_claim_lost'
  constructor(advice: { readonly invoked: 'no' | 'yes'; readonly nextStep: ActionNextStep }) {
    super('Somebody else has the claim now; this attempt was not made.', advice)
  }
}

/**
 * The store was put back, and nothing is called until that is acknowledged, or until whatever was called before has landed:
 * this attempt was not made. Spec: rules R15.
 */
export class ActionHeldError extends ActionError {
  readonly code = 'action_held'
  readonly receipt: ActionReceipt
  constructor(receipt: ActionReceipt, invoked: 'no' | 'yes') {
    super('The store was put back: nothing is called for now.', { invoked, nextStep: 'wait' })
    this.receipt = receipt
  }
}

/** There is no guarded call of that id in this tenant; one that was released is gone. */
export class ActionNotFoundError extends ActionError {
  readonly code = 'action_not_found'
  constructor() {
    super('There is no such action.', { invoked: 'no', nextStep: 'inspect_ledger' })
  }
}

/** The action was claimed and never started: there is nothing to verify. */
export class ActionNotStartedError extends ActionError {
  readonly code = 'action_not_started'
  readonly receipt: ActionReceipt
  constructor(receipt: ActionReceipt) {
    super('The action was never started.', { invoked: 'no', nextStep: 'release_unstarted' })
    this.receipt = receipt
  }
}

/** The action was started, so its claim is never released. */
export class ActionStartedError extends ActionError {
  readonly code = 'action_started'
  readonly receipt: ActionReceipt
  constructor(receipt: ActionReceipt) {
    super('The action was started; its claim stays.', {
      invoked: 'no',
      nextStep: receipt.state === 'COMPLETED' ? 'reconcile' : 'recover_pending',
    })
    this.receipt = receipt
  }
}
