// Receipts: the append-only, hash-chained record of what was done to a proposal, one for every stored change.
import type { ReasonCode, Reference } from '../../effect/reference.ts'
import type { Status } from '../status.ts'

/** What a receipt can say. Spec: lifecycle 10. */
export const RECEIPT_TYPES = [
  'proposal.prepared',
  'proposal.replaced',
  'proposal.withdrawn',
  'proposal.expired',
  'proposal.superseded',
  'proposal.erased',
  'approval.approved',
  'approval.rejected',
  'approval.revoked',
  'approval.lapsed',
  'approval.restored',
  'execution.started',
  'execution.drift_refused',
  'execution.blocked',
  'execution.not_sent',
  'execution.accepted',
  'execution.stale_no_effect',
  'execution.failed_known',
  'execution.failed_unknown',
  'execution.late',
  'verification.verified_completion',
  'verification.verified_terminal_failure',
  'verification.provisional_absence',
  'verification.authoritative_final_absence',
  'verification.target_unavailable',
  'verification.reversed_after_completion',
  'verification.unresolved',
  'verification.mismatch',
  'operation.resumed',
  'operation.settled',
  'operation.lease_lapsed',
  'operation.observed',
] as const

/** The type of a receipt, `group.what`. */
export type ReceiptType = (typeof RECEIPT_TYPES)[number]

/** What a receipt says; references and codes only, never content. */
export interface ReceiptBody {
  readonly type: ReceiptType
  /** When it was observed, on the store's clock; never before the receipt before it (invariant I12). */
  readonly at: number
  /** Who acted, as `kind:id`, and who called the operation; null when it was time or evidence. */
  readonly participant: string | null
  readonly trigger: string | null
  readonly action: string
  readonly status: Status
  readonly attempt: number | null
  readonly reason: ReasonCode | null
  readonly externalReference: Reference | null
  /** The material paths of a drift, or the answer of a verifier that led to `unresolved` or `mismatch`. */
  readonly detail: readonly string[]
  readonly runtimeVersion: string
}

/** A receipt in its chain. `sequence` starts at 1 and is the proposal's revision plus one. */
export interface Receipt {
  readonly tenant: Reference
  readonly proposal: Reference
  readonly sequence: number
  /** Null once the proposal is erased: then only the links can be checked. */
  readonly body: ReceiptBody | null
  /** Lower-case hex of 32 bytes; 64 zeros before the first. */
  readonly previousHash: string
  readonly hash: string
}
