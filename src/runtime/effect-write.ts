// How a grown effect becomes what a change writes of it.
import type { Effect } from '../effect/effect.ts'
import type { EffectWrite } from './ports.ts'

/** The effect's row and the one thing that was added to it, guarded by the version at which it was read. */
export function effectWrite(
  effect: Effect,
  expect: EffectWrite['expect'],
  added: Partial<Pick<EffectWrite, 'opened' | 'ended' | 'observed' | 'formerKeys'>> = {},
): EffectWrite {
  const { attempts: _attempts, observations: _observations, ...row } = effect
  return { row, expect, formerKeys: [], opened: null, ended: null, observed: null, ...added }
}
