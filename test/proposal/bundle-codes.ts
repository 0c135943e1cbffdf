// The codes that evidence may hold, spelled out here so that a bundle is seen to take each of them.
import type { AttemptEndingKind, Observation, ObservationFlag, ProofKind } from '../../src/effect/effect.ts'

export const ENDINGS: readonly AttemptEndingKind[] = [
  'accepted',
  'returned',
  'stale_no_effect',
  'failed_known',
  'failed_unknown',
  'not_sent',
  'lease_lapsed',
]
export const SOURCES: readonly Observation['source'][] = ['verifier', 'executor', 'fence', 'cancel', 'event']
export const FLAGS: readonly ObservationFlag[] = [
  'effect_mismatch',
  'predates_attempt',
  'duplicate',
  'reference_differs',
  'reversed',
  'late',
  'fact_missing',
]
export const PROOFS: readonly ProofKind[] = ['terminal', 'cancelled', 'fenced', 'key_consumed', 'settled']
