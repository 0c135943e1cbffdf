// The closed sets of codes that effects and outbox rows are made of, complete by their types.
import type { Evidence, Observation, ObservationFlag, ProofKind } from '../../effect/effect.ts'
import type { EventType } from '../../runtime/ports.ts'

// A record must name every member of the union, so a new code that is forgotten here does not compile. The union is that
// of the constant; inferred from the record, it would be whatever stands there.
function every<Code extends string>(codes: Record<NoInfer<Code>, true>): readonly Code[] {
  return Object.keys(codes) as Code[]
}

/** {@link Evidence} */
export const EVIDENCES: readonly Evidence[] = every({ CONFIRMED: true, FAILED: true, UNKNOWN: true })

/** Who looked. */
export const SOURCES: readonly Observation['source'][] = every({
  verifier: true,
  executor: true,
  fence: true,
  cancel: true,
  event: true,
})

/** {@link ProofKind} */
export const PROOFS: readonly ProofKind[] = every({
  terminal: true,
  cancelled: true,
  fenced: true,
  key_consumed: true,
  settled: true,
})

/** {@link ObservationFlag} */
export const FLAGS: readonly ObservationFlag[] = every({
  effect_mismatch: true,
  predates_attempt: true,
  duplicate: true,
  reference_differs: true,
  reversed: true,
  late: true,
  fact_missing: true,
})

/** {@link EventType} */
export const EVENT_TYPES: readonly EventType[] = every({
  'proposal.prepared': true,
  'proposal.approval_needed': true,
  'proposal.approved': true,
  'proposal.closed': true,
  'proposal.executing': true,
  'proposal.in_doubt': true,
  'proposal.needs_person': true,
  'proposal.settled': true,
  'proposal.erased': true,
})
