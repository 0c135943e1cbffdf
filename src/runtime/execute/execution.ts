// A round of execution: what it works with, and how it ends with a verdict.
import type { Reason } from '../../proposal/codes.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import type { Verdict } from '../../proposal/lifecycle/verdict.ts'
import type { CallerSession } from '../../proposal/session.ts'
import type { Core } from '../core.ts'
import type { LiveProposal } from '../ports.ts'
import { type Actor, commitMove } from '../record.ts'
import type { Registered } from '../registry.ts'
import { type OperationResult, resultOf } from '../result.ts'
import { isLostRace, LOST_RACE } from '../rounds.ts'

/** What a round of execution works with. */
export interface Execution {
  readonly core: Core
  readonly session: CallerSession
  readonly actor: Actor
  readonly stored: LiveProposal
  readonly registered: Registered
}

/** The answer of a round; a lost race starts the next one. */
export type Round = OperationResult | typeof LOST_RACE

/** Refuses execution for a reason that may pass; the status stays. */
export async function blocked(execution: Execution, why: Reason): Promise<Round> {
  return conclude(execution, lifecycle.block(execution.stored.proposal, why, execution.core.clock.now()))
}

/** Stores a verdict, if it is a move, and answers it. */
export async function conclude({ core, session, stored, actor }: Execution, verdict: Verdict): Promise<Round> {
  if (verdict.kind === 'refused') throw new Error(`execution does not refuse with ${verdict.code}`)
  if (verdict.kind === 'stay') return resultOf(core, session, stored, verdict)
  const answer = await commitMove(core, { stored, move: verdict, actor })
  if (answer.kind === 'conflict') {
    if (isLostRace(answer)) return LOST_RACE
    throw new Error(`a move cannot meet the conflict ${answer.on}`)
  }
  return resultOf(core, session, { ...stored, proposal: verdict.proposal }, verdict)
}
