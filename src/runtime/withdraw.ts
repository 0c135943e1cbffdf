// Withdraw: the requester, or an operator, takes an open proposal back.
import { parseReasonCode, type ReasonCode } from '../effect/reference.ts'
import { MalformedReference, NotPermitted } from '../proposal/errors.ts'
import { lifecycle } from '../proposal/lifecycle/lifecycle.ts'
import { stay } from '../proposal/lifecycle/verdict.ts'
import { principalName, samePrincipal } from '../proposal/principal.ts'
import type { CallerSession } from '../proposal/session.ts'
import { callerOf, demand, may } from './authority.ts'
import type { Core } from './core.ts'
import { load, type Loaded } from './load.ts'
import { commitMove } from './record.ts'
import { type OperationResult, resultOf } from './result.ts'
import { LOST_RACE, untilSettled } from './rounds.ts'

/** Why a proposal is taken back, and at which revision. */
export interface WithdrawInput {
  /** A code, `[a-z0-9_.-]{1,64}`; default `withdrawn`. */
  readonly reason?: string
  readonly ifRevision?: number
}

/** Closes an open proposal. Spec: lifecycle 5. */
export async function withdraw(
  core: Core,
  session: CallerSession,
  ref: string,
  input: WithdrawInput = {},
): Promise<OperationResult> {
  const { reason: text = 'withdrawn', ifRevision } = input
  const reason = reasonOf(text)
  const caller = principalName(session.principal)
  return untilSettled(
    async () => {
      const loaded = await load(core, session, ref, ifRevision)
      await demandWithdrawal(core, session, loaded)
      const { stored } = loaded
      const verdict = lifecycle.withdraw(stored.proposal, { reason }, core.clock.now())
      if (verdict.kind === 'refused') throw new Error(`withdrawal does not refuse with ${verdict.code}`)
      if (verdict.kind === 'stay') return resultOf(core, session, stored, verdict)
      const actor = { participant: caller, trigger: caller }
      const answer = await commitMove(core, { stored, move: verdict, actor })
      if (answer.kind === 'conflict') return LOST_RACE
      return resultOf(core, session, { ...stored, proposal: verdict.proposal }, verdict)
    },
    async () => resultOf(core, session, (await load(core, session, ref)).stored, stay('conflict', 'lost_race')),
  )
}

/**
 * The requester with the right to withdraw, or an operator with it.
 * @throws NotPermitted, AuthorizationUnavailable
 */
export async function demandWithdrawal(
  core: Core,
  session: CallerSession,
  { stored, registered }: Loaded,
): Promise<void> {
  const about = { proposal: stored.proposal }
  const { definition } = registered
  const own = samePrincipal(session.principal, stored.proposal.requester)
  if (!own && !(await may(core, definition, 'operate', callerOf(session), about))) throw new NotPermitted('operate')
  await demand(core, definition, 'withdraw', session, about)
}

function reasonOf(text: string): ReasonCode {
  try {
    return parseReasonCode(text, '/reason')
  } catch {
    throw new MalformedReference('/reason')
  }
}
