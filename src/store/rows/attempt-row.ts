// The row of an attempt: open with its lease, then ended once.
import type { IdempotencyKey } from '../../effect/effect-key.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import { ATTEMPT_ENDINGS, type Attempt, type AttemptEnding } from '../../effect/effect.ts'
import type { AttemptsTable } from '../tables.ts'
import { EVIDENCES } from './codes.ts'
import { RowReader } from './row-reader.ts'

/** What ending an attempt writes. */
export type EndingState = Pick<
  AttemptsTable,
  'ending' | 'ending_evidence' | 'ended_at' | 'ending_reason' | 'external_reference'
>

/** The row of an attempt that is opened. */
export function attemptRow(key: EffectKey, attempt: Attempt): AttemptsTable {
  return {
    tenant: key.tenant,
    domain: key.domain,
    reference: key.reference,
    number: attempt.number,
    proposal: attempt.proposal,
    action: attempt.action,
    target: attempt.target,
    generation: attempt.generation,
    idempotency_key: attempt.idempotencyKey,
    epoch: attempt.epoch,
    token: attempt.token,
    started_at: attempt.startedAt,
    lease_until: attempt.leaseUntil,
    precondition: attempt.precondition,
    ending: null,
    ending_evidence: null,
    ended_at: null,
    ending_reason: null,
    external_reference: null,
    detail: null,
  }
}

/** The columns that say how the call went. */
export function endingState(ending: AttemptEnding): EndingState {
  return {
    ending: ending.kind,
    ending_evidence: ending.evidence,
    ended_at: ending.at,
    ending_reason: ending.reason,
    external_reference: ending.externalReference,
  }
}

/** @throws StoredDataCorrupt */
export function parseAttempt(stored: Omit<AttemptsTable, 'detail'>): Attempt {
  const row = new RowReader(stored, 'attempts', [stored.tenant, stored.domain, stored.reference, stored.number])
  const kind = row.maybe('ending', (column) => row.oneOf(column, ATTEMPT_ENDINGS))
  const ending: AttemptEnding | null = kind && {
    kind,
    evidence: row.oneOf('ending_evidence', EVIDENCES),
    at: row.integer('ended_at'),
    reason: row.maybe('ending_reason', (column) => row.reasonCode(column)),
    externalReference: row.maybe('external_reference', (column) => row.reference(column)),
  }
  return {
    number: row.integer('number'),
    proposal: row.maybe('proposal', (column) => row.reference(column)),
    action: row.text('action'),
    target: row.text('target'),
    generation: row.integer('generation'),
    // Derived from the effect's identity, so it was never parsed in the first place.
    idempotencyKey: row.text('idempotency_key') as IdempotencyKey,
    epoch: row.integer('epoch'),
    token: row.text('token'),
    startedAt: row.integer('started_at'),
    leaseUntil: row.integer('lease_until'),
    precondition: row.maybe('precondition', (column) => row.reference(column)),
    ending,
  }
}
