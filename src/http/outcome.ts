// Outcomes over HTTP: the status of each comes from the one table and from what the operation wanted.
import { OUTCOMES, type OutcomeCode } from '../proposal/codes.ts'
import { outcomeOf } from '../proposal/lifecycle/verdict.ts'
import { STATUSES } from '../proposal/status.ts'
import type { OperationResult } from '../runtime/result.ts'
import type { Answer } from './endpoint.ts'
import { etagOf } from './wire/etag.ts'

/** Which outcomes an operation wanted: they have the first status of the table, every other has the second. */
export type WantedOutcomes = (outcome: OutcomeCode) => boolean

/** Preparing wants a proposal, new or the first one again. */
export const wantedOfPrepare: WantedOutcomes = (outcome) => outcome === 'prepared' || outcome === 'replayed'

/** A decision wants what was asked for; a quorum that is not met yet, and a repetition, are no failures of it. */
export function wantedOfDecision(asked: OutcomeCode): WantedOutcomes {
  return (outcome) => outcome === asked || outcome === 'approval_pending' || outcome === 'replayed'
}

/** Whoever asks about an effect wants to know how it is: only what somebody else did or must do first is in the way. */
export const wantedOfEffect: WantedOutcomes = (outcome) => {
  return outcome !== 'replayed' && outcome !== 'approval_pending' && outcome !== 'rejected' && outcome !== 'withdrawn'
}

/** A person's verdict that is on record already is no failure of saying it again. */
export const wantedOfSettlement: WantedOutcomes = (outcome) => outcome === 'replayed' || wantedOfEffect(outcome)

/** What an operation that a status does not take answers, whatever the status. */
export const STATUS_OUTCOMES: readonly OutcomeCode[] = STATUSES.map((status) => outcomeOf(status))

/** Spec: lifecycle 9. */
export function outcomeStatus(outcome: OutcomeCode, wanted: WantedOutcomes): number {
  const row: { readonly http: number; readonly otherwise?: number } = OUTCOMES[outcome]
  return wanted(outcome) ? row.http : (row.otherwise ?? row.http)
}

/** With 202, in seconds, where nothing says when it is useful to ask again. */
const RETRY_AFTER_SECONDS = 5

/** When to ask again, as a header; empty for an answer that is final. */
export function retryAfter(status: number, waitUntil: number | null, now: number): Readonly<Record<string, string>> {
  if (status !== 202) return {}
  const seconds = waitUntil === null ? RETRY_AFTER_SECONDS : Math.max(1, Math.ceil((waitUntil - now) / 1_000))
  return { 'Retry-After': String(seconds) }
}

/** The result of an operation on a proposal, whatever became of it. */
export function outcomeAnswer(
  result: OperationResult,
  wanted: WantedOutcomes,
  now: number,
): Answer<OperationResult> & { readonly headers: Readonly<Record<string, string>> } {
  const status = outcomeStatus(result.outcome, wanted)
  return {
    status,
    body: result,
    headers: { ETag: etagOf(result.revision), ...retryAfter(status, result.waitUntil, now) },
  }
}
