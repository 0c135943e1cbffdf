// Finding a guarded call by its action id.
import { ActionNotFoundError } from '../../effect/calls/action-error.ts'
import type { GuardedCall } from '../../effect/calls/guarded-call.ts'
import { isReference } from '../../effect/reference.ts'
import { EffectKindConflict } from '../../proposal/errors.ts'
import { tried } from '../rounds.ts'
import type { CallCore } from './call-core.ts'
import { demanded } from './persistence.ts'

const NOTHING_SEEN = { receipt: null }

/**
 * The call of that id, in the runner's tenant.
 * @throws ActionNotFoundError if there is none, EffectKindConflict if the id is that of a proposal: its effect is not for a
 * runner to look into (trace S13).
 */
export async function findCall(core: CallCore, actionId: unknown): Promise<GuardedCall> {
  if (!isReference(actionId)) throw new ActionNotFoundError()
  const key = await demanded(() => tried(() => core.store.callById(core.tenant, actionId)), 'no', NOTHING_SEEN)
  if (key !== null) {
    const call = await demanded(() => tried(() => core.store.call(key)), 'no', NOTHING_SEEN)
    if (call?.claim.actionId === actionId) return call
  }
  const proposal = await demanded(() => tried(() => core.store.proposal(core.tenant, actionId)), 'no', NOTHING_SEEN)
  throw proposal === null ? new ActionNotFoundError() : new EffectKindConflict()
}
