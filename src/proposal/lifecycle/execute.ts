// Execution up to the call: whether a proposal may be executed at all, what refuses it, and its admission.
import type { Attempt } from '../../effect/effect.ts'
import type { Reference } from '../../effect/reference.ts'
import type { Reason } from '../codes.ts'
import type { PolicyEvaluation } from '../policy/evaluate-policy.ts'
import type { Proposal } from '../proposal.ts'
import { isOpen } from '../status.ts'
import { lapse, restore } from './decide.ts'
import { expire } from './time.ts'
import { next, outcomeOf, reason, same, stay, type Verdict } from './verdict.ts'

/**
 * The first look at an execution: an outcome, a move that must be stored first, or null to go on.
 * Spec: lifecycle 6, steps 2 and 3.
 */
export function beginExecution(proposal: Proposal, evaluation: PolicyEvaluation, now: number): Verdict | null {
  if (!isOpen(proposal.status)) {
    return stay(proposal.status === 'superseded' ? 'replayed' : outcomeOf(proposal.status))
  }
  if (now >= proposal.expiresAt) return expire(proposal, now)
  if (proposal.status === 'awaiting_approval') {
    return evaluation.met ? restore(proposal, now) : stay('approval_pending')
  }
  return evaluation.met ? null : lapse(proposal, now)
}

/** Execution is refused for a reason that may pass. The status stays; one receipt per change of reason (rules R18). */
export function block(proposal: Proposal, why: Reason, now: number): Verdict {
  if (proposal.status !== 'approved') return stay(outcomeOf(proposal.status))
  if (now >= proposal.expiresAt) return expire(proposal, now)
  if (proposal.blockedBy === why) return stay('blocked', why)
  return {
    kind: 'move',
    proposal: same(proposal, now, { blockedBy: reason(why) }),
    receipt: { type: 'execution.blocked', reason: reason(why) },
    outcome: 'blocked',
    reason: reason(why),
  }
}

/** What a resolution found to differ. */
export interface Drift {
  readonly reason: 'material_drift' | 'host_reports_drift' | 'subject_gone'
  readonly paths: readonly string[]
  /** The fresh proposal that is stored in the same change, if the host offered one. */
  readonly replacedBy: Reference | null
  /** The host offered a replacement that its own definition, or the right of the caller, does not allow; it was dropped. */
  readonly replacementDropped: boolean
}

/** The business state is not the one that was approved: nothing is done, and no approval moves. Spec: lifecycle 6.6. */
export function refuseDrift(proposal: Proposal, drift: Drift, now: number): Verdict {
  if (!isOpen(proposal.status)) return stay(outcomeOf(proposal.status))
  if (now >= proposal.expiresAt) return expire(proposal, now)
  const { paths, replacedBy } = drift
  const detail = drift.replacementDropped ? [...paths, 'replacement_dropped'] : paths
  return {
    kind: 'move',
    proposal: next(
      proposal,
      'stale',
      { reason: reason(drift.reason), driftPaths: paths, replacedBy, closedAt: now },
      now,
    ),
    receipt: { type: 'execution.drift_refused', reason: reason(drift.reason), detail },
    outcome: 'stale',
    reason: reason(drift.reason),
  }
}

/** Another proposal completed this effect with the same command. Spec: lifecycle 5 and 6.5. */
export function supersede(proposal: Proposal, by: Reference, now: number): Verdict {
  if (!isOpen(proposal.status)) return stay(outcomeOf(proposal.status))
  return {
    kind: 'move',
    proposal: next(proposal, 'superseded', { supersededBy: by, closedAt: now }, now),
    receipt: { type: 'proposal.superseded' },
    outcome: 'replayed',
    reason: reason('effect_completed_elsewhere'),
  }
}

/** The attempt is to be stored together with this; only then may the executor be called. Spec: lifecycle 6.9. */
export function admit(proposal: Proposal, attempt: Attempt, now: number): Verdict {
  if (proposal.status !== 'approved') return stay(outcomeOf(proposal.status))
  if (now >= proposal.expiresAt) return expire(proposal, now)
  return {
    kind: 'move',
    proposal: next(proposal, 'executing', { attempt: attempt.number }, now),
    receipt: { type: 'execution.started', attempt: attempt.number },
    outcome: 'in_progress',
    reason: null,
  }
}
