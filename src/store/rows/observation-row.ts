// The row of an observation: one look at the outside world, with the facts sealed beside it.
import type { EffectKey } from '../../effect/effect-key.ts'
import type { Observation } from '../../effect/effect.ts'
import { canonicalText } from '../canonical-text.ts'
import type { ObservationsTable } from '../tables.ts'
import { EVIDENCES, FLAGS, PROOFS, SOURCES } from './codes.ts'
import { RowReader } from './row-reader.ts'

/** The columns of an observation without its sealed facts. */
export type ObservationColumns = Omit<ObservationsTable, 'sealed_for' | 'facts'>

/** The row of an observation that is appended. */
export function observationRow(key: EffectKey, observation: Observation): ObservationColumns {
  return {
    tenant: key.tenant,
    domain: key.domain,
    reference: key.reference,
    sequence: observation.sequence,
    source: observation.source,
    answer: observation.answer,
    verdict: observation.verdict,
    covers_from: observation.covers.from,
    covers_to: observation.covers.to,
    target: observation.target,
    proof: observation.proof,
    flags: canonicalText(observation.flags),
    reason: observation.reason,
    external_reference: observation.externalReference,
    matches: observation.matches,
    began_at: observation.beganAt,
    ended_at: observation.endedAt,
  }
}

/** @throws StoredDataCorrupt */
export function parseObservation(stored: ObservationColumns): Observation {
  const row = new RowReader(stored, 'observations', [stored.tenant, stored.domain, stored.reference, stored.sequence])
  return {
    sequence: row.integer('sequence'),
    source: row.oneOf('source', SOURCES),
    answer: row.text('answer'),
    verdict: row.oneOf('verdict', EVIDENCES),
    covers: { from: row.integer('covers_from'), to: row.integer('covers_to') },
    target: row.text('target'),
    proof: row.maybe('proof', (column) => row.oneOf(column, PROOFS)),
    flags: row.codes('flags', FLAGS),
    reason: row.maybe('reason', (column) => row.reasonCode(column)),
    externalReference: row.maybe('external_reference', (column) => row.reference(column)),
    matches: row.maybe('matches', (column) => row.integer(column)),
    beganAt: row.integer('began_at'),
    endedAt: row.integer('ended_at'),
  }
}
