// When the verifier is asked next, and when it is given up: the budgets and waits of verification.
import type { Effect } from '../../effect/effect.ts'
import { settlingBoundary } from '../../effect/settling-boundary.ts'
import type { Definition } from '../definition/definition.ts'
import type { Proposal } from '../proposal.ts'

type Plan = Pick<Definition, 'verification' | 'inFlightMs'>

/** Which budget is spent; null while the verifier is still asked by itself. Spec: lifecycle 3 and 7. */
export function budgetSpent({ verification }: Plan, effect: Effect): 'absences_spent' | 'unavailables_spent' | null {
  if (effect.absencesSpent >= verification.absences) return 'absences_spent'
  return effect.unavailablesSpent >= verification.unavailables ? 'unavailables_spent' : null
}

/**
 * When to look again, counted from after the answer: null once nothing is to be found out by asking. The wait doubles with
 * every answer that spent a budget and, while it is too early for an absence to count, with every look; it has a tenth of
 * jitter (`fraction` in [0, 1)), and the next look is at the settling boundary at the latest. Unresolved for its budget,
 * an effect is still looked at now and then. Spec: lifecycle 7, rules R6 and R18.
 */
export function nextLookAt(plan: Plan, effect: Effect, owner: Proposal, now: number, fraction: number): number | null {
  const { delayMs, waitMaxMs, slowProbeMs } = plan.verification
  switch (owner.status) {
    case 'executing':
    case 'verification_pending':
    case 'failed_unknown': {
      const boundary = settlingBoundary(effect.attempts, effect.observations, plan.inFlightMs)
      const doublings = now < boundary ? looksSinceLastAttempt(effect) : effect.absencesSpent + effect.unavailablesSpent
      const wait = Math.min(delayMs * 2 ** doublings, waitMaxMs)
      const due = now + Math.round(wait * (1 + fraction / 10))
      return now < boundary ? Math.min(due, boundary) : due
    }
    case 'verification_unresolved':
      return budgetSpent(plan, effect) === null ? null : now + slowProbeMs
    case 'awaiting_approval':
    case 'approved':
    case 'verified':
    case 'failed_known':
    case 'closed_unknown':
    case 'rejected':
    case 'withdrawn':
    case 'expired':
    case 'stale':
    case 'superseded':
      return null
  }
}

function looksSinceLastAttempt({ attempts, observations }: Effect): number {
  return observations.filter(({ source, covers }) => source === 'verifier' && covers.to === attempts.length).length
}
