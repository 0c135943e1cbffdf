// Results: what every operation answers, whatever it did.
import type { JsonValue } from '../effect/canonical-json.ts'
import type { Effect } from '../effect/effect.ts'
import type { ReasonCode, Reference } from '../effect/reference.ts'
import type { OutcomeCode } from '../proposal/codes.ts'
import { type EvidenceSummary, evidenceSummary, type NextStep, nextStep } from '../proposal/next-step.ts'
import type { CallerSession } from '../proposal/session.ts'
import type { Attention, Proposal } from '../proposal/proposal.ts'
import type { Status } from '../proposal/status.ts'
import { openResult } from './content.ts'
import type { Core } from './core.ts'
import { isReadable } from './load.ts'
import type { LiveProposal } from './ports.ts'
import type { Remains } from './erase/remains.ts'

/** What became of an operation. Spec: lifecycle 9. */
export interface OperationResult {
  /** What this call came to, such as `replayed` or `in_progress`; `status` says how the proposal stands now. */
  readonly outcome: OutcomeCode
  /** Why, where the outcome leaves it open. */
  readonly reason: ReasonCode | null
  /** The reference by which every other operation is asked. */
  readonly proposal: Reference
  readonly status: Status
  /** Counts the changes of the proposal. */
  readonly revision: number
  /** What an approval of this proposal must name; empty once it is erased, and takes none. */
  readonly commitment: string
  readonly nextStep: NextStep
  /** From when on the next step is useful, if it is `wait`; milliseconds since 1970. */
  readonly waitUntil: number | null
  readonly evidence: EvidenceSummary | null
  readonly attention: readonly Attention[]
  readonly replacedBy: Reference | null
  readonly supersededBy: Reference | null
  /** The action's result, once verified; null otherwise, and while its key cannot be had. */
  readonly result: JsonValue
  /** There where a replay could not be held against what was asked for, since the other content is erased (rules R16). */
  readonly contentCompared?: false
}

/** What an operation says about itself. */
export interface Said {
  readonly outcome: OutcomeCode
  readonly reason: ReasonCode | null
}

/** The result of an operation on a proposal as it is now stored. */
export async function resultOf(
  core: Core,
  session: CallerSession,
  stored: LiveProposal,
  said: Said,
): Promise<OperationResult> {
  const { proposal } = stored
  const effect = await core.store.effect(proposal.effect)
  const { step, at } = nextStep(proposal, effect, core.clock.now())
  return {
    outcome: said.outcome,
    reason: said.reason,
    proposal: proposal.ref,
    status: proposal.status,
    revision: proposal.revision,
    commitment: proposal.commitment,
    nextStep: step,
    waitUntil: at,
    evidence: attemptsOf(proposal, effect) ? evidenceSummary(effect) : null,
    attention: proposal.attention,
    replacedBy: 'replacedBy' in proposal ? await named(core, session, proposal.replacedBy) : null,
    supersededBy: 'supersededBy' in proposal ? await named(core, session, proposal.supersededBy) : null,
    result: await resultIfVerified(core, stored),
  }
}

/** The result of an operation that found an erased proposal, or one that is hidden already: what its tombstone tells. */
export async function erasedResultOf(
  core: Core,
  session: CallerSession,
  kept: Remains,
  said: Said,
): Promise<OperationResult> {
  return {
    outcome: said.outcome,
    reason: said.reason,
    proposal: kept.ref,
    status: kept.status,
    revision: kept.revision,
    commitment: '',
    nextStep: 'none',
    waitUntil: null,
    evidence: kept.attemptCount === 0 ? null : evidenceSummary(await core.store.effect(kept.effect)),
    attention: [],
    replacedBy: await named(core, session, kept.replacedBy),
    supersededBy: await named(core, session, kept.supersededBy),
    result: null,
  }
}

/** The result, where what it rests on could not be compared. */
export function uncompared(result: OperationResult): OperationResult {
  return { ...result, contentCompared: false }
}

/** The action's result of a verified proposal. A key that cannot be had hides the result and nothing else. */
export async function resultIfVerified(core: Core, stored: LiveProposal): Promise<JsonValue> {
  if (stored.proposal.status !== 'verified') return null
  try {
    return await openResult(core, stored)
  } catch {
    return null
  }
}

/** Another proposal is named only to who may read it, or what is left of it. Spec: lifecycle 6.5. */
export async function named(core: Core, session: CallerSession, ref: Reference | null): Promise<Reference | null> {
  return ref !== null && (await isReadable(core, session, ref)) ? ref : null
}

// Evidence about an effect is shown with the proposals that had an attempt on it; others are told by their outcome.
function attemptsOf(proposal: Proposal, effect: Effect | null): boolean {
  return effect?.attempts.some((attempt) => attempt.proposal === proposal.ref) ?? false
}
