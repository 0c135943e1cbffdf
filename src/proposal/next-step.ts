// The next step: what can usefully be done with a proposal now, in one word.
import { evidenceOf, openAttempt } from '../effect/effect-evidence.ts'
import type { Effect } from '../effect/effect.ts'
import type { Proposal } from './proposal.ts'

/** Spec: lifecycle 2. */
export type NextStep = 'await_approval' | 'execute' | 'wait' | 'reconcile' | 'operator' | 'prepare_again' | 'none'

/** What to do, and from when on if it is `wait`. */
export interface NextStepAt {
  readonly step: NextStep
  readonly at: number | null
}

/** What can usefully be done now. `effect` is null while nobody has claimed it. */
export function nextStep(proposal: Proposal, effect: Effect | null, now: number): NextStepAt {
  const { status } = proposal
  if (status === 'verification_unresolved' || proposal.attention.length > 0) return step('operator')
  switch (status) {
    case 'awaiting_approval':
      return now < proposal.expiresAt ? step('await_approval') : step('prepare_again')
    case 'approved':
      return now < proposal.expiresAt ? step('execute') : step('prepare_again')
    case 'executing':
      return waitUntil(effect === null ? null : (openAttempt(effect)?.leaseUntil ?? null), now)
    case 'verification_pending':
    case 'failed_unknown':
      return waitUntil(effect?.verifyDueAt ?? null, now)
    case 'failed_known':
    case 'expired':
      return step('prepare_again')
    case 'stale':
      return step(proposal.replacedBy === null ? 'prepare_again' : 'none')
    case 'verified':
    case 'closed_unknown':
    case 'rejected':
    case 'withdrawn':
    case 'superseded':
      return step('none')
  }
}

/** What is known about an effect, as a view shows it. Null while no attempt was ever started. */
export interface EvidenceSummary {
  readonly status: 'CONFIRMED' | 'FAILED' | 'UNKNOWN'
  readonly attempts: number
  readonly conflict: boolean
  readonly duplicatePossible: boolean
  readonly settled: 'occurred' | 'did_not_occur' | 'closed_unknown' | null
  /** When the newest look at the target began; null before the first. */
  readonly asOf: number | null
}

/** The evidence behind an effect in short. */
export function evidenceSummary(effect: Effect | null): EvidenceSummary | null {
  if (effect === null) return null
  const { status, conflict, duplicatePossible, settled } = evidenceOf(effect)
  if (status === null) return null
  const asOf = effect.observations.findLast(({ source }) => source === 'verifier')?.beganAt ?? null
  return { status, attempts: effect.attempts.length, conflict, duplicatePossible, settled, asOf }
}

function step(word: NextStep): NextStepAt {
  return { step: word, at: null }
}

function waitUntil(at: number | null, now: number): NextStepAt {
  return at !== null && now < at ? { step: 'wait', at } : step('reconcile')
}
