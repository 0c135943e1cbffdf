// The kind of an effect: what a guarded call has claimed is not for proposals.
import { counterpart, type EffectKey } from '../effect/effect-key.ts'
import { EffectKindConflict } from '../proposal/errors.ts'
import type { Core } from './core.ts'

/**
 * Refuses an effect of proposals that a guarded call has claimed under its own name for it.
 * @throws EffectKindConflict. Spec: rules R17.
 */
export async function demandKind(core: Core, key: EffectKey): Promise<void> {
  if ((await core.store.effect(counterpart(key))) !== null) throw new EffectKindConflict()
}
