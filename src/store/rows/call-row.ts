// The rows of a guarded call: the call itself, and what is kept of each ended attempt.
import type { CallAttempt, CallClaim } from '../../effect/calls/guarded-call.ts'
import { isPlainObject } from '../../effect/canonical-json.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { CallAttemptsTable, CallsTable } from '../tables.ts'
import { RowReader } from './row-reader.ts'

/** The row of a claim. */
export function callRow(key: EffectKey, claim: CallClaim): CallsTable {
  return {
    tenant: key.tenant,
    domain: key.domain,
    reference: key.reference,
    action_id: claim.actionId,
    request_hash: claim.requestHash,
    provider_reference: claim.providerReference,
    risk: claim.risk,
    metadata: claim.metadata,
    state: claim.state,
    holder: claim.holder,
    lease_until: claim.leaseUntil,
    created_at: claim.createdAt,
    completed_at: claim.completedAt,
  }
}

/** @throws StoredDataCorrupt */
export function parseCall(stored: CallsTable): CallClaim {
  const row = new RowReader(stored, 'calls', [stored.tenant, stored.domain, stored.reference])
  row.json('metadata', (value) => {
    if (!isPlainObject(value)) throw new TypeError('no object')
    return value
  })
  return {
    actionId: row.reference('action_id'),
    requestHash: row.text('request_hash'),
    providerReference: row.maybe('provider_reference', (column) => row.reference(column)),
    risk: row.maybe('risk', (column) => row.reasonCode(column)),
    metadata: row.text('metadata'),
    state: row.oneOf('state', ['PENDING', 'COMPLETED']),
    holder: row.text('holder'),
    leaseUntil: row.integer('lease_until'),
    createdAt: row.integer('created_at'),
    completedAt: row.maybe('completed_at', (column) => row.integer(column)),
  }
}

/** The row of an attempt that has ended and is not decided on yet. */
export function callAttemptRow(
  { tenant, domain, reference }: EffectKey,
  { number, error, isRetryable }: Pick<CallAttempt, 'number' | 'error' | 'isRetryable'>,
): CallAttemptsTable {
  const undecided = { decision: null, next_attempt_at: null }
  return { tenant, domain, reference, number, error, retryable: isRetryable ? 1 : 0, ...undecided }
}

/** @throws StoredDataCorrupt */
export function parseCallAttempt(stored: CallAttemptsTable): CallAttempt {
  const row = new RowReader(stored, 'call_attempts', [stored.tenant, stored.domain, stored.reference, stored.number])
  return {
    number: row.integer('number'),
    error: row.maybe('error', (column) => row.text(column)),
    isRetryable: row.integer('retryable') === 1,
    decision: row.maybe('decision', (column) => row.oneOf(column, ['stop', 'retry'])),
    nextAttemptAt: row.maybe('next_attempt_at', (column) => row.integer(column)),
  }
}
