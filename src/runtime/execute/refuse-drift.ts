// Drift: the approved proposal becomes stale and, where the host offers one, a fresh proposal is stored in the same change.
import type { JsonValue } from '../../effect/canonical-json.ts'
import { parseContent } from '../../proposal/content/boundary.ts'
import {
  AuthorizationUnavailable,
  InvalidPreparation,
  LimitExceeded,
  PolicyUnsatisfiable,
} from '../../proposal/errors.ts'
import type { Drift } from '../../proposal/lifecycle/execute.ts'
import { lifecycle } from '../../proposal/lifecycle/lifecycle.ts'
import type { Resolution } from '../../proposal/answers/resolution.ts'
import { callerOf, may } from '../authority.ts'
import { type Draft, draftProposal } from '../prepare/draft.ts'
import { blocked, conclude, type Execution, type Round } from './execution.ts'
import { commitMove } from '../record.ts'
import { resultOf } from '../result.ts'
import { LOST_RACE } from '../rounds.ts'

/** A resolution that found drift. */
export type Drifted = Resolution & { readonly drift: NonNullable<Resolution['drift']> }

/** Refuses the execution for drift; no approval moves to the replacement. Spec: lifecycle 6.6. */
export async function refuseForDrift(execution: Execution, resolution: Drifted): Promise<Round> {
  const { core, session, stored, actor } = execution
  let replacement: Draft | null
  try {
    replacement =
      resolution.replacement === undefined ? null : await draftReplacement(execution, resolution.replacement)
  } catch (error) {
    // Whether the caller may is not known: nothing is final yet, and the next execution finds the same drift.
    if (error instanceof AuthorizationUnavailable) return blocked(execution, 'authorization_unavailable')
    throw error
  }
  const drift: Drift = {
    ...resolution.drift,
    replacedBy: replacement?.stored.proposal.ref ?? null,
    replacementDropped: resolution.replacement !== undefined && replacement === null,
  }
  const verdict = lifecycle.refuseDrift(stored.proposal, drift, core.clock.now())
  const isStale = verdict.kind === 'move' && verdict.proposal.status === 'stale'
  if (!isStale || replacement === null) return conclude(execution, verdict)
  const answer = await commitMove(core, { stored, move: verdict, actor }, replacement.parts)
  if (answer.kind === 'conflict') return LOST_RACE
  return resultOf(core, session, { ...stored, proposal: verdict.proposal }, verdict)
}

// A fresh proposal comes about only by who may prepare one: here, whoever executes (trace S56). Same command, effect,
// requester and agent; policy, commitment and lifetime of its own. What does not fit is dropped: a bad replacement must not
// hide the drift.
async function draftReplacement(
  { core, session, stored, registered }: Execution,
  offered: unknown,
): Promise<Draft | null> {
  const snapshot = parseContent(registered.definition.schemas.snapshot, offered, 'snapshotBytes')
  if (!snapshot.ok) return null
  const about = { proposal: stored.proposal, snapshot: snapshot.value as JsonValue }
  if (!(await may(core, registered.definition, 'prepare', callerOf(session), about))) return null
  const { effect, subject, requester, agent, agentOwner, ref, commandFingerprint } = stored.proposal
  try {
    return await draftProposal(core, registered, {
      ref: core.ids.reference(),
      effect,
      subject,
      requester,
      agent,
      agentOwner,
      replaces: ref,
      commandFingerprint,
      snapshot: snapshot.value as JsonValue,
      requestKeyHash: null,
    })
  } catch (error) {
    if (isOfTheHost(error)) return null
    throw error
  }
}

// A store or a key service that is out of reach says nothing about what was offered: then nothing is written yet.
function isOfTheHost(error: unknown): boolean {
  return error instanceof InvalidPreparation || error instanceof LimitExceeded || error instanceof PolicyUnsatisfiable
}
