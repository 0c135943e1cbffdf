// The name of an effect inside its tenant, as one text.
import type { EffectKey } from '../../src/effect/effect-key.ts'

export function nameOf({ domain, reference }: Pick<EffectKey, 'domain' | 'reference'>): string {
  return `${domain} ${reference}`
}
