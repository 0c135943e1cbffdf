// Operators: resume and settle an effect that waits for a person. Neither calls the executor.
import type { Effect } from '../effect/effect.ts'
import { isReference, parseReasonCode, type ReasonCode } from '../effect/reference.ts'
import { settlementOf, withResumed, withSettled } from '../effect/settlement.ts'
import { MalformedReference } from '../proposal/errors.ts'
import { lifecycle } from '../proposal/lifecycle/lifecycle.ts'
import { outcomeOf, stay, type Verdict } from '../proposal/lifecycle/verdict.ts'
import { principalName } from '../proposal/principal.ts'
import type { CallerSession } from '../proposal/session.ts'
import { demand } from './authority.ts'
import { proposalsBehind } from './behind.ts'
import type { Core } from './core.ts'
import { effectWrite } from './effect-write.ts'
import { load } from './load.ts'
import type { LiveProposal } from './ports.ts'
import { changeOf, type Recorded } from './record.ts'
import { refusal } from './refusal.ts'
import { type OperationResult, resultOf } from './result.ts'
import { LOST_RACE, untilSettled } from './rounds.ts'

export interface ResumeInput {
  /** A code, `[a-z0-9_.-]{1,64}`. */
  readonly reason: string
  readonly ifRevision?: number
}

export interface SettleInput {
  /** What a person found out. `did_not_occur` frees the claim only once a second operator says the same. */
  readonly verdict: 'occurred' | 'did_not_occur' | 'closed_unknown'
  readonly reason: string
  /** Where the evidence is kept: a case, a statement, a ticket. */
  readonly evidenceReference: string
  readonly ifRevision?: number
}

/** Has the target asked again, with both budgets fresh. Spec: lifecycle 7. */
export function resume(core: Core, session: CallerSession, ref: string, input: ResumeInput): Promise<OperationResult> {
  const reason = codeAt(input.reason, '/reason')
  return operated(core, session, ref, input.ifRevision, (effect, behind) => {
    const now = core.clock.now()
    return {
      effect: withResumed(effect, now),
      verdicts: behind
        .filter(({ proposal }) => proposal.ref === effect.owner)
        .map((stored) => ({ stored, verdict: lifecycle.resume(stored.proposal, { reason, effect }, now) })),
    }
  })
}

/** Records a person's verdict beside the evidence. Spec: rules R8. */
export function settle(core: Core, session: CallerSession, ref: string, input: SettleInput): Promise<OperationResult> {
  const reason = codeAt(input.reason, '/reason')
  const { evidenceReference, verdict } = input
  if (!isReference(evidenceReference)) throw new MalformedReference('/evidenceReference')
  if (!VERDICTS.includes(verdict)) throw new MalformedReference('/verdict')
  return operated(core, session, ref, input.ifRevision, (effect, behind) => {
    const now = core.clock.now()
    const by = principalName(session.principal)
    const settlement = settlementOf(effect, { verdict, by, reason, evidenceReference, at: now })
    const after = withSettled(effect, settlement)
    const approvers = behind
      .flatMap(({ approvals }) => approvals)
      .filter(({ decision, revokedAt }) => decision === 'approve' && revokedAt === null)
    const command = {
      settlement,
      by: session.principal,
      approvers: approvers.map(({ approver }) => approver),
      before: effect,
      after,
    }
    return {
      effect: after,
      verdicts: behind.map((stored) => ({ stored, verdict: lifecycle.settle(stored.proposal, command, now) })),
    }
  })
}

const VERDICTS: readonly string[] = ['occurred', 'did_not_occur', 'closed_unknown']

interface Operated {
  readonly effect: Effect
  readonly verdicts: readonly { readonly stored: LiveProposal; readonly verdict: Verdict }[]
}

// The effect is what an operator acts on: its owner and its former owners are marked in the same change (rules R3).
async function operated(
  core: Core,
  session: CallerSession,
  ref: string,
  ifRevision: number | undefined,
  act: (effect: Effect, behind: readonly LiveProposal[]) => Operated,
): Promise<OperationResult> {
  const round = async (): Promise<OperationResult | typeof LOST_RACE> => {
    const { stored, registered } = await load(core, session, ref, ifRevision)
    await demand(core, registered.definition, 'operate', session, { proposal: stored.proposal })
    const effect = await core.store.effect(stored.proposal.effect)
    if (effect === null || effect.attempts.length === 0) return untouched(core, session, stored)
    const behind = await proposalsBehind(core, effect)
    const operation = act(effect, behind)
    for (const { verdict } of operation.verdicts) {
      if (verdict.kind === 'refused') throw refusal(verdict.code, stored.proposal.status)
    }
    const caller = principalName(session.principal)
    const actor = { participant: caller, trigger: caller }
    const moves = operation.verdicts.flatMap(({ stored: other, verdict }): Recorded[] => {
      return verdict.kind === 'move' ? [{ stored: other, move: verdict, actor }] : []
    })
    const first = moves[0]
    if (first === undefined) return untouched(core, session, stored)
    const write = effectWrite(operation.effect, effect.version)
    const answer = await core.store.commit(changeOf(core, session.tenant, moves, { effect: write }))
    if (answer.kind === 'conflict') return LOST_RACE
    const own = moves.find((recorded) => recorded.stored.proposal.ref === stored.proposal.ref)
    return resultOf(core, session, { ...stored, proposal: own?.move.proposal ?? stored.proposal }, (own ?? first).move)
  }
  return untilSettled(round, async () => {
    const { stored } = await load(core, session, ref)
    return resultOf(core, session, stored, stay('conflict', 'lost_race'))
  })
}

function untouched(core: Core, session: CallerSession, stored: LiveProposal): Promise<OperationResult> {
  return resultOf(core, session, stored, stay(outcomeOf(stored.proposal.status)))
}

function codeAt(text: string, path: string): ReasonCode {
  try {
    return parseReasonCode(text, path)
  } catch {
    throw new MalformedReference(path)
  }
}
