// Approve, reject and take back: who decides, on which exact proposal, in the order of checks of the lifecycle.
import { isReference, type Reference } from '../effect/reference.ts'
import { limits } from '../effect/limits.ts'
import { judgeClaim } from '../proposal/claim/claim.ts'
import type { Approval } from '../proposal/approval.ts'
import { ContentUnavailable, DecisionRefused, LimitExceeded, MalformedReference, NotFound } from '../proposal/errors.ts'
import { decisionBar } from '../proposal/lifecycle/decide.ts'
import { lifecycle } from '../proposal/lifecycle/lifecycle.ts'
import { stay, type Verdict } from '../proposal/lifecycle/verdict.ts'
import { approvalsFrom } from '../proposal/claim/resend.ts'
import { principalName } from '../proposal/principal.ts'
import type { CallerSession } from '../proposal/session.ts'
import { callerOf, may } from './authority.ts'
import { openContent } from './content.ts'
import { type Core, openKey } from './core.ts'
import { load, type Loaded } from './load.ts'
import type { ApprovalWrite, LiveProposal } from './ports.ts'
import { commitMove } from './record.ts'
import { refusal } from './refusal.ts'
import { type OperationResult, resultOf, uncompared } from './result.ts'
import { isLostRace, LOST_RACE, untilSettled } from './rounds.ts'

/** A decision names the commitment that the approver saw. Spec: policy-and-protection 2. */
export interface DecisionInput {
  readonly commitment: string
  /** Sealed; at most 2,000 characters. */
  readonly comment?: string
  /** Refuse with `revision_mismatch` unless the proposal is at this revision. */
  readonly ifRevision?: number
}

export async function approve(
  core: Core,
  session: CallerSession,
  ref: string,
  input: DecisionInput,
): Promise<OperationResult> {
  return decide(core, session, ref, input, 'approve')
}

export async function reject(
  core: Core,
  session: CallerSession,
  ref: string,
  input: DecisionInput,
): Promise<OperationResult> {
  return decide(core, session, ref, input, 'reject')
}

/** Takes back an approval of one's own, before admission. */
export async function revokeApproval(
  core: Core,
  session: CallerSession,
  ref: string,
  approvalId: string,
  input: { readonly ifRevision?: number } = {},
): Promise<OperationResult> {
  return decided(core, session, ref, input.ifRevision, async ({ stored }) => {
    if (!isReference(approvalId)) throw new NotFound()
    const now = core.clock.now()
    const { principal } = session
    const verdict = lifecycle.revokeApproval(
      stored.proposal,
      { approvalId, principal, approvals: stored.approvals },
      now,
    )
    const revocation: ApprovalWrite = { kind: 'revoked', proposal: stored.proposal.ref, approvalId, revokedAt: now }
    return { verdict, approvals: isDecision(verdict) ? [revocation] : [] }
  })
}

async function decide(
  core: Core,
  session: CallerSession,
  ref: string,
  input: DecisionInput,
  decision: Approval['decision'],
): Promise<OperationResult> {
  // Read once, before anything is awaited: what is stored is what was sent (threat T3).
  const { commitment, ifRevision } = input
  const text = commentOf(input.comment)
  const approvalId = core.ids.reference()
  return decided(core, session, ref, ifRevision, async (loaded) => {
    const { stored } = loaded
    await demandDecision(core, session, loaded)
    const countsFrom = await approvalsCountFrom(core, stored)
    const judge = (now: number): { readonly verdict: Verdict; readonly approval: Approval } => {
      const approval = approvalOf(stored, session, { approvalId, commitment, decision }, now)
      return {
        approval,
        verdict: lifecycle[decision](stored.proposal, { approval, approvals: stored.approvals, countsFrom }, now),
      }
    }
    const first = judge(core.clock.now()).verdict
    if (!isDecision(first)) return { verdict: first, approvals: [] }
    if (decision === 'approve') {
      const elsewhere = await effectElsewhere(core, stored)
      if (elsewhere !== null) return { ...elsewhere, approvals: [] }
      await demandContent(core, stored)
    }
    const comment = text === null ? null : await sealComment(core, stored, approvalId, text)
    // Time has passed since the first look; what counts is what holds now.
    const { approval, verdict } = judge(core.clock.now())
    const write: ApprovalWrite = { kind: 'decided', proposal: stored.proposal.ref, approval, comment }
    return { verdict, approvals: isDecision(verdict) ? [write] : [] }
  })
}

// A comment is free text, kept as it is written; half a character could not be kept.
function commentOf(text: unknown): string | null {
  if (text === undefined) return null
  if (typeof text !== 'string' || !text.isWellFormed()) throw new MalformedReference('/comment')
  if ([...text].length > limits.commentCharacters) throw new LimitExceeded('commentCharacters')
  return text
}

interface Decided {
  readonly verdict: Verdict
  readonly approvals: readonly ApprovalWrite[]
  /** False where it rests on an effect whose content is erased. */
  readonly compared?: boolean
}

// Racing decisions: whoever loses looks at the newer revision, so that all are kept or one is told that it lost.
async function decided(
  core: Core,
  session: CallerSession,
  ref: string,
  ifRevision: number | undefined,
  decision: (loaded: Loaded) => Promise<Decided>,
): Promise<OperationResult> {
  const round = async (): Promise<OperationResult | typeof LOST_RACE> => {
    const loaded = await load(core, session, ref, ifRevision)
    const { verdict, approvals, compared = true } = await decision(loaded)
    if (verdict.kind === 'refused') throw refusal(verdict.code, loaded.stored.proposal.status)
    if (verdict.kind === 'stay') return resultOf(core, session, loaded.stored, verdict)
    const caller = principalName(session.principal)
    const recorded = { stored: loaded.stored, move: verdict, actor: { participant: caller, trigger: caller } }
    const answer = await commitMove(core, recorded, { approvals, notAfter: notAfter(verdict, loaded.stored) })
    if (answer.kind === 'conflict') {
      if (answer.on === 'too_late') return expired(core, session, loaded.stored)
      if (isLostRace(answer)) return LOST_RACE
      throw new Error(`a decision cannot meet the conflict ${answer.on}`)
    }
    const result = await resultOf(core, session, { ...loaded.stored, proposal: verdict.proposal }, verdict)
    return compared ? result : uncompared(result)
  }
  return untilSettled(round, async () => {
    const { stored } = await load(core, session, ref)
    return resultOf(core, session, stored, stay('conflict', 'lost_race'))
  })
}

// The store says that it is over, whatever the clock here says (design D11).
async function expired(
  core: Core,
  session: CallerSession,
  stored: LiveProposal,
): Promise<OperationResult | typeof LOST_RACE> {
  const move = lifecycle.expire(stored.proposal, stored.proposal.expiresAt)
  if (move.kind !== 'move') return LOST_RACE
  const actor = { participant: null, trigger: principalName(session.principal) }
  const answer = await commitMove(core, { stored, move, actor })
  if (answer.kind === 'conflict') return LOST_RACE
  return resultOf(core, session, { ...stored, proposal: move.proposal }, move)
}

// The store's clock has the last word on whether there was still time to decide.
function notAfter(verdict: Verdict, { proposal }: LiveProposal): number | null {
  return isDecision(verdict) ? proposal.expiresAt : null
}

// Expiry and supersession also come out of a decision, and are none.
function isDecision(verdict: Verdict): boolean {
  return verdict.kind === 'move' && verdict.receipt.type.startsWith('approval.')
}

/** @throws DecisionRefused in the order of the lifecycle: agent, excluded, no right. */
async function demandDecision(core: Core, session: CallerSession, { stored, registered }: Loaded): Promise<void> {
  const bar = decisionBar(stored.proposal, session.principal)
  if (bar !== null) throw refusal(bar.code, stored.proposal.status)
  const about = { proposal: stored.proposal }
  const permitted = await may(core, registered.definition, 'decide', callerOf(session), about)
  if (!permitted) throw new DecisionRefused('decision_not_permitted')
}

// Spec: lifecycle 5: an effect that another proposal completed is not approved once more.
async function effectElsewhere(core: Core, { proposal }: LiveProposal): Promise<Omit<Decided, 'approvals'> | null> {
  const claim = judgeClaim(proposal, await core.store.effect(proposal.effect), limits.attemptsPerEffect)
  if (claim.kind !== 'held' || !claim.completed) return null
  const owner = await core.store.proposal(proposal.tenant, claim.by)
  const fingerprint = owner?.kind === 'live' ? owner.proposal.commandFingerprint : null
  if (fingerprint !== null && fingerprint !== proposal.commandFingerprint) {
    return { verdict: stay('conflict', 'effect_content_differs') }
  }
  return { verdict: lifecycle.supersede(proposal, claim.by, core.clock.now()), compared: fingerprint !== null }
}

// An effect that another proposal owned is taken over only on approvals given since its attempts were closed (rules R1).
async function approvalsCountFrom(core: Core, { proposal }: LiveProposal): Promise<number | null> {
  const effect = await core.store.effect(proposal.effect)
  return effect === null ? null : approvalsFrom(effect, proposal.ref)
}

// What cannot be shown, or is not what was committed to, cannot be approved.
async function demandContent(core: Core, stored: LiveProposal): Promise<void> {
  const { committed } = await openContent(core, stored)
  if (!committed) throw new ContentUnavailable('damaged')
}

async function sealComment(
  core: Core,
  stored: LiveProposal,
  approvalId: Reference,
  comment: string,
): Promise<Uint8Array> {
  const key = await openKey(core, stored)
  return key.seal(`comment:${approvalId}`, comment)
}

function approvalOf(
  { proposal }: LiveProposal,
  session: CallerSession,
  decision: Pick<Approval, 'approvalId' | 'commitment' | 'decision'>,
  now: number,
): Approval {
  return {
    ...decision,
    approver: session.principal,
    rolesAtDecision: [...session.roles],
    assurance: [...session.assurance],
    decidedAt: now,
    expiresAt: Math.min(now + proposal.policy.approvalTtlMs, proposal.expiresAt),
    revokedAt: null,
  }
}
