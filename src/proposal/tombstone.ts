// What is left of an erased proposal: enough to bar a repeat and to count, nothing of its content.
import type { EffectKey } from '../effect/effect-key.ts'
import type { Evidence } from '../effect/effect.ts'
import type { ReasonCode, Reference } from '../effect/reference.ts'
import type { Status } from './status.ts'

/** The whole list; a store keeps nothing else of an erased proposal. Spec: policy-and-protection 5. */
export interface Tombstone {
  readonly tenant: Reference
  readonly ref: Reference
  readonly action: string
  readonly effect: EffectKey
  readonly status: Status
  readonly evidence: Evidence | null
  readonly attemptCount: number
  readonly revision: number
  readonly createdAt: number
  readonly expiresAt: number
  readonly settledAt: number | null
  readonly erasedAt: number
  readonly reason: ReasonCode
  readonly metRequirements: readonly string[]
  readonly replacedBy: Reference | null
  readonly supersededBy: Reference | null
  readonly receiptCount: number
  readonly lastHash: string
}
