// Executing a guarded call: claim, start, call, settle, verify; and once more only where the policy and the evidence allow it.
import { ActionClaimLostError, ActionInProgressError } from '../../effect/calls/action-error.ts'
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import { ActionResult } from '../../effect/calls/action-result.ts'
import type { CallInput } from '../../effect/calls/call-input.ts'
import { callStatuses } from '../../effect/calls/call-evidence.ts'
import type { GuardedCall } from '../../effect/calls/guarded-call.ts'
import type { CallValue } from '../../effect/calls/readable-value.ts'
import type { Attempt } from '../../effect/effect.ts'
import { parseReasonCode } from '../../effect/reference.ts'
import { askVerifier } from './ask-verifier.ts'
import type { CallCore } from './call-core.ts'
import { callOperation, type OperationAnswer } from './call-operation.ts'
import { claimCall } from './claim-call.ts'
import { decided } from './decide-retry.ts'
import type { GuardedOperation, VerifyAction } from './operation.ts'
import { completeCall } from './complete-call.ts'
import { hearLate } from './hear-late.ts'
import { demanded } from './persistence.ts'
import { recordObservation } from './record-observation.ts'
import { reconcileCall } from './reconcile-call.ts'
import { recordLate, settleCall } from './settle-call.ts'
import { startAttempt } from './start-attempt.ts'

/** A call, read, with what it calls and what looks after it. */
export interface Execution<R> {
  readonly input: CallInput
  /** The copy of the input, as the operation's author typed it. */
  readonly request: R
  readonly operation: GuardedOperation<R, unknown>
  readonly verify: VerifyAction | null
}

/** Where an execution stands. */
interface Standing {
  readonly call: GuardedCall
  /** The value in hand, if any. */
  readonly value: CallValue
}

const NO_VALUE: CallValue = { source: 'none' }

/**
 * Executes a call, or answers what became of it when it was made before.
 * @throws ActionError; `invoked` says whether the operation was called.
 */
export async function executeCall<R>(core: CallCore, execution: Execution<R>): Promise<ActionResult> {
  const claimed = await claimCall(core, execution.input)
  if (claimed.kind === 'completed') return replay(core, claimed.call, execution.verify)
  let standing: Standing = { call: claimed.call, value: NO_VALUE }
  while (standing.call.claim.state === 'PENDING') {
    await untilDue(core, standing.call)
    standing = await attempt(core, execution, standing)
  }
  return new ActionResult(actionReceipt(standing.call), false, standing.value)
}

// What was completed is answered again; only a look may still be taken at what is UNKNOWN (evidence I2).
async function replay(core: CallCore, call: GuardedCall, verify: VerifyAction | null): Promise<ActionResult> {
  const isUnknown = callStatuses(call.effect).final === 'UNKNOWN'
  if (isUnknown && verify !== null) return reconcileCall(core, call, verify, true)
  return new ActionResult(actionReceipt(call), true, NO_VALUE)
}

async function attempt<R>(core: CallCore, execution: Execution<R>, standing: Standing): Promise<Standing> {
  const { input, request, operation, verify } = execution
  const beganMs = core.clock.monotonic()
  const started = await startAttempt(core, input, standing.call)
  if (started.kind === 'moved') return moved(core, input, standing)

  const { call, attempt: made } = started
  const verified = verify !== null
  const elapsedMs = core.clock.monotonic() - beganMs
  const { providerReference } = input
  const answer = hasTimeLeft(core, made, elapsedMs)
    ? await callOperation(core, { attempt: made, operation, request, providerReference, verified })
    : notSent(core)
  const { word, late } = answer
  if (late !== null) {
    hearLate(core, made, async () => recordLate(core, { input, attempt: made, word: await late, verified }))
  }
  const settled = await settleCall(core, call, { input, attempt: made, word, verified })
  const { externalReference: requestId } = word.ending
  const value: CallValue =
    word.returned === null ? NO_VALUE : { source: 'direct', value: word.returned.value, requestId }
  const after = { call: settled, value }
  if (settled.effect.epoch !== made.epoch) return fenced(after)
  return verify === null ? after : verifyAttempt(core, input, after, made, verify)
}

// From the start on others may judge the lease: a process that stood still does not call what they may be looking for.
function hasTimeLeft(core: CallCore, { startedAt, leaseUntil }: Attempt, elapsedMs: number): boolean {
  const { timeoutMs, graceMs } = core.times
  const leftMs = Math.min(leaseUntil - startedAt - elapsedMs, leaseUntil - core.clock.now())
  return leftMs >= timeoutMs + graceMs
}

function notSent(core: CallCore): OperationAnswer {
  const reason = parseReasonCode('lease_too_short', '')
  const at = core.clock.now()
  const ending = { kind: 'not_sent', evidence: 'FAILED', at, reason, externalReference: null } as const
  return { word: { ending, errorText: null, isRetryable: true, returned: null }, late: null }
}

async function verifyAttempt(
  core: CallCore,
  input: CallInput,
  { call, value }: Standing,
  made: Attempt,
  verify: VerifyAction,
): Promise<Standing> {
  const { observation, value: recovered } = await askVerifier(core, call, verify)
  const recorded = await recordObservation(core, {
    key: input.key,
    observation,
    invoked: 'yes',
    progress(before, after) {
      const isMine = before.claim.state === 'PENDING' && before.effect.epoch === made.epoch
      if (!isMine) return null
      const isRetryable = before.attempts.at(-1)?.isRetryable ?? false
      return { ended: null, ...decided(core, input.policy, after, isRetryable) }
    },
  })
  const standing = { call: recorded, value: value.source === 'none' ? recovered : value }
  return recorded.effect.epoch === made.epoch ? standing : fenced(standing)
}

// Somebody raised the fence: what this worker saw is on record, and nothing more is for it to do.
function fenced(standing: Standing): Standing {
  if (standing.call.claim.state === 'COMPLETED') return standing
  throw new ActionInProgressError(actionReceipt(standing.call), { invoked: 'yes', nextStep: 'wait' })
}

// The start was refused: the claim is somebody else's now, or evidence came in while the next attempt was waited for.
async function moved(core: CallCore, input: CallInput, { call, value }: Standing): Promise<Standing> {
  const invoked = call.effect.attempts.length === 0 ? 'no' : 'yes'
  const read = await demanded(() => core.store.call(input.key), invoked, { receipt: actionReceipt(call) })
  if (read === null || invoked === 'no') throw new ActionClaimLostError({ invoked, nextStep: 'call_again' })
  if (read.effect.epoch !== call.effect.epoch) return fenced({ call: read, value })
  // The retry was decided on other evidence than there is now: it is not made.
  return { call: await completeCall(core, input.key, 'yes'), value }
}

// The time was stored before it is waited for, so a worker that dies here leaves nothing under way (evidence K8).
async function untilDue(core: CallCore, { attempts }: GuardedCall): Promise<void> {
  const dueAt = attempts.at(-1)?.nextAttemptAt ?? null
  const waitMs = dueAt === null ? 0 : dueAt - core.clock.now()
  if (waitMs <= 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  core.clock.timer(waitMs, resolve)
  await promise
}
