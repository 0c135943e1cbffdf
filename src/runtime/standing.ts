// Standing: what the caller may do with one proposal now, and what an approval of theirs would be worth.
import { isClosed } from '../effect/effect-evidence.ts'
import type { Reference } from '../effect/reference.ts'
import type { Act } from '../proposal/contract.ts'
import { decisionBar } from '../proposal/lifecycle/decide.ts'
import { canStillCount } from '../proposal/policy/evaluate-policy.ts'
import { samePrincipal } from '../proposal/principal.ts'
import type { CallerSession } from '../proposal/session.ts'
import { isOpen } from '../proposal/status.ts'
import { callerOf, may } from './authority.ts'
import type { Core } from './core.ts'
import { load, type Loaded } from './load.ts'

/** The acts that are about one proposal and that a person can choose between. */
export const CHOICES = ['decide', 'withdraw', 'check', 'reconcile', 'operate'] as const satisfies readonly Act[]

/** One of them. */
export type Choice = (typeof CHOICES)[number]

/**
 * What an approval by the caller would be now: it `counts`; it is `surplus`, as nothing that it could give is missing; the
 * proposal is `closed` to decisions; or it is refused, with the code that the refusal would have.
 */
export type ApprovalWorth =
  | 'counts'
  | 'surplus'
  | 'closed'
  | 'agent_cannot_decide'
  | 'separation_of_duties'
  | 'decision_not_permitted'

/** A decision of the caller's own. Times are milliseconds since the epoch. */
export interface OwnDecision {
  readonly approvalId: Reference
  readonly decision: 'approve' | 'reject'
  readonly decidedAt: number
  readonly expiresAt: number
  readonly revokedAt: number | null
}

/** What the caller may do with one proposal. It is a forecast: every operation asks again. */
export interface Standing {
  readonly permitted: readonly Choice[]
  readonly approval: ApprovalWorth
  readonly decisions: readonly OwnDecision[]
  /** When the target is looked at next; null if nothing is due. */
  readonly nextLookAt: number | null
  /**
   * When its first attempt was started of which it is not known whether it had its effect, or of which one operator alone
   * says that it had none; null if there is none.
   */
  readonly inDoubtSince: number | null
}

/**
 * What the caller may do with a proposal, told to who may read it. Spec: http "The inbox page".
 * @throws NotFound, AuthorizationUnavailable
 */
export async function standing(core: Core, session: CallerSession, ref: string): Promise<Standing> {
  const loaded = await load(core, session, ref)
  const { proposal, approvals } = loaded.stored
  const about = { proposal }
  const caller = callerOf(session)
  const answers = await Promise.all(CHOICES.map((act) => may(core, loaded.registered.definition, act, caller, about)))
  const permitted = CHOICES.filter((_, index) => answers[index] === true)
  const effect = await core.store.effect(proposal.effect)
  const own = effect?.attempts.filter((attempt) => attempt.proposal === proposal.ref) ?? []
  const isAlone = proposal.attention.includes('settlement_unconfirmed')
  const doubtful = own.find(({ number }) => effect !== null && (isAlone || !isClosed(effect, number)))
  return {
    permitted: permitted.filter((act) => act !== 'withdraw' || mayWithdraw(session, loaded, permitted)),
    approval: worth(core, session, loaded, permitted.includes('decide')),
    decisions: approvals
      .filter(({ approver }) => samePrincipal(approver, session.principal))
      .map(({ approvalId, decision, decidedAt, expiresAt, revokedAt }) => {
        return { approvalId, decision, decidedAt, expiresAt, revokedAt }
      }),
    nextLookAt: own.length > 0 ? (effect?.verifyDueAt ?? null) : null,
    inDoubtSince: doubtful?.startedAt ?? null,
  }
}

function mayWithdraw({ principal }: CallerSession, { stored }: Loaded, permitted: readonly Choice[]): boolean {
  return samePrincipal(principal, stored.proposal.requester) || permitted.includes('operate')
}

// In the order of the lifecycle's own checks, so that the forecast names the reason that the refusal would name.
function worth(core: Core, session: CallerSession, { stored }: Loaded, mayDecide: boolean): ApprovalWorth {
  const { proposal, approvals } = stored
  const now = core.clock.now()
  const bar = decisionBar(proposal, session.principal)
  if (bar?.code === 'agent_cannot_decide' || bar?.code === 'separation_of_duties') return bar.code
  if (!mayDecide) return 'decision_not_permitted'
  if (!isOpen(proposal.status) || now >= proposal.expiresAt) return 'closed'
  const at = { now, commitment: proposal.commitment }
  return canStillCount(proposal.policy, session, approvals, at) ? 'counts' : 'surplus'
}
