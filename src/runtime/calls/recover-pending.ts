// Recovering a stranded call: the fence is raised before a verifier is asked, so that no absence can be outrun.
import { ActionNotStartedError, ActionPersistenceError } from '../../effect/calls/action-error.ts'
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import { ActionResult } from '../../effect/calls/action-result.ts'
import { withProgress } from '../../effect/calls/call-changes.ts'
import type { CallProgress, GuardedCall } from '../../effect/calls/guarded-call.ts'
import { openAttempt } from '../../effect/effect-evidence.ts'
import type { AttemptEnding, Effect } from '../../effect/effect.ts'
import { withEnded, withFenceRaised } from '../../effect/effect-changes.ts'
import { parseReasonCode } from '../../effect/reference.ts'
import { effectWrite } from '../effect-write.ts'
import { LOST_RACE, tried, untilStored } from '../rounds.ts'
import { askVerifier } from './ask-verifier.ts'
import { type CallCore, callChange } from './call-core.ts'
import { findCall } from './find-call.ts'
import type { VerifyAction } from './operation.ts'
import { reconcileCall } from './reconcile-call.ts'
import { recordObservation } from './record-observation.ts'

/**
 * Completes a call that its worker left PENDING after an attempt had started. From the raised fence on, that worker starts
 * nothing more, and what it still says is late. A request that is on the wire can land all the same, which only the provider
 * could prevent: the verifier must know. A completed call is reconciled. Spec: evidence 6.2, harness 4 a 5.
 * @throws ActionNotStartedError if no attempt had started: release the claim instead.
 */
export async function recoverPending(core: CallCore, actionId: unknown, verify: VerifyAction): Promise<ActionResult> {
  const found = await findCall(core, actionId)
  if (found.claim.state === 'COMPLETED') return reconcileCall(core, found, verify, false)
  if (found.effect.attempts.length === 0) throw new ActionNotStartedError(actionReceipt(found))
  const fenced = await raiseFence(core, found)
  if (fenced.claim.state === 'COMPLETED') return reconcileCall(core, fenced, verify, false)

  const { observation, value } = await askVerifier(core, fenced, verify)
  const recorded = await recordObservation(core, {
    key: found.effect.key,
    observation,
    invoked: 'no',
    progress: ({ claim, attempts }) => {
      if (claim.state === 'COMPLETED') return null
      const undecided = attempts.filter(({ decision }) => decision === null)
      const decided = undecided.map(({ number }) => ({ number, decision: 'stop', nextAttemptAt: null }) as const)
      return { ended: null, decided, completedAt: core.clock.now() }
    },
  })
  return new ActionResult(actionReceipt(recorded), false, value)
}

async function raiseFence(core: CallCore, found: GuardedCall): Promise<GuardedCall> {
  const { key } = found.effect
  try {
    return await untilStored(async () => {
      const call = await tried(() => core.store.call(key))
      if (call === null) throw new Error('a call that was started is never released')
      return call.claim.state === 'COMPLETED' ? call : raiseOnce(core, call)
    })
  } catch (cause) {
    throw new ActionPersistenceError('no', { receipt: actionReceipt(found) }, cause)
  }
}

// An attempt that is still open ends without evidence, whether its worker is gone or only slow (harness 4 a 4).
async function raiseOnce(core: CallCore, call: GuardedCall): Promise<GuardedCall | typeof LOST_RACE> {
  const { effect } = call
  const open = openAttempt(effect)
  const raised = withFenceRaised(effect)
  if (open === null) {
    const change = callChange(core, { effect: effectWrite(raised, effect.version), call: null })
    const answer = await tried(() => core.store.commit(change))
    return answer.kind === 'committed' ? { ...call, effect: raised } : LOST_RACE
  }
  const ending: AttemptEnding = {
    kind: 'lease_lapsed',
    evidence: 'UNKNOWN',
    at: core.clock.now(),
    reason: parseReasonCode('fence_raised', ''),
    externalReference: null,
  }
  const after: Effect = withEnded(raised, open.number, ending)
  const ended = { number: open.number, token: open.token, ending, detail: null }
  const progress: CallProgress = {
    ended: { number: open.number, error: null, isRetryable: false },
    decided: [],
    completedAt: null,
  }
  const effectChange = effectWrite(after, effect.version, { ended })
  const change = callChange(core, { effect: effectChange, call: { kind: 'progress', ...progress } })
  const answer = await tried(() => core.store.commit(change))
  return answer.kind === 'committed' ? withProgress({ ...call, effect: after }, progress) : LOST_RACE
}
