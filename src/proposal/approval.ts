// An approval: one person's decision on one exact proposal, built from the stored proposal and the session.
import type { Reference } from '../effect/reference.ts'
import type { Principal } from './principal.ts'

/** Decisions and revocations are rows of their own; nothing is taken back in place. Spec: policy-and-protection 2. */
export interface Approval {
  readonly approvalId: Reference
  readonly decision: 'approve' | 'reject'
  /** The commitment that the approver saw, in its shown form. */
  readonly commitment: string
  readonly approver: Principal
  readonly rolesAtDecision: readonly string[]
  readonly assurance: readonly string[]
  readonly decidedAt: number
  /** Exclusive: from this instant on the approval no longer counts. */
  readonly expiresAt: number
  /** When it was taken back, or null; only its own approver may, before admission. */
  readonly revokedAt: number | null
}
