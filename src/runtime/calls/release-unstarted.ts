// Releasing a claim that was never started, so that its key is free again: the only deletion of a claim that there is.
import { ActionStartedError } from '../../effect/calls/action-error.ts'
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import { LOST_RACE, tried } from '../rounds.ts'
import { type CallCore, callChange } from './call-core.ts'
import { findCall } from './find-call.ts'
import { demanded, untilWon } from './persistence.ts'

/**
 * Removes the claim. It races with the start of the first attempt, and one of the two wins. Spec: evidence 6.3, rules R16.
 * @throws ActionStartedError if an attempt was started; the claim stays then.
 */
export async function releaseUnstarted(core: CallCore, actionId: unknown): Promise<void> {
  await untilWon(
    async () => {
      const found = await findCall(core, actionId)
      const { attempts, key, version } = found.effect
      const receipt = actionReceipt(found)
      if (attempts.length > 0) throw new ActionStartedError(receipt)
      const change = callChange(core, { effect: null, call: { kind: 'release', key, version } })
      const answer = await demanded(() => tried(() => core.store.commit(change)), 'no', { receipt })
      return answer.kind === 'committed' ? null : LOST_RACE
    },
    'no',
    { receipt: null },
  )
}
