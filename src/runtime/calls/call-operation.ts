// The one place that calls a guarded operation: once for each started attempt, within its time, and listened to until the end.
import type { Attempt } from '../../effect/effect.ts'
import { isReference, type Reference } from '../../effect/reference.ts'
import type { HostCall } from '../../proposal/answers/executor-word.ts'
import { settled } from '../host-call.ts'
import type { CallCore } from './call-core.ts'
import type { GuardedOperation } from './operation.ts'
import { type OperationWord, operationWord } from './operation-word.ts'

/** A started attempt and what it calls. */
export interface StartedCall<R> {
  readonly attempt: Attempt
  readonly operation: GuardedOperation<R, unknown>
  readonly request: R
  readonly providerReference: Reference | null
  readonly verified: boolean
}

/** The word of a call, and the one that it may still give after its time; null once it has ended. */
export interface OperationAnswer {
  readonly word: OperationWord
  readonly late: Promise<OperationWord> | null
}

/**
 * Calls the operation of an attempt that is durably started. At the limit the signal fires; an operation that ignores it is
 * waited for a little longer and then counts as timed out. Nothing is thrown. Spec: harness 1, rules R4 and R18.
 */
export async function callOperation<R>(core: CallCore, call: StartedCall<R>): Promise<OperationAnswer> {
  const { attempt, operation, request, providerReference, verified } = call
  const { timeoutMs, graceMs } = core.times
  const abort = new AbortController()
  let sending = false
  let requestId: Reference | null = null

  const { promise: timeIsOver, resolve: stopWaiting } = Promise.withResolvers<HostCall>()
  const cancelAbort = core.clock.timer(timeoutMs, () => {
    abort.abort(new DOMException('The time limit of the call was reached.', 'TimeoutError'))
  })
  const cancelWaiting = core.clock.timer(timeoutMs + graceMs, () => stopWaiting({ kind: 'timed_out' }))
  const abortAtMs = core.clock.monotonic() + timeoutMs
  const judge = (ended: HostCall): OperationWord => {
    // A process that stood still wakes up with its timers behind: its signal has not fired and should have.
    const late = abort.signal.aborted || core.clock.monotonic() >= abortAtMs
    return operationWord(ended, { late, sending, verified, requestId, at: core.clock.now() })
  }

  const returned = settled(() => {
    return operation({
      request,
      providerReference,
      attempt: attempt.number,
      attemptToken: attempt.token,
      providerIdempotencyKey: attempt.idempotencyKey,
      signal: abort.signal,
      markSending: () => {
        sending = true
      },
      // An id of another form cannot be kept; that must not become the end of a call that may have taken effect.
      reportRequestId: (id) => {
        if (isReference(id)) requestId = id
        else
          core.warn('request_id_malformed', 'A provider request id is not of the form of a reference and is not kept.')
      },
    })
  })
  const ended = await Promise.race([returned, timeIsOver])
  cancelAbort()
  cancelWaiting()
  return { word: judge(ended), late: ended.kind === 'timed_out' ? returned.then(judge) : null }
}
