// Operators: resume and settle an effect that waits for a person. Neither calls the executor.
import type { Attempt, Effect } from '../../effect/effect.ts'
import { isReference, parseReasonCode, type ReasonCode } from '../../effect/reference.ts'
import { type OperatorVerdict, withResumed } from '../../effect/settlement.ts'
import type { Approval } from '../../proposal/approval.ts'
import { MalformedReference, NotPermitted } from '../../proposal/errors.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import { judgeSettlement, settlementBar } from '../../proposal/lifecycle/operate.ts'
import { outcomeOf, type Refused, stay, type Verdict } from '../../proposal/lifecycle/verdict.ts'
import { type Principal, principalName } from '../../proposal/principal.ts'
import type { CallerSession } from '../../proposal/session.ts'
import { demand } from '../authority.ts'
import { proposalsBehind } from '../verify/behind.ts'
import type { Core } from '../core.ts'
import { effectWrite } from '../effect-write.ts'
import { load } from '../load.ts'
import type { LiveProposal } from '../ports.ts'
import { changeOf, commit, type Recorded } from '../record.ts'
import { refusal } from '../refusal.ts'
import { type OperationResult, resultOf } from '../result.ts'
import { LOST_RACE, untilSettled } from '../rounds.ts'

/** Why the target is asked again. Spec: lifecycle 7. */
export interface ResumeInput {
  /** A code, `[a-z0-9_.-]{1,64}`. */
  readonly reason: string
  readonly ifRevision?: number
}

/** What a person found out, and how it is known. Spec: rules R8. */
export interface SettleInput {
  /** What a person found out. `did_not_occur` frees the claim only once a second operator says the same. */
  readonly verdict: OperatorVerdict['verdict']
  /** A code, `[a-z0-9_.-]{1,64}`. */
  readonly reason: string
  /** Where the evidence is kept: a case, a statement, a ticket. */
  readonly evidenceReference: string
  readonly ifRevision?: number
}

/** Has the target asked again, with both budgets fresh. Spec: lifecycle 7. */
export async function resume(
  core: Core,
  session: CallerSession,
  ref: string,
  input: ResumeInput,
): Promise<OperationResult> {
  const reason = codeAt(input.reason, '/reason')
  return operated(core, session, ref, input.ifRevision, {
    barOf: () => null,
    on: ({ effect }, now) => ({
      effect: withResumed(effect, now),
      verdictOn: ({ proposal }) => lifecycle.resume(proposal, { reason, effect }, now),
    }),
  })
}

/** Records a person's verdict beside the evidence, or a second person's who confirms it. Spec: rules R8. */
export async function settle(
  core: Core,
  session: CallerSession,
  ref: string,
  input: SettleInput,
): Promise<OperationResult> {
  const reason = codeAt(input.reason, '/reason')
  const { evidenceReference, verdict } = input
  if (!isReference(evidenceReference)) throw new MalformedReference('/evidenceReference')
  if (!VERDICTS.includes(verdict)) throw new MalformedReference('/verdict')
  const { principal: operator } = session
  return operated(core, session, ref, input.ifRevision, {
    barOf: (stored) => settlementBar(stored.proposal, { operator, approvers: countedApprovers(stored, []) }),
    on: ({ effect, owner, behind }, now) => {
      const said = { verdict, reason, evidenceReference }
      const approvers = behind.flatMap((stored) => countedApprovers(stored, effect.attempts))
      const command = { said, operator, approvers, owner: owner.proposal, effect }
      const settling = judgeSettlement(command, now)
      return {
        effect: settling.kind === 'stays' ? effect : settling.effect,
        verdictOn: ({ proposal }) => lifecycle.settle(proposal, command, now),
      }
    },
  })
}

const VERDICTS: readonly string[] = ['occurred', 'did_not_occur', 'closed_unknown'] satisfies SettleInput['verdict'][]

// An approval that was taken back had counted if an attempt was started before.
function countedApprovers({ proposal, approvals }: LiveProposal, attempts: Effect['attempts']): readonly Principal[] {
  const own = attempts.filter((attempt) => attempt.proposal === proposal.ref)
  return approvals.filter((approval) => mayHaveCounted(approval, own)).map(({ approver }) => approver)
}

function mayHaveCounted({ decision, revokedAt }: Approval, attempts: readonly Attempt[]): boolean {
  if (decision !== 'approve') return false
  return revokedAt === null || attempts.some(({ startedAt }) => startedAt <= revokedAt)
}

/** The effect that an operator acts on, and everybody behind it. */
interface Subject {
  readonly effect: Effect
  /** Where it is erased, the proposal that was named. */
  readonly owner: LiveProposal
  readonly behind: readonly LiveProposal[]
}

/** What becomes of the effect, and of each proposal behind it. */
interface Operated {
  readonly effect: Effect
  readonly verdictOn: (stored: LiveProposal) => Verdict
}

/** What an operator does, and what bars them from it whatever the effect is. */
interface Operation {
  readonly barOf: (stored: LiveProposal) => Refused | null
  readonly on: (subject: Subject, now: number) => Operated
}

type Round = OperationResult | typeof LOST_RACE

// The effect is what an operator acts on: its owner and its former owners are marked in the same change (rules R3).
async function operated(
  core: Core,
  session: CallerSession,
  ref: string,
  ifRevision: number | undefined,
  { barOf, on }: Operation,
): Promise<OperationResult> {
  const round = async (): Promise<Round> => {
    const { stored, registered } = await load(core, session, ref, ifRevision)
    await demand(core, registered.definition, 'operate', session, { proposal: stored.proposal })
    const barred = barOf(stored)
    if (barred !== null) throw refusal(barred.code, stored.proposal.status)
    const subject = await subjectOf(core, session, stored)
    if (subject === LOST_RACE) return LOST_RACE
    if (subject === null) return resultOf(core, session, stored, stay(outcomeOf(stored.proposal.status)))
    return record(core, session, stored, subject, on(subject, core.clock.now()))
  }
  return untilSettled(round, async () => {
    const { stored } = await load(core, session, ref)
    return resultOf(core, session, stored, stay('conflict', 'lost_race'))
  })
}

/**
 * The effect that the proposal owns or owned; null if it never did. The right to operate is asked for the owner as well,
 * which may be another action's.
 */
async function subjectOf(
  core: Core,
  session: CallerSession,
  { proposal }: LiveProposal,
): Promise<Subject | typeof LOST_RACE | null> {
  const effect = await core.store.effect(proposal.effect)
  const behind = effect === null ? [] : await proposalsBehind(core, effect)
  const own = behind.find((one) => one.proposal.ref === proposal.ref)
  if (effect === null || own === undefined) return null
  const owner = behind.find((one) => one.proposal.ref === effect.owner) ?? own
  if (own.proposal.revision !== proposal.revision) return LOST_RACE
  if (owner !== own) {
    const registered = core.registry.permitting(owner.proposal.action)
    if (registered === null) throw new NotPermitted('operate')
    await demand(core, registered.definition, 'operate', session, { proposal: owner.proposal })
  }
  return { effect, owner, behind }
}

async function record(
  core: Core,
  session: CallerSession,
  stored: LiveProposal,
  { effect: before, behind }: Subject,
  { effect, verdictOn }: Operated,
): Promise<Round> {
  const caller = principalName(session.principal)
  const actor = { participant: caller, trigger: caller }
  const answers = behind.map((one) => ({ one, verdict: heard(one, verdictOn(one)) }))
  const moves = answers.flatMap(({ one, verdict }): Recorded[] => {
    return verdict.kind === 'move' ? [{ stored: one, move: verdict, actor }] : []
  })
  const [first] = moves
  const own = answers.find(({ one }) => one.proposal.ref === stored.proposal.ref)?.verdict
  if (first === undefined) return resultOf(core, session, stored, own ?? stay(outcomeOf(stored.proposal.status)))
  const change = changeOf(core, session.tenant, moves, { effect: effectWrite(effect, before.version) })
  const answer = await commit(core, change)
  if (answer.kind === 'conflict') return LOST_RACE
  if (own?.kind !== 'move') return resultOf(core, session, stored, first.move)
  return resultOf(core, session, { ...stored, proposal: own.proposal }, own)
}

function heard({ proposal }: LiveProposal, verdict: Verdict): Exclude<Verdict, Refused> {
  if (verdict.kind === 'refused') throw refusal(verdict.code, proposal.status)
  return verdict
}

function codeAt(text: string, path: string): ReasonCode {
  try {
    return parseReasonCode(text, path)
  } catch {
    throw new MalformedReference(path)
  }
}
