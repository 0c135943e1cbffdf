// The one place that calls a host's executor: once for each admitted attempt, within its lease, and listened to until the end.
import type { JsonValue } from '../../effect/canonical-json.ts'
import { stepKey } from '../../effect/effect-key.ts'
import { type ExecutorWord, executorWord, type HostCall } from '../../proposal/answers/executor-word.ts'
import type { Resolution } from '../../proposal/answers/resolution.ts'
import type { Core } from '../core.ts'
import { settled } from '../host-call.ts'
import { hostTrouble, troubleUnlessReturned } from '../host-trouble.ts'
import type { Admitted } from './settle-attempt.ts'

/** What the executor is called with, beside its attempt. */
export interface ExecutorCall {
  readonly admitted: Admitted
  /** Parsed from the committed bytes for this call alone (rules R10). */
  readonly snapshot: JsonValue
  readonly resolution: Resolution
  /** On the monotonic clock: when the signal fires, and when nobody waits any longer. */
  readonly abortInMs: number
  readonly leaseLeftMs: number
}

/** The word of a call, and the one that it may still give after its lease; null once it has ended. */
export interface ExecutorAnswer {
  readonly word: ExecutorWord
  readonly late: Promise<ExecutorWord> | null
}

/**
 * Calls the executor and answers its word. At the contract's limit the signal fires; a call that ignores it is waited for
 * until its lease ends and then counts as timed out. Whatever it says after the signal, words of failure are no longer
 * believed. Nothing is thrown. Spec: lifecycle 6.11, rules R4 and R18.
 */
export async function callExecutor(core: Core, call: ExecutorCall): Promise<ExecutorAnswer> {
  const { admitted, snapshot, resolution } = call
  const { registered, attempt, proposal } = admitted
  const { action } = registered.definition
  const abort = new AbortController()
  let sending = false

  const { promise: leaseOver, resolve: leaseEnds } = Promise.withResolvers<HostCall>()
  const cancelAbort = core.clock.timer(call.abortInMs, () => {
    abort.abort(new DOMException('The time limit of the call was reached.', 'TimeoutError'))
  })
  const cancelLease = core.clock.timer(call.leaseLeftMs, () => leaseEnds({ kind: 'timed_out' }))
  const abortAtMs = core.clock.monotonic() + call.abortInMs
  const judge = (ended: HostCall): ExecutorWord => {
    // A process that stood still wakes up with its timers behind: its signal has not fired and should have.
    const late = abort.signal.aborted || core.clock.monotonic() >= abortAtMs
    const facts = { late, sending, at: core.storeClock.latest() }
    const word = executorWord(ended, facts, registered.executed)
    const asked = { method: 'execute', proposal: proposal.ref }
    // A word of failure that counts is an answer; every other error is the host's trouble.
    if (word.ending.reason === 'execute_timed_out' && ended.kind === 'threw') {
      // Thrown because the signal fired: it hung, as one that ignores its signal does.
      hostTrouble(core, asked, { kind: 'timed_out', error: ended.error })
    } else if (word.ending.evidence !== 'FAILED') {
      troubleUnlessReturned(core, asked, ended)
    }
    if (word.ending.reason === 'malformed_return') hostTrouble(core, asked, { kind: 'malformed' })
    return word
  }

  const returned = settled(() => {
    return action.execute({
      // Both were read through this definition's own schema.
      snapshot: snapshot as Parameters<typeof action.execute>[0]['snapshot'],
      current: resolution.current as Parameters<typeof action.execute>[0]['current'],
      precondition: resolution.precondition,
      semanticEffectReference: proposal.effect.reference,
      idempotencyKey: attempt.idempotencyKey,
      stepKey: (step) => stepKey(attempt.idempotencyKey, step),
      attempt: attempt.number,
      epoch: attempt.epoch,
      context: {
        tenant: proposal.tenant,
        proposal: proposal.ref,
        requester: proposal.requester,
        agent: proposal.agent,
      },
      signal: abort.signal,
      markSending: () => {
        sending = true
      },
    })
  })
  const ended = await Promise.race([returned, leaseOver])
  cancelAbort()
  cancelLease()
  const late = ended.kind === 'timed_out' ? returned.then(judge) : null
  return { word: judge(ended), late }
}
