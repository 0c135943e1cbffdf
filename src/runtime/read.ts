// Read: everything that may be shown of one proposal, opened for somebody who may read it.
import type { JsonValue } from '../effect/canonical-json.ts'
import type { Effect } from '../effect/effect.ts'
import type { Reference } from '../effect/reference.ts'
import { drift as driftBetween, type Drift } from '../proposal/content/drift.ts'
import { ContentUnavailable, RevisionMismatch } from '../proposal/errors.ts'
import { attentionOf } from '../proposal/lifecycle/attention.ts'
import { explainPolicy, type PolicyExplanation } from '../proposal/policy/explain-policy.ts'
import { type EvidenceSummary, evidenceSummary, type NextStep, nextStep } from '../proposal/next-step.ts'
import type { Principal } from '../proposal/principal.ts'
import type { CallerSession } from '../proposal/session.ts'
import type { Attention, Erasure } from '../proposal/proposal.ts'
import type { Status } from '../proposal/status.ts'
import type { Tombstone } from '../proposal/tombstone.ts'
import { type Content, openContent } from './content.ts'
import type { Core } from './core.ts'
import { loadAny, loadIfReadable } from './load.ts'
import type { LiveProposal } from './ports.ts'
import { relatedProposals } from './prepare/related.ts'
import { named, resultIfVerified } from './result.ts'

/** At which revision to read. */
export interface ReadInput {
  readonly ifRevision?: number
}

/** One decision as readers see it. */
export interface ApprovalView {
  readonly approvalId: Reference
  readonly decision: 'approve' | 'reject'
  readonly approver: Principal
  readonly decidedAt: number
  readonly expiresAt: number
  readonly revokedAt: number | null
  /** Null where there is none, or where it cannot be opened. */
  readonly comment: string | null
}

/** Another proposal for the same effect or subject. */
export interface RelatedView {
  readonly proposal: Reference
  readonly action: string
  readonly status: Status
  readonly sameEffect: boolean
}

/** A proposal as a reader sees it. Spec: http "GET /v1/proposals/{ref}". */
export interface ProposalView {
  readonly kind: 'proposal'
  readonly proposal: Reference
  readonly action: string
  readonly status: Status
  readonly revision: number
  readonly requester: Principal
  readonly agent: Principal | null
  readonly agentOwner: Principal | null
  readonly subject: Reference | null
  readonly effectReference: Reference
  readonly commitment: string
  readonly createdAt: number
  readonly expiresAt: number
  /** What would happen, exactly as an approver must see it; null while it cannot be opened or is not what was committed to. */
  readonly preview: JsonValue
  readonly contentAvailable: boolean
  readonly policy: PolicyExplanation
  readonly approvals: readonly ApprovalView[]
  readonly evidence: EvidenceSummary | null
  readonly attention: readonly Attention[]
  readonly nextStep: NextStep
  readonly waitUntil: number | null
  readonly related: readonly RelatedView[]
  readonly replaces: Reference | null
  readonly replacedBy: Reference | null
  readonly supersededBy: Reference | null
  /** The paths of a drift that made it stale. */
  readonly driftPaths: readonly string[]
  /** What differs from the proposal that this one replaces, as both previews show it; computed now, never stored. */
  readonly changedSinceReplaced: readonly Drift[]
  readonly blockedBy: string | null
  readonly result: JsonValue
  readonly erasure: Erasure
  /** How long the chain of receipts is, and its last hash: whoever keeps it can tell later that none is missing. */
  readonly receipts: { readonly count: number; readonly lastHash: string }
}

/** What is left of an erased proposal. */
export interface ErasedView {
  readonly kind: 'erased'
  /** Its evidence is that of the effect by now, which may have come after the erasure (trace S32). */
  readonly tombstone: Tombstone
  readonly evidence: EvidenceSummary | null
  readonly attention: readonly Attention[]
}

/**
 * One proposal. Who may read it is told everything but the snapshot, which is private to the action.
 * @throws NotFound, RevisionMismatch
 */
export async function read(
  core: Core,
  session: CallerSession,
  ref: string,
  { ifRevision }: ReadInput = {},
): Promise<ProposalView | ErasedView> {
  const { stored } = await loadAny(core, session, ref)
  const { revision } = stored.kind === 'live' ? stored.proposal : stored.tombstone
  if (ifRevision !== undefined && ifRevision !== revision) throw new RevisionMismatch(revision)
  if (stored.kind === 'erased') return erasedView(core, session, stored.tombstone)
  const effect = await core.store.effect(stored.proposal.effect)
  return viewOf(core, session, stored, effect)
}

async function erasedView(core: Core, session: CallerSession, tombstone: Tombstone): Promise<ErasedView> {
  const effect = tombstone.attemptCount === 0 ? null : await core.store.effect(tombstone.effect)
  const evidence = evidenceSummary(effect)
  const others = {
    replacedBy: await named(core, session, tombstone.replacedBy),
    supersededBy: await named(core, session, tombstone.supersededBy),
  }
  return {
    kind: 'erased',
    tombstone: { ...tombstone, ...others, evidence: evidence?.status ?? null },
    evidence,
    attention: effect === null ? [] : attentionOf(tombstone, effect),
  }
}

async function viewOf(
  core: Core,
  session: CallerSession,
  stored: LiveProposal,
  effect: Effect | null,
): Promise<ProposalView> {
  const { proposal, approvals } = stored
  const now = core.clock.now()
  const content = await contentIfOpen(core, stored)
  const next = nextStep(proposal, effect, now)
  const hasAttempt = effect?.attempts.some((attempt) => attempt.proposal === proposal.ref) ?? false
  return {
    kind: 'proposal',
    proposal: proposal.ref,
    action: proposal.action,
    status: proposal.status,
    revision: proposal.revision,
    requester: proposal.requester,
    agent: proposal.agent,
    agentOwner: proposal.agentOwner,
    subject: proposal.subject,
    effectReference: proposal.effect.reference,
    commitment: proposal.commitment,
    createdAt: proposal.createdAt,
    expiresAt: proposal.expiresAt,
    preview: content?.preview ?? null,
    contentAvailable: content !== null,
    policy: explainPolicy(proposal.policy, approvals, { now, commitment: proposal.commitment }),
    approvals: approvals.map((approval) => ({
      ...approvalView(approval),
      comment: commentOf(stored, content, approval.approvalId),
    })),
    evidence: hasAttempt ? evidenceSummary(effect) : null,
    attention: proposal.attention,
    nextStep: next.step,
    waitUntil: next.at,
    related: await relatedViews(core, session, stored),
    replaces: await named(core, session, proposal.replaces),
    replacedBy: await named(core, session, 'replacedBy' in proposal ? proposal.replacedBy : null),
    supersededBy: await named(core, session, 'supersededBy' in proposal ? proposal.supersededBy : null),
    driftPaths: 'driftPaths' in proposal ? proposal.driftPaths : [],
    changedSinceReplaced: await changedSinceReplaced(core, session, stored, content),
    blockedBy: proposal.blockedBy,
    result: await resultIfVerified(core, stored),
    erasure: proposal.erasure,
    receipts: { count: proposal.revision + 1, lastHash: stored.lastHash },
  }
}

// A preview that is not what was committed to is not shown: an approver must not see anything else than what would run.
async function contentIfOpen(core: Core, stored: LiveProposal): Promise<Content | null> {
  try {
    const content = await openContent(core, stored)
    return content.committed ? content : null
  } catch (error) {
    if (error instanceof ContentUnavailable) return null
    throw error
  }
}

function approvalView(approval: LiveProposal['approvals'][number]): Omit<ApprovalView, 'comment'> {
  const { approvalId, decision, approver, decidedAt, expiresAt, revokedAt } = approval
  return { approvalId, decision, approver, decidedAt, expiresAt, revokedAt }
}

function commentOf(stored: LiveProposal, content: Content | null, approvalId: Reference): string | null {
  const sealed = stored.comments.get(approvalId)
  if (sealed === undefined || content === null) return null
  try {
    return content.key.open(`comment:${approvalId}`, sealed)
  } catch (error) {
    if (error instanceof ContentUnavailable) return null
    throw error
  }
}

async function relatedViews(
  core: Core,
  session: CallerSession,
  { proposal }: LiveProposal,
): Promise<readonly RelatedView[]> {
  const related = await relatedProposals(core, proposal.effect, proposal.subject, proposal.ref)
  const readable = await Promise.all(related.map(({ ref }) => loadIfReadable(core, session, ref)))
  return related
    .filter((_, index) => readable[index] !== null)
    .map(({ ref, action, status, effect }) => ({
      proposal: ref,
      action,
      status,
      sameEffect: effect.domain === proposal.effect.domain && effect.reference === proposal.effect.reference,
    }))
}

async function changedSinceReplaced(
  core: Core,
  session: CallerSession,
  { proposal }: LiveProposal,
  content: Content | null,
): Promise<readonly Drift[]> {
  if (proposal.replaces === null || content === null) return []
  const replaced = await loadIfReadable(core, session, proposal.replaces)
  const before = replaced === null ? null : await contentIfOpen(core, replaced)
  return before === null ? [] : driftBetween(before.preview, content.preview, { immaterial: [], sets: [] })
}
