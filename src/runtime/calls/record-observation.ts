// Recording: an observation is added to whatever is stored by then, and what follows from it is decided on that.
import { ActionPersistenceError, type Invoked } from '../../effect/calls/action-error.ts'
import { actionReceipt } from '../../effect/calls/action-receipt.ts'
import { withProgress } from '../../effect/calls/call-changes.ts'
import type { CallProgress, GuardedCall } from '../../effect/calls/guarded-call.ts'
import { withObserved } from '../../effect/effect-changes.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { Effect, Observation } from '../../effect/effect.ts'
import { isWorthKeeping } from '../../effect/thinning.ts'
import { effectWrite } from '../effect-write.ts'
import { LOST_RACE, tried, untilStored } from '../rounds.ts'
import { type CallCore, callChange } from './call-core.ts'

/** What is to be recorded, and how the call goes on after it. */
export interface Recording {
  readonly key: EffectKey
  readonly observation: Omit<Observation, 'sequence'>
  /** Decided anew on each round: what is added to the call, on the call as it was and the effect as it becomes. */
  readonly progress: (before: GuardedCall, after: Effect) => CallProgress | null
  readonly invoked: Invoked
}

/**
 * Adds the observation, never in the place of another: who finds a newer version looks again and merges (evidence 3.3). One
 * and the same change is offered again where the store could not answer, so that it is there once (evidence P13).
 * @throws ActionPersistenceError
 */
export async function recordObservation(core: CallCore, recording: Recording): Promise<GuardedCall> {
  const { key, invoked } = recording
  const seen: GuardedCall[] = []
  try {
    return await untilStored(async () => {
      const before = await tried(() => core.store.call(key))
      if (before === null) throw new Error('a call that was started is never released')
      seen.push(before)
      return recordOnce(core, recording, before)
    })
  } catch (cause) {
    const last = seen.at(-1)
    throw new ActionPersistenceError(invoked, { receipt: last === undefined ? null : actionReceipt(last) }, cause)
  }
}

async function recordOnce(
  core: CallCore,
  { observation, progress }: Recording,
  before: GuardedCall,
): Promise<GuardedCall | typeof LOST_RACE> {
  const { effect } = before
  const isKept = isWorthKeeping(effect, observation)
  const observed = { ...observation, sequence: effect.observations.length + 1 }
  const after = isKept ? withObserved(effect, observation) : { ...effect, version: effect.version + 1 }
  const next = progress(before, after)
  if (!isKept && next === null) return before
  const added = isKept ? { observed: { observation: observed, facts: null, sealedFor: null } } : {}
  const call = next && ({ kind: 'progress', ...next } as const)
  const change = callChange(core, { effect: effectWrite(after, effect.version, added), call })
  const answer = await tried(() => core.store.commit(change))
  if (answer.kind === 'conflict') return LOST_RACE
  const recorded = { ...before, effect: after }
  return next === null ? recorded : withProgress(recorded, next)
}
