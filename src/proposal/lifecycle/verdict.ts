// What a command of the lifecycle decides: a move that is to be stored, an outcome that changes nothing, or a refusal.
import assert from 'node:assert/strict'
import type { ReasonCode, Reference } from '../../effect/reference.ts'
import type { OutcomeCode, RefusalCode } from '../codes.ts'
import type { Attention, Proposal, ProposalCore } from '../proposal.ts'
import type { ReceiptType } from '../receipts/receipt.ts'
import { mayMove, type Status } from '../status.ts'

/** What the receipt of a move says beside the fields that every receipt has. */
export interface ReceiptDraft {
  readonly type: ReceiptType
  readonly attempt?: number
  readonly reason?: ReasonCode
  readonly externalReference?: Reference | null
  readonly detail?: readonly string[]
}

/** The proposal as it is to be stored, at the next revision, and the one receipt of it. */
export interface Move {
  readonly kind: 'move'
  readonly proposal: Proposal
  readonly receipt: ReceiptDraft
  readonly outcome: OutcomeCode
  readonly reason: ReasonCode | null
}

/** Nothing is stored. */
export interface Stay {
  readonly kind: 'stay'
  readonly outcome: OutcomeCode
  readonly reason: ReasonCode | null
}

/** What the lifecycle itself refuses; the other codes are found out before it is asked. */
export type LifecycleRefusal = Extract<
  RefusalCode,
  'not_found' | 'not_permitted' | 'agent_cannot_decide' | 'separation_of_duties' | 'binding_mismatch' | 'limit_exceeded'
>

/** Nothing is stored, and the operation ends with the error of that code. */
export interface Refused {
  readonly kind: 'refused'
  readonly code: LifecycleRefusal
}

export type Verdict = Move | Stay | Refused

/** A reason that the library itself gives, as a reason code. */
export function reason(text: string): ReasonCode {
  assert.match(text, /^[a-z0-9_.-]{1,64}$/)
  return text as ReasonCode
}

export function stay(outcome: OutcomeCode, why: string | null = null): Stay {
  return { kind: 'stay', outcome, reason: why === null ? null : reason(why) }
}

export function refuse(code: LifecycleRefusal): Refused {
  return { kind: 'refused', code }
}

/** The outcome of an operation that a proposal's status does not take: what the proposal already is. */
export function outcomeOf(status: Status): OutcomeCode {
  if (status === 'awaiting_approval') return 'approval_pending'
  return status === 'executing' ? 'in_progress' : status
}

/** A proposal without the fields of its status. */
export type Fields<S extends Status> = Omit<Extract<Proposal, { status: S }>, keyof ProposalCore | 'status'>

/** Changes that any move may make to the core. */
export interface CoreChanges {
  readonly attention?: readonly Attention[]
  readonly blockedBy?: ReasonCode | null
  readonly erasure?: ProposalCore['erasure']
}

/**
 * The next revision of a proposal in the given status. Time never goes back for it, and the table has the last word:
 * a move that it lacks is a fault of the caller.
 */
export function next<S extends Status>(
  before: Proposal,
  status: S,
  fields: Fields<S>,
  now: number,
  changes: CoreChanges = {},
): Proposal {
  assert(mayMove(before.status, status), `the lifecycle has no move from ${before.status} to ${status}`)
  return {
    ...coreOf(before),
    blockedBy: null,
    ...changes,
    ...fields,
    status,
    revision: before.revision + 1,
    updatedAt: Math.max(now, before.updatedAt),
  } as Proposal
}

/** The next revision with the status and its fields as they are. */
export function same(before: Proposal, now: number, changes: CoreChanges): Proposal {
  return { ...before, ...changes, revision: before.revision + 1, updatedAt: Math.max(now, before.updatedAt) }
}

function coreOf(proposal: Proposal): ProposalCore {
  return {
    tenant: proposal.tenant,
    ref: proposal.ref,
    action: proposal.action,
    definitionDigest: proposal.definitionDigest,
    effect: proposal.effect,
    subject: proposal.subject,
    requester: proposal.requester,
    agent: proposal.agent,
    agentOwner: proposal.agentOwner,
    replaces: proposal.replaces,
    policy: proposal.policy,
    commandFingerprint: proposal.commandFingerprint,
    commitment: proposal.commitment,
    createdAt: proposal.createdAt,
    expiresAt: proposal.expiresAt,
    revision: proposal.revision,
    updatedAt: proposal.updatedAt,
    erasure: proposal.erasure,
    blockedBy: proposal.blockedBy,
    attention: proposal.attention,
  }
}
