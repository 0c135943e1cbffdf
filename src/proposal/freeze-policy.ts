// The frozen policy: what the author's policy means for one proposal, as plain JSON for the manifest.
import type { JsonValue } from '../effect/canonical-json.ts'
import type { AmountCondition, ApproverSource, PolicyInput } from './policy.ts'
import type { Principal } from './principal.ts'

/** One requirement, with the answer to whether it applies to this proposal. */
export type FrozenRequirement = {
  readonly name: string
  readonly count: number
  readonly from: ApproverSource
  readonly when: AmountCondition | null
  readonly applies: boolean
}

/** Why a principal may not approve this proposal. An agent may never approve; the proposing one is named all the same. */
export type ExclusionReason = 'requester' | 'agent' | 'agent_owner' | 'replaced_requester'

/**
 * The policy of one proposal. A type alias and not an interface, so that it is assignable to `JsonValue`. Spec:
 * policy-and-protection 1 and 3.
 */
export type FrozenPolicy = {
  readonly require: readonly FrozenRequirement[]
  /** By name, `kind:id`; each principal once, with the first reason that holds. */
  readonly excluded: readonly { readonly principal: string; readonly because: ExclusionReason }[]
  readonly switchedOff: readonly { readonly exclusion: 'requester' | 'agent_owner'; readonly reason: string }[]
  readonly approvalTtlMs: number
  readonly assurance: readonly string[]
  readonly whileRelatedInDoubt: 'block' | 'warn'
  /** Why no approval is asked for; null if the requirements hold. */
  readonly noApproval: string | null
}

export interface FreezeInput {
  readonly input: PolicyInput
  readonly snapshot: JsonValue
  readonly requester: Principal
  readonly agent: Principal | null
  readonly agentOwner: Principal | null
  readonly chainRequesters: readonly Principal[]
  readonly lifetimeMs: number
}
