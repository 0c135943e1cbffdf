// The effect that something has claimed, read anew: such a one is never deleted.
import type { EffectKey } from '../effect/effect-key.ts'
import type { Effect } from '../effect/effect.ts'
import type { Core } from './core.ts'

/** The effect as it is stored now. */
export async function claimedEffect(core: Core, key: EffectKey): Promise<Effect> {
  const effect = await core.store.effect(key)
  if (effect === null) throw new Error('a claimed effect is never deleted')
  return effect
}
