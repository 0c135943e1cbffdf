// Completing a call on the evidence that is there, without anything to add to it.
import { ActionPersistenceError, type Invoked } from '../../effect/calls/action-error.ts'
import { withProgress } from '../../effect/calls/call-changes.ts'
import type { GuardedCall } from '../../effect/calls/guarded-call.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import { effectWrite } from '../effect-write.ts'
import { LOST_RACE, tried, untilStored } from '../rounds.ts'
import { type CallCore, callChange } from './call-core.ts'

/**
 * Completes a call whose attempts have ended; one that is completed is answered as it is.
 * @throws ActionPersistenceError
 */
export async function completeCall(core: CallCore, key: EffectKey, invoked: Invoked): Promise<GuardedCall> {
  try {
    return await untilStored(async () => {
      const call = await tried(() => core.store.call(key))
      if (call === null) throw new Error('a call that was started is never released')
      if (call.claim.state === 'COMPLETED') return call
      const effect = { ...call.effect, version: call.effect.version + 1 }
      const progress = { ended: null, decided: [], completedAt: core.clock.now() }
      const write = {
        effect: effectWrite(effect, call.effect.version),
        call: { kind: 'progress', ...progress } as const,
      }
      const answer = await tried(() => core.store.commit(callChange(core, write)))
      return answer.kind === 'committed' ? withProgress({ ...call, effect }, progress) : LOST_RACE
    })
  } catch (cause) {
    throw new ActionPersistenceError(invoked, { receipt: null }, cause)
  }
}
