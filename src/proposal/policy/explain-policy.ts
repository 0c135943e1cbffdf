// The policy explained to a person: what is met and by whom, what is missing, who could still give it, who may not.
import type { Approval } from '../approval.ts'
import { type EvaluationPoint, evaluatePolicy, matchApprovals } from './evaluate-policy.ts'
import type { ExclusionReason, FrozenPolicy, FrozenRequirement } from './freeze-policy.ts'
import type { Matching } from './matching.ts'
import type { AmountCondition, ApproverSource } from './policy.ts'
import { principalName } from '../principal.ts'

/** Where one more approval could come from; `principals` are those named that are neither used nor excluded. */
export interface OpenSource {
  /** The requirement that the new approval would meet; if another one, its approver is then free for the missing one. */
  readonly requirement: string
  readonly from: ApproverSource
}

export interface RequirementExplanation {
  readonly name: string
  readonly count: number
  readonly state: 'met' | 'missing' | 'does_not_apply'
  readonly when: AmountCondition | null
  /** By name, `kind:id`. */
  readonly approvedBy: readonly string[]
  readonly missing: number
  readonly couldGive: readonly OpenSource[]
  readonly sentence: string
}

/** Policy data and principals only, no value of the snapshot; `sentences` says the whole of it in English. */
export interface PolicyExplanation {
  readonly met: boolean
  readonly validUntil: number | null
  readonly noApproval: string | null
  readonly requirements: readonly RequirementExplanation[]
  readonly excluded: FrozenPolicy['excluded']
  readonly switchedOff: FrozenPolicy['switchedOff']
  readonly assurance: readonly string[]
  readonly sentences: readonly string[]
}

/** What is met, by whom, what is missing and who could still give it, now. Spec: policy-and-protection 1. */
export function explainPolicy(
  policy: FrozenPolicy,
  approvals: readonly Approval[],
  at: EvaluationPoint,
): PolicyExplanation {
  const { met, validUntil } = evaluatePolicy(policy, approvals, at)
  const matching = matchApprovals(policy, approvals, at)
  const requirements = policy.require.map((requirement) => explainRequirement(policy, requirement, matching))
  const { noApproval, excluded, switchedOff, assurance } = policy
  const sentences = [
    overall(policy, met, requirements),
    ...requirements.map(({ sentence }) => sentence),
    ...(noApproval === null ? [`Every approval needs a session with ${listed(assurance, 'and')}.`] : []),
    ...excluded.map(({ principal, because }) => `${principal}, ${exclusionWords[because]}, may not approve.`),
    ...switchedOff.map(({ exclusion, reason }) => `Not excluded is ${exclusionWords[exclusion]}, because: ${reason}`),
  ]
  return { met, validUntil, noApproval, requirements, excluded, switchedOff, assurance, sentences }
}

const exclusionWords: Readonly<Record<ExclusionReason, string>> = {
  requester: 'the requester',
  agent: 'the proposing agent',
  agent_owner: 'the owner of the proposing agent',
  replaced_requester: 'the requester of a proposal that this one replaces',
}

function overall(policy: FrozenPolicy, met: boolean, requirements: readonly RequirementExplanation[]): string {
  if (policy.noApproval !== null) return `No approval is asked for, because: ${policy.noApproval}`
  if (met) return 'The policy is met.'
  const missing = requirements.reduce((total, requirement) => total + requirement.missing, 0)
  return `The policy is not met: ${approvalsMore(missing)} needed.`
}

function explainRequirement(
  policy: FrozenPolicy,
  requirement: FrozenRequirement,
  matching: Matching<FrozenRequirement, Approval>,
): RequirementExplanation {
  const { name, count, when, applies } = requirement
  if (!applies) {
    const sentence = `“${name}” is not asked for${when === null ? '' : `, as it is only ${conditionWords(when)}`}.`
    return { name, count, state: 'does_not_apply', when, approvedBy: [], missing: 0, couldGive: [], sentence }
  }
  const approvedBy = matching.metBy(requirement).map(({ approver }) => principalName(approver))
  const missing = matching.missing(requirement)
  const couldGive = missing > 0 ? openSources(policy, requirement, matching) : []
  const by = approvedBy.length > 0 ? `, by ${listed(approvedBy, 'and')}` : ''
  const condition = when === null ? '' : `, ${conditionWords(when)},`
  const sentence =
    missing > 0
      ? `“${name}”${condition} has ${approvedBy.length} of ${count} approvals${by}; ${approvalsMore(missing)} needed, ${sourceWords(name, couldGive)}.`
      : `“${name}”${condition} is met: ${approvedBy.length} of ${count} approvals${by}.`
  return { name, count, state: missing > 0 ? 'missing' : 'met', when, approvedBy, missing, couldGive, sentence }
}

// The requirement itself comes first: the set of feeders starts with it.
function openSources(
  policy: FrozenPolicy,
  requirement: FrozenRequirement,
  matching: Matching<FrozenRequirement, Approval>,
): readonly OpenSource[] {
  const barred = new Set(policy.excluded.map(({ principal }) => principal))
  return [...matching.feeders(requirement)].flatMap(({ name, from }): OpenSource[] => {
    if ('role' in from) return [{ requirement: name, from }]
    const principals = from.principals.filter((principal) => !barred.has(principal) && !matching.isPlaced(principal))
    return principals.length > 0 ? [{ requirement: name, from: { principals } }] : []
  })
}

function sourceWords(name: string, sources: readonly OpenSource[]): string {
  if (sources.length === 0) return 'and nobody is left who could give it'
  const said = new Set<string>()
  // Whoever stands there already is not named again for another requirement: the first way is the shortest.
  const words = sources.flatMap(({ requirement, from }) => {
    const all = 'role' in from ? [`anybody with the role “${from.role}”`] : from.principals
    const who = all.filter((one) => !said.has(one))
    for (const one of who) said.add(one)
    if (who.length === 0) return []
    const names = listed(who, 'or')
    return [requirement === name ? names : `${names} (then one who approved for “${requirement}” counts here)`]
  })
  return `from ${listed(words, 'or')}`
}

function conditionWords(when: AmountCondition): string {
  const { amount, currency } = when.atLeast
  return `asked for from ${amount} ${currency} on at ${when.path} and where that cannot be judged`
}

function approvalsMore(count: number): string {
  return count === 1 ? '1 more approval is' : `${count} more approvals are`
}

function listed(words: readonly string[], joint: 'and' | 'or'): string {
  return new Intl.ListFormat('en', { type: joint === 'and' ? 'conjunction' : 'disjunction' }).format(words)
}
