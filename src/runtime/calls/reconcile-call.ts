// Reconciling: a verifier is asked about a completed call, and its answer is merged into what is on record.
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import { ActionResult } from '../../effect/calls/action-result.ts'
import type { GuardedCall } from '../../effect/calls/guarded-call.ts'
import { askVerifier } from './ask-verifier.ts'
import type { CallCore } from './call-core.ts'
import type { VerifyAction } from './operation.ts'
import { recordObservation } from './record-observation.ts'

/**
 * Looks once and never calls the operation. Observations of several are merged; none replaces another.
 * @throws ActionPersistenceError if the answer could not be stored.
 */
export async function reconcileCall(
  core: CallCore,
  call: GuardedCall,
  verify: VerifyAction,
  replayed: boolean,
): Promise<ActionResult> {
  const { observation, value } = await askVerifier(core, call, verify)
  const { key } = call.effect
  const recorded = await recordObservation(core, { key, observation, progress: () => null, invoked: 'no' })
  return new ActionResult(actionReceipt(recorded), replayed, value)
}
