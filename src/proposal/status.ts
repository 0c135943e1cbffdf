// The statuses of a proposal, what each leaves to, and the questions that are answered by the status alone.

/**
 * The lifecycle of a proposal, status by status: what holds on entry, what leaves it, what is ignored there.
 *
 * - `awaiting_approval`: stored and sealed; the policy is not met by approvals that count now. Decisions, withdrawal and
 *   time move it. With an attempt behind it (a resend whose approvals lapsed) evidence moves it too.
 * - `approved`: the policy was met when last looked at; no attempt is open. Execution looks at everything again. Approvals
 *   beyond the quorum are recorded and change nothing else.
 * - `executing`: owns the claim of its effect; one attempt is open under a lease. Decisions, withdrawal and expiry are
 *   ignored: the call may be on the wire, and only evidence moves it.
 * - `verification_pending`: the target accepted, or an interrupted attempt is being looked into. Only evidence moves it.
 * - `failed_unknown`: the call ended without proof either way. It is verified, never sent again.
 * - `verification_unresolved`: budget spent, conflict, mismatch or duplicate. A person looks; a slow probe goes on.
 * - `verified`: the effect is CONFIRMED, by evidence or settled as occurred. Only a contradiction reopens it.
 * - `failed_known`: the effect is FAILED, by evidence or settled as not occurred. Only a contradiction reopens it.
 * - `closed_unknown`: a person closed it without an answer; it is never sent again. New decisive evidence reopens it.
 * - `rejected`, `withdrawn`, `expired`: closed by decision, by requester or operator, by time.
 * - `stale`: the business state materially differs from what was approved; nothing was done.
 * - `superseded`: another proposal completed this effect.
 *
 * The last five keep their status whatever evidence arrives later; the view then shows the effect's own evidence and
 * `attention`. Spec: lifecycle 2, rules R3.
 */
export const TRANSITIONS = {
  awaiting_approval: [
    'approved',
    'rejected',
    'withdrawn',
    'expired',
    'superseded',
    'stale',
    'verified',
    'verification_unresolved',
  ],
  approved: [
    'awaiting_approval',
    'rejected',
    'withdrawn',
    'expired',
    'stale',
    'superseded',
    'executing',
    'verified',
    'verification_unresolved',
  ],
  executing: [
    'verification_pending',
    'failed_unknown',
    'failed_known',
    'stale',
    'verified',
    'verification_unresolved',
    'approved',
    'awaiting_approval',
    'expired',
  ],
  verification_pending: ['verified', 'failed_known', 'verification_unresolved', 'approved', 'failed_unknown'],
  failed_unknown: ['verified', 'failed_known', 'verification_unresolved', 'approved', 'verification_pending'],
  verification_unresolved: ['verification_pending', 'verified', 'failed_known', 'closed_unknown'],
  verified: ['verification_unresolved'],
  failed_known: ['verification_unresolved'],
  closed_unknown: ['verification_unresolved'],
  rejected: [],
  withdrawn: [],
  expired: [],
  stale: [],
  superseded: [],
} as const satisfies Record<string, readonly string[]>

/** A proposal's status, spelled alike in TypeScript, in the database and on the wire. Spec: lifecycle 2. */
export type Status = keyof typeof TRANSITIONS

/** Every status, in the order of the lifecycle. */
export const STATUSES: readonly Status[] = Object.keys(TRANSITIONS) as Status[]

/** Whether the table lets a proposal go from one status to another; staying is always allowed. */
export function mayMove(from: Status, to: Status): boolean {
  return from === to || (TRANSITIONS[from] as readonly string[]).includes(to)
}

/** Decisions and withdrawal are still possible. */
export function isOpen(status: Status): status is 'awaiting_approval' | 'approved' {
  return status === 'awaiting_approval' || status === 'approved'
}

/** A call may have had its effect, and nobody knows yet. */
export function isInDoubt(status: Status): status is 'executing' | 'verification_pending' | 'failed_unknown' {
  return status === 'executing' || status === 'verification_pending' || status === 'failed_unknown'
}

/** It says what became of the effect, so that only a contradiction reopens it. */
export function isSettled(status: Status): status is 'verified' | 'failed_known' | 'closed_unknown' {
  return status === 'verified' || status === 'failed_known' || status === 'closed_unknown'
}

/** Nothing further happens by itself. Closed is not final: a contradiction reopens `verified`, `failed_known`, `closed_unknown`. */
export function isClosed(status: Status): boolean {
  return !isOpen(status) && !isInDoubt(status) && status !== 'verification_unresolved'
}
