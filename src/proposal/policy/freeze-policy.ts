// The frozen policy: what the author's policy means for one proposal, as plain JSON for the manifest.
import type { JsonValue } from '../../effect/canonical-json.ts'
import { valueAt } from '../../effect/json-pointer.ts'
import { parseDuration } from '../definition/duration.ts'
import { Matching } from './matching.ts'
import { compareMoney, isMoneyValue, type Money } from '../money.ts'
import type {
  AmountCondition,
  ApprovalRules,
  ApproverSource,
  ExclusionInput,
  PolicyInput,
  RequirementInput,
} from './policy.ts'
import { type Principal, principalName } from '../principal.ts'

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

/** A checked policy and what it is frozen for. */
export interface FreezeInput {
  readonly input: PolicyInput
  readonly snapshot: JsonValue
  readonly requester: Principal
  readonly agent: Principal | null
  readonly agentOwner: Principal | null
  readonly chainRequesters: readonly Principal[]
  readonly lifetimeMs: number
}

type Exclude = NonNullable<ApprovalRules['exclude']>

/**
 * Freezes a policy that `checkPolicy` found no problem with. Everything is copied, so that nobody who keeps the input
 * can still change what was approved.
 */
export function freezePolicy(args: FreezeInput): FrozenPolicy {
  const { input, snapshot, lifetimeMs } = args
  const rules: ApprovalRules = 'noApproval' in input ? { require: [] } : input
  const ttlMs = rules.approvalTtl === undefined ? lifetimeMs : parseDuration(rules.approvalTtl)
  return {
    require: rules.require.map((requirement) => freezeRequirement(requirement, snapshot)),
    excluded: excludedPrincipals(args, rules.exclude ?? {}),
    switchedOff: switchedOff(rules.exclude ?? {}),
    approvalTtlMs: Math.min(ttlMs, lifetimeMs),
    assurance: [...(rules.assurance ?? ['authenticated_session'])],
    whileRelatedInDoubt: rules.whileRelatedInDoubt ?? 'warn',
    noApproval: 'noApproval' in input ? input.noApproval : null,
  }
}

/**
 * The requirements that the principals named cannot meet, exclusions taken off, each of them used once; where several
 * compete for too few, all of them. Roles are taken to have enough members: who has one is known only at a decision.
 * Spec: policy-and-protection 1, refusal `policy_unsatisfiable`.
 */
export function unsatisfiable(policy: FrozenPolicy): readonly string[] {
  const excluded = new Set(policy.excluded.map(({ principal }) => principal))
  const named = policy.require.flatMap((requirement) => {
    return requirement.applies && 'principals' in requirement.from
      ? [{ ...requirement, principals: requirement.from.principals }]
      : []
  })
  const matching = new Matching<(typeof named)[number], string>(named)
  for (const principal of new Set(named.flatMap(({ principals }) => principals))) {
    if (excluded.has(principal)) continue
    matching.offer(
      principal,
      named.filter(({ principals }) => principals.includes(principal)),
      principal,
    )
  }
  const short = named.filter((requirement) => matching.missing(requirement) > 0)
  const competing = new Set(short.flatMap((requirement) => [...matching.feeders(requirement)]))
  return named.filter((requirement) => competing.has(requirement)).map(({ name }) => name)
}

function freezeRequirement(requirement: RequirementInput, snapshot: JsonValue): FrozenRequirement {
  const { name, count, from, when } = requirement
  return {
    name,
    count,
    from: 'role' in from ? { role: from.role } : { principals: [...from.principals] },
    when: when === undefined ? null : { path: when.path, atLeast: { ...when.atLeast } },
    applies: when === undefined || isAtLeast(valueAt(snapshot, when.path), when.atLeast),
  }
}

// Rules R12: what cannot be judged (nothing there, no money, another currency, below zero) asks for more, never for less.
function isAtLeast(value: unknown, threshold: Money): boolean {
  if (!isMoneyValue(value) || value.amount.startsWith('-')) return true
  return compareMoney(value, threshold) !== -1
}

function excludedPrincipals(args: FreezeInput, exclude: Exclude): FrozenPolicy['excluded'] {
  const { requester, agent, agentOwner, chainRequesters } = args
  const reasons = new Map<string, ExclusionReason>()
  const add = (principal: Principal | null, because: ExclusionReason): void => {
    if (principal === null) return
    const name = principalName(principal)
    if (!reasons.has(name)) reasons.set(name, because)
  }
  if (isOn(exclude.requester)) add(requester, 'requester')
  add(agent, 'agent')
  if (isOn(exclude.agentOwner)) add(agentOwner, 'agent_owner')
  for (const former of chainRequesters) add(former, 'replaced_requester')
  return [...reasons].map(([principal, because]) => ({ principal, because }))
}

function switchedOff(exclude: Exclude): FrozenPolicy['switchedOff'] {
  const reason = (exclusion: ExclusionInput | undefined): readonly string[] => {
    return exclusion === undefined || exclusion === true ? [] : [exclusion.allowed]
  }
  return [
    ...reason(exclude.requester).map((text) => ({ exclusion: 'requester' as const, reason: text })),
    ...reason(exclude.agentOwner).map((text) => ({ exclusion: 'agent_owner' as const, reason: text })),
  ]
}

function isOn(exclusion: ExclusionInput | undefined): boolean {
  return exclusion === undefined || exclusion === true
}
