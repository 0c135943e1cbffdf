// Settlements: a person's verdict about the attempts that had started, and the second person's who confirms it.
import { evidenceOf } from './effect-evidence.ts'
import type { Effect, Settlement } from './effect.ts'
import type { ReasonCode, Reference } from './reference.ts'

/** What an operator says about an effect. Spec: rules R8. */
export interface OperatorVerdict {
  readonly verdict: Settlement['verdict']
  /** `kind:id`. */
  readonly by: string
  readonly reason: ReasonCode
  readonly evidenceReference: Reference
  readonly at: number
}

/** The settlement that this verdict makes: of everything that is on record now, and yet to be confirmed. */
export function settlementOf({ attempts, observations }: Effect, said: OperatorVerdict): Settlement {
  const { verdict, by, reason, evidenceReference, at } = said
  return {
    verdict,
    upToSequence: observations.length,
    upToAttempt: attempts.length,
    by,
    secondOperator: null,
    reason,
    evidenceReference,
    at,
  }
}

/** The settlement of this effect while it stands, which is until later evidence overtakes it. */
export function standingSettlement(effect: Effect): Settlement | null {
  return evidenceOf(effect).settled === null ? null : effect.settlement
}

/** Whether the verdict is a second operator's equal one about a `did_not_occur` that stands with its first alone. */
export function isConfirmation(
  standing: Settlement,
  { verdict, by }: Pick<OperatorVerdict, 'verdict' | 'by'>,
): boolean {
  return isUnconfirmed(standing) && verdict === 'did_not_occur' && by !== standing.by
}

/** Whether one operator alone says that nothing was done, which frees nothing until a second one says the same. */
export function isUnconfirmed({ verdict, secondOperator }: Settlement): boolean {
  return verdict === 'did_not_occur' && secondOperator === null
}

/** Whether the verdict was said before by the same operator, and stands. */
export function isRepetition(standing: Settlement, { verdict, by }: Pick<OperatorVerdict, 'verdict' | 'by'>): boolean {
  return verdict === standing.verdict && (by === standing.by || by === standing.secondOperator)
}

/** Whether a person had to say what became of this attempt: then its own word is not enough any more. Spec: rules R1. */
export function restsOnSettlement({ settlement }: Pick<Effect, 'settlement'>, attemptNumber: number): boolean {
  return settlement !== null && attemptNumber <= settlement.upToAttempt
}

/** The operators on whose word nothing was done, `kind:id`: what uses that is neither requested nor approved by them. */
export function settlersOf(effect: Effect): readonly string[] {
  const standing = standingSettlement(effect)
  if (standing?.verdict !== 'did_not_occur') return []
  return standing.secondOperator === null ? [standing.by] : [standing.by, standing.secondOperator]
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
