// Settlements: a person's verdict about the attempts that had started, and the second person's who confirms it.
import { evidenceOf } from './effect-evidence.ts'
import type { Effect, Settlement } from './effect.ts'
import type { ReasonCode, Reference } from './reference.ts'

/** What an operator says about an effect. Spec: rules R8. */
export interface OperatorVerdict {
  readonly verdict: Settlement['verdict']
  readonly by: string
  readonly reason: ReasonCode
  readonly evidenceReference: Reference
  readonly at: number
}

/**
 * The settlement that this verdict makes. Another operator's equal `did_not_occur` confirms the one that stands; anything
 * else is a settlement of its own, up to what is recorded now.
 */
export function settlementOf(effect: Effect, said: OperatorVerdict): Settlement {
  const standing = effect.settlement
  if (standing !== null && isConfirmedBy(effect, said)) return { ...standing, secondOperator: said.by }
  return {
    ...said,
    upToSequence: effect.observations.length,
    upToAttempt: effect.attempts.length,
    secondOperator: null,
  }
}

/** Whether the verdict is the second operator's about a settlement that stands. */
export function isConfirmedBy(effect: Effect, { verdict, by }: Pick<OperatorVerdict, 'verdict' | 'by'>): boolean {
  const { settlement } = effect
  if (settlement === null || evidenceOf(effect).settled !== 'did_not_occur') return false
  return verdict === 'did_not_occur' && settlement.secondOperator === null && settlement.by !== by
}

/** The effect with the settlement beside its evidence; nothing more is due by itself. */
export function withSettled(effect: Effect, settlement: Settlement): Effect {
  return { ...effect, version: effect.version + 1, settlement, verifyDueAt: null, verifyLease: null }
}

/** The effect with both budgets fresh, and a look due now. */
export function withResumed(effect: Effect, now: number): Effect {
  const { version } = effect
  return {
    ...effect,
    version: version + 1,
    verifyDueAt: now,
    verifyLease: null,
    absencesSpent: 0,
    unavailablesSpent: 0,
  }
}
