// Execute: everything is looked at again, in the order of the lifecycle, and only then is the executor called, at most once.
import { canonicalJson, type JsonValue } from '../../effect/canonical-json.ts'
import type { Effect } from '../../effect/effect.ts'
import { evidenceOf } from '../../effect/effect-evidence.ts'
import type { Reference } from '../../effect/reference.ts'
import { type Claim, judgeClaim } from '../../proposal/claim/claim.ts'
import type { Reason } from '../../proposal/codes.ts'
import { ContentUnavailable, NotPermitted } from '../../proposal/errors.ts'
import { evaluatePolicy } from '../../proposal/policy/evaluate-policy.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import { stay } from '../../proposal/lifecycle/verdict.ts'
import { principalName } from '../../proposal/principal.ts'
import type { CallerSession } from '../../proposal/session.ts'
import type { Resolution } from '../../proposal/answers/resolution.ts'
import { isInDoubt } from '../../proposal/status.ts'
import { admitAndCall } from './admit.ts'
import { callerOf, may } from '../authority.ts'
import { settlingMs } from '../clock-watch.ts'
import { type Content, openContent } from '../content.ts'
import type { Core } from '../core.ts'
import { demandKind } from '../effect-kind.ts'
import { previewOf } from '../prepare/draft.ts'
import { blocked, conclude, type Execution, type Round } from './execution.ts'
import { hostTrouble } from '../host-trouble.ts'
import { load } from '../load.ts'
import { lookAgain } from './look-again.ts'
import { lookForLost } from './look-for-lost.ts'
import { reconcileStored } from '../verify/reconcile.ts'
import type { Actor } from '../record.ts'
import { refuseForDrift } from './refuse-drift.ts'
import type { Registered } from '../registry.ts'
import { resolve } from './resolve.ts'
import { type OperationResult, resultOf, uncompared } from '../result.ts'
import { LOST_RACE, untilSettled } from '../rounds.ts'

/** How an execution goes on, and at which revision it may begin. */
export interface ExecuteInput {
  /** Go on with one verification, if it is due. */
  readonly reconcile?: boolean
  readonly ifRevision?: number
}

/** Executes an approved proposal. Spec: lifecycle 6. */
export async function execute(
  core: Core,
  session: CallerSession,
  ref: string,
  input: ExecuteInput = {},
): Promise<OperationResult> {
  const { stored, registered } = await load(core, session, ref, input.ifRevision)
  const about = { proposal: stored.proposal }
  if (!(await may(core, registered.definition, 'execute', callerOf(session), about))) throw new NotPermitted('execute')
  const caller = principalName(session.principal)
  const actor = { participant: caller, trigger: caller }

  const result = await untilSettled(
    () => executeRound(core, session, actor, ref, input.ifRevision),
    async () => {
      const lost = await load(core, session, ref)
      return resultOf(core, session, lost.stored, stay('conflict', 'lost_race'))
    },
  )
  if (input.reconcile !== true || !isInDoubt(result.status)) return result
  return reconcileStored(core, session, await load(core, session, ref), actor, 'when_due')
}

// The precondition is one of what is admitted: it was true of what was read first, and much may have been awaited since.
async function executeRound(
  core: Core,
  session: CallerSession,
  actor: Actor,
  ref: string,
  ifRevision: number | undefined,
): Promise<Round> {
  const { stored, registered } = await load(core, session, ref, ifRevision)
  const { proposal, approvals } = stored
  const now = core.clock.now()
  const evaluation = evaluatePolicy(proposal.policy, approvals, { now, commitment: proposal.commitment })
  const execution = { core, session, actor, stored, registered }
  const first = lifecycle.beginExecution(proposal, evaluation, now)
  if (first === null) return executeApproved(execution)
  const answer = await conclude(execution, first)
  // Approvals that suffice again are stored as such, and the execution goes on from there.
  const isRestored = first.kind === 'move' && first.outcome === 'approved'
  if (!isRestored || answer === LOST_RACE) return answer
  return ifRevision === undefined ? LOST_RACE : executeRound(core, session, actor, ref, answer.revision)
}

async function executeApproved(execution: Execution): Promise<Round> {
  const { core, stored } = execution
  const content = await committedContent(execution)
  if (typeof content === 'string') return blocked(execution, content)
  const registered = core.registry.exact(stored.proposal.action)
  if (registered === null || registered.definition.digest !== stored.proposal.definitionDigest) {
    return blocked(execution, 'definition_changed')
  }
  if (!previewIsSame(execution, registered.definition, content)) return blocked(execution, 'preview_differs')

  const effect = await core.store.effect(stored.proposal.effect)
  if (effect !== null && isInDoubtByNow(effect, stored.proposal.ref)) return LOST_RACE
  const claim = judgeClaim(stored.proposal, effect, registered.definition.attemptsMax)
  const refused = await claimRefused(execution, registered, claim)
  if (refused !== null) return refused
  if (core.clock.isUnsettled(settlingMs(registered.definition))) return blocked(execution, 'clock_unsettled')
  const restore = await core.store.restore()
  if (restore.open !== null) return blocked(execution, 'restore_unacknowledged')

  const resolution = await resolve(core, registered, stored.proposal, content.snapshot)
  if (resolution === null) return blocked(execution, 'resolve_failed')
  const resolved = { ...execution, registered }
  const lost = await lookForLost(resolved, content, effect, restore)
  return lost ?? afterResolution(resolved, content, effect, resolution)
}

async function afterResolution(
  execution: Execution,
  content: Content,
  effect: Effect | null,
  resolution: Resolution,
): Promise<Round> {
  const { drift } = resolution
  if (effect === null || effect.attempts.length === 0) {
    if (drift !== null) return refuseForDrift(execution, { ...resolution, drift })
    return admitAndCall(execution, content, effect, resolution)
  }
  // With an earlier attempt, drift may be our own late landing: the target is asked before anything is concluded.
  const looked = await lookAgain(execution, effect)
  if (looked.kind === 'answered') return looked.answer
  const claimant = { ...execution, stored: looked.stored }
  if (drift !== null) return refuseForDrift(claimant, { ...resolution, drift })
  return admitAndCall(claimant, content, looked.effect, resolution)
}

/** The content, if it is what was approved; else why not. Spec: lifecycle 6.4. */
async function committedContent({ core, stored }: Execution): Promise<Content | Reason> {
  try {
    const content = await openContent(core, stored)
    return content.committed ? content : 'commitment_mismatch'
  } catch (error) {
    if (error instanceof ContentUnavailable) return 'content_unavailable'
    throw error
  }
}

function previewIsSame(
  { core, stored }: Execution,
  definition: Registered['definition'],
  { snapshot, preview }: Content,
): boolean {
  const asked = { method: 'preview', proposal: stored.proposal.ref }
  try {
    const shown = previewOf(definition, snapshot, (trouble) => hostTrouble(core, asked, trouble))
    return canonical(shown) === canonical(preview)
  } catch {
    return false
  }
}

function canonical(value: JsonValue): string {
  return canonicalJson(value, { numbers: 'integers' })
}

// The effect is read after the proposal, which is still approved: with an attempt of its own in doubt there is a newer one.
function isInDoubtByNow(effect: Effect, ref: Reference): boolean {
  const { status, conflict } = evidenceOf(effect)
  return effect.owner === ref && status === 'UNKNOWN' && !conflict
}

/** Ends the round unless the effect may be claimed. Spec: lifecycle 6.5. */
async function claimRefused(execution: Execution, { definition }: Registered, claim: Claim): Promise<Round | null> {
  switch (claim.kind) {
    case 'spent':
      return blocked(execution, 'attempts_spent')
    case 'barred':
      return blocked(execution, 'earlier_attempt')
    case 'held':
      return heldElsewhere(execution, claim.by, claim.completed)
    case 'free':
      for (const domain of [definition.domain, ...definition.formerDomains]) {
        await demandKind(execution.core, { ...execution.stored.proposal.effect, domain })
      }
      return (await claimedInFormerDomain(execution, definition.formerDomains))
        ? blocked(execution, 'earlier_attempt')
        : null
    case 'own':
    case 'transferable':
      return null
  }
}

async function claimedInFormerDomain({ core, stored }: Execution, formerDomains: readonly string[]): Promise<boolean> {
  for (const domain of formerDomains) {
    if ((await core.store.effect({ ...stored.proposal.effect, domain })) !== null) return true
  }
  return false
}

async function heldElsewhere(execution: Execution, by: Reference, completed: boolean): Promise<Round> {
  const { core, stored } = execution
  const owner = await core.store.proposal(stored.proposal.tenant, by)
  const fingerprint = owner?.kind === 'live' ? owner.proposal.commandFingerprint : null
  // After erasure content cannot be compared any more (rules R16); then the effect alone decides.
  if (fingerprint !== null && fingerprint !== stored.proposal.commandFingerprint) {
    return conclude(execution, stay('conflict', 'effect_content_differs'))
  }
  const verdict = completed
    ? lifecycle.supersede(stored.proposal, by, core.clock.now())
    : stay('replayed', 'effect_in_flight_elsewhere')
  const answer = await conclude(execution, verdict)
  return fingerprint !== null || answer === LOST_RACE ? answer : uncompared(answer)
}
