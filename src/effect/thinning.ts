// Thinning: evidence is never refused, but what says nothing new is not kept for ever.
import type { Effect, Observation } from './effect.ts'
import { foldOf } from './effect-evidence.ts'
import { limits } from './limits.ts'

/**
 * Whether an observation is stored: always below the limit, and beyond it only if it changes the fold or carries a flag or
 * a reference that is not stored yet, or is one of the two reads that the proof `settled` is made of. What a provider calls
 * its events is no such reference: there is no end of them. Spec: policy-and-protection 3, rules R6.
 */
export function isWorthKeeping(effect: Effect, observation: Omit<Observation, 'sequence'>): boolean {
  const { observations } = effect
  if (observations.length < limits.observationsKeptFully) return true
  const { externalReference, flags, proof, source } = observation
  if (source === 'event') return false
  if (proof === 'settled') return true
  const known = new Set(observations.flatMap((earlier) => earlier.flags))
  if (flags.some((flag) => !known.has(flag))) return true
  const isNamed = observations.some((earlier) => earlier.externalReference === externalReference)
  if (externalReference !== null && !isNamed) return true
  const after = { ...effect, observations: [...observations, { ...observation, sequence: observations.length + 1 }] }
  return JSON.stringify(foldOf(after)) !== JSON.stringify(foldOf(effect))
}
