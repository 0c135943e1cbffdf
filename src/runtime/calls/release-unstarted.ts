// Releasing a claim that was never started, so that its key is free again: the only deletion of a claim that there is.
import { ActionPersistenceError, ActionStartedError } from '../../effect/calls/action-error.ts'
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import { LOST_RACE, tried, untilStored } from '../rounds.ts'
import { type CallCore, callChange } from './call-core.ts'
import { findCall } from './find-call.ts'

/**
 * Removes the claim. It races with the start of the first attempt, and one of the two wins. Spec: evidence 6.3, rules R16.
 * @throws ActionStartedError if an attempt was started; the claim stays then.
 */
export async function releaseUnstarted(core: CallCore, actionId: unknown): Promise<void> {
  await untilStored(async () => {
    const found = await findCall(core, actionId)
    const { attempts, key, version } = found.effect
    if (attempts.length > 0) throw new ActionStartedError(actionReceipt(found))
    const change = callChange(core, { effect: null, call: { kind: 'release', key, version } })
    try {
      const answer = await tried(() => core.store.commit(change))
      return answer.kind === 'committed' ? null : LOST_RACE
    } catch (cause) {
      throw new ActionPersistenceError('no', { receipt: actionReceipt(found) }, cause)
    }
  })
}
