// Admission: rights and time are judged once more, the attempt becomes durable, and only then is the executor called.
import type { Effect } from '../../effect/effect.ts'
import { unclaimed } from '../../effect/effect-changes.ts'
import { nextGeneration } from '../../effect/generation.ts'
import type { Reference } from '../../effect/reference.ts'
import { settlersOf } from '../../effect/settlement.ts'
import { parseCanonicalJson } from '../../effect/canonical-json.ts'
import { outcomeOf, reason, stay } from '../../proposal/lifecycle/verdict.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import { evaluatePolicy } from '../../proposal/policy/evaluate-policy.ts'
import type { ExecutorWord } from '../../proposal/answers/executor-word.ts'
import { principalName } from '../../proposal/principal.ts'
import { approvalsFrom, closedBy, keyRemembered } from '../../proposal/claim/resend.ts'
import type { Resolution } from '../../proposal/answers/resolution.ts'
import { AuthorizationUnavailable } from '../../proposal/errors.ts'
import { hasForeignDomain } from '../adopt.ts'
import { callerOf, may } from '../authority.ts'
import { settlingMs } from '../clock-watch.ts'
import { callExecutor } from './call-executor.ts'
import type { Content } from '../content.ts'
import { blocked, conclude, type Execution, type Round } from './execution.ts'
import { hearLate } from './late.ts'
import { openAttempt } from './open-attempt.ts'
import { isHeldByRelated } from '../prepare/related.ts'
import { refusedApprovers } from './refused-approvers.ts'
import { remainsOf } from '../erase/remains.ts'
import { erasedResultOf, resultOf } from '../result.ts'
import { LOST_RACE, tried } from '../rounds.ts'
import { type Admitted, outcomeUnknown, settleAttempt } from './settle-attempt.ts'

/** Steps 8 to 12 of an execution. `effect` is as the claim was judged on it. Spec: lifecycle 6. */
export async function admitAndCall(
  execution: Execution,
  content: Content,
  effect: Effect | null,
  resolution: Resolution,
): Promise<Round> {
  const { core, session, stored, registered } = execution
  const { definition } = registered
  const { proposal } = stored
  const approvals = approvalsThatCount(execution, effect)
  // Found out before the rights, which are asked for last.
  const isHeldBack = await isHeldByRelated(core, proposal)
  // A newer version may have moved the action's effects to a domain of which this one knows nothing (trace S11).
  const isMoved = await hasForeignDomain(core, definition)

  let without: ReadonlySet<Reference>
  try {
    const about = { proposal, ...(resolution.current === null ? {} : { snapshot: resolution.current }) }
    if (!(await may(core, definition, 'execute', callerOf(session), about)))
      return await blocked(execution, 'not_permitted')
    without = await refusedApprovers(execution, approvals)
  } catch (error) {
    if (error instanceof AuthorizationUnavailable) return blocked(execution, 'authorization_unavailable')
    throw error
  }
  if (isHeldBack) return blocked(execution, 'related_in_doubt')
  if (isMoved) return blocked(execution, 'definition_changed')

  // From here to the change nothing is awaited: what was judged is what is admitted.
  const now = core.clock.now()
  const at = { now, commitment: proposal.commitment }
  if (now >= proposal.expiresAt) return LOST_RACE
  if (core.clock.isUnsettled(settlingMs(definition))) return blocked(execution, 'clock_unsettled')
  const evaluation = evaluatePolicy(proposal.policy, approvals, { ...at, without })
  if (!evaluation.met) return refuseUnmet(execution, without, now)
  if (
    effect !== null &&
    closedBy(effect) === 'evidence' &&
    !keyRemembered(definition, effect, core.storeClock.latest())
  ) {
    return blocked(execution, 'key_lifetime_over')
  }
  const notAfter = Math.min(proposal.expiresAt, evaluation.validUntil ?? proposal.expiresAt)
  return admit(execution, { content, effect, resolution, notAfter })
}

// Approvals from before an earlier attempt of another proposal was closed by evidence do not carry over (rules R1), nor do
// those of the operators who settled it (trace S8).
function approvalsThatCount({ stored }: Execution, effect: Effect | null): Execution['stored']['approvals'] {
  if (effect === null) return stored.approvals
  const from = approvalsFrom(effect, stored.proposal.ref) ?? 0
  const settlers = settlersOf(effect)
  return stored.approvals.filter(({ decidedAt, approver }) => {
    return decidedAt >= from && !settlers.includes(principalName(approver))
  })
}

async function refuseUnmet(execution: Execution, without: ReadonlySet<string>, now: number): Promise<Round> {
  const { stored } = execution
  const { policy, commitment } = stored.proposal
  // A right that is missing may come back; approvals that are too old for this effect must be given anew; else time lapsed.
  const all = evaluatePolicy(policy, stored.approvals, { now, commitment })
  if (!all.met) return conclude(execution, lifecycle.lapse(stored.proposal, now))
  return blocked(execution, without.size > 0 ? 'not_permitted' : 'earlier_attempt')
}

/** What is admitted, and on what. */
interface Admission {
  readonly content: Content
  /** As the claim was judged on it; null for the first claim. */
  readonly effect: Effect | null
  readonly resolution: Resolution
  /** Exclusive: expiry of the proposal, or of an approval that it needs. */
  readonly notAfter: number
}

async function admit(execution: Execution, admission: Admission): Promise<Round> {
  const { core, registered, actor } = execution
  const { content, effect, resolution, notAfter } = admission
  const { attempts, observations } = effect ?? unclaimed(execution.stored.proposal.effect)
  const beganMs = core.clock.monotonic()
  const opened = await openAttempt(execution, {
    effect,
    generation: nextGeneration(attempts, observations),
    // Of the store's clock, like the lease: together they say how long what was admitted may still be under way.
    startedAt: core.storeClock.about(),
    leaseUntil: core.storeClock.latest() + registered.definition.leaseMs,
    precondition: resolution.precondition,
    notAfter,
  })
  if (opened.kind === 'answered') return opened.answer
  const { proposal, attempt } = opened
  const admitted = { registered, proposal, effect: proposal.effect, attempt, key: content.key, actor }
  return callAndSettle(execution, admitted, admission, beganMs)
}

async function callAndSettle(
  execution: Execution,
  admitted: Admitted,
  { content, resolution, notAfter }: Admission,
  beganMs: number,
): Promise<Round> {
  const { core } = execution
  const { definition } = admitted.registered
  // Two of one subject may have been admitted at the same instant: where the policy says so, neither is sent then.
  if (await isHeldByRelated(core, admitted.proposal)) {
    return settleAndAnswer(execution, admitted, notSent('related_in_doubt', core.clock.now()))
  }
  // A move since the last look: the newer version claims in its own domain, and may not have met this claim (trace S11).
  if (await hasForeignDomain(core, definition)) {
    return settleAndAnswer(execution, admitted, notSent('definition_changed', core.clock.now()))
  }
  // Nothing is awaited between these looks at the clocks and the call.
  const now = core.clock.now()
  const elapsedMs = core.clock.monotonic() - beganMs
  // Others judge the lease by the store's clock: by that, too, it must last, or they already look for what is not sent yet.
  const leaseLeftMs = Math.min(definition.leaseMs - elapsedMs, admitted.attempt.leaseUntil - core.storeClock.latest())
  if (leaseLeftMs < definition.executeTimeoutMs)
    return settleAndAnswer(execution, admitted, notSent('lease_too_short', now))
  if (now >= notAfter) return settleAndAnswer(execution, admitted, notSent('too_late', now))
  if (core.clock.isUnsettled(settlingMs(definition)))
    return settleAndAnswer(execution, admitted, notSent('clock_unsettled', now))
  const { word, late } = await callExecutor(core, {
    admitted,
    snapshot: parseCanonicalJson(content.snapshotText),
    resolution,
    abortInMs: definition.executeTimeoutMs,
    leaseLeftMs,
  })
  if (late !== null) hearLate(core, admitted, late)
  return settleAndAnswer(execution, admitted, word)
}

/** Stores how an attempt ended, and answers what the proposal is then. */
export async function settleAndAnswer(
  { core, session }: Execution,
  admitted: Admitted,
  word: ExecutorWord,
): Promise<Round> {
  const { move } = await settleAttempt(core, admitted, word)
  const { tenant, ref } = admitted.proposal
  try {
    const stored = await tried(() => core.store.proposal(tenant, ref))
    if (stored === null) throw new Error('proposals are never deleted')
    // An erasure that waited for the end of the call may have been quicker than this.
    const remains = await remainsOf(core, stored)
    if (remains !== null) return await erasedResultOf(core, session, remains, move ?? stay(outcomeOf(remains.status)))
    if (stored.kind !== 'live') throw new Error('of an erased proposal there are remains')
    return await resultOf(core, session, stored, move ?? stay(outcomeOf(stored.proposal.status)))
  } catch (cause) {
    // The call was made: that it can not be read back must not look as if nothing had happened.
    throw outcomeUnknown(admitted, word, cause)
  }
}

type NotSentReason = 'lease_too_short' | 'too_late' | 'clock_unsettled' | 'related_in_doubt' | 'definition_changed'

function notSent(why: NotSentReason, at: number): ExecutorWord {
  const ending = { kind: 'not_sent', evidence: 'FAILED', at, reason: reason(why), externalReference: null } as const
  return { ending, resultText: null, errorText: null }
}
