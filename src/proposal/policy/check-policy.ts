// Whether a policy is safe to freeze: every way in which one could be met by nothing, by the wrong people or never.
import { jsonPointer, parseJsonPointer } from '../../effect/json-pointer.ts'
import { limits } from '../../effect/limits.ts'
import { isReference } from '../../effect/reference.ts'
import { durationMs } from '../definition/duration.ts'
import type { Problem } from '../errors.ts'
import { isMoneyValue } from '../money.ts'
import { isNoApproval, isReasonText } from './policy.ts'

/** What the snapshot's schema says about a JSON Pointer. */
export type PathKind = 'money' | 'other' | 'missing'

const sentences = {
  not_an_object: 'must be an object',
  not_a_list: 'must be a list',
  unknown_field: 'is no field of a policy',
  no_approval_undeclared: 'going without approval is declared by noApproval(reason) only',
  require_empty: 'must name at least one requirement; going without is declared by noApproval(reason)',
  require_conditional: 'must hold a requirement without "when", so that nothing is met by default',
  counts_over_limit: 'asks for more approvals together than a proposal can carry',
  name_invalid: 'must be a name: not empty, at most 255 characters, trimmed',
  name_duplicate: 'is the name of an earlier requirement',
  count_invalid: 'must be a whole number from 1 to the most approvals that a proposal can carry',
  count_over_principals: 'is more than the principals named',
  from_invalid: 'must be { role } or { principals }',
  role_invalid: 'must be the name of a role: not empty, at most 255 characters, trimmed',
  principals_empty: 'must name at least one principal',
  principal_invalid: 'must be "user:…" or "service:…"',
  principal_agent: 'an agent never approves',
  principal_duplicate: 'is named twice',
  when_path_missing: 'is no path of the snapshot',
  when_path_not_money: 'is not money',
  when_threshold_invalid: 'must be money of zero or more, with exactly the decimals of its currency',
  reason_invalid: `must be a reason in words, of at most ${limits.reasonTextCharacters} characters`,
  exclusion_invalid: 'must be true, or { allowed: reason } to switch the exclusion off',
  approval_ttl_invalid: 'must be a duration, such as "24h"',
  assurance_empty: 'must demand at least one level; leave it out for the default',
  assurance_invalid: 'must be the name of an assurance level',
  assurance_duplicate: 'is named twice',
  related_invalid: 'must be "block" or "warn"',
} as const

/** The rule that a policy breaks. */
export type PolicyRule = keyof typeof sentences

/** One thing that is wrong with a policy: where (`/policy/require/0/count`), which rule, in words. Never the value. */
export interface PolicyProblem extends Problem {
  readonly rule: PolicyRule
}

/**
 * Everything that is wrong with a policy, at registration or as a policy function has returned it. None: it may be
 * frozen. `pathKind` says what the snapshot's schema has at a JSON Pointer. Spec: policy-and-protection 1, lifecycle 3.
 */
export function checkPolicy(input: unknown, pathKind: (pointer: string) => PathKind): readonly PolicyProblem[] {
  if (isNoApproval(input)) return []
  if (isRecord(input) && 'noApproval' in input) return [problem('/policy/noApproval', 'no_approval_undeclared')]
  return fields({
    require: requirements(pathKind),
    exclude: optional(fields({ requester: optional(exclusion), agentOwner: optional(exclusion) })),
    approvalTtl: optional(rule((value) => durationMs(value) !== null, 'approval_ttl_invalid')),
    assurance: optional(listOf(rule(isReference, 'assurance_invalid'), 'assurance_empty', 'assurance_duplicate')),
    whileRelatedInDoubt: optional(rule((value) => value === 'block' || value === 'warn', 'related_invalid')),
  })(input, '/policy')
}

// A check looks at one value and says what is wrong with it; bigger checks are put together from smaller ones.
type Check = (value: unknown, path: string) => readonly PolicyProblem[]

function requirements(pathKind: (pointer: string) => PathKind): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return [problem(path, 'not_a_list')]
    if (value.length === 0) return [problem(path, 'require_empty')]
    const items = Array.from<unknown>(value)
    const records = items.filter(isRecord)
    const total = records.reduce((sum, { count }) => sum + (isCount(count) ? count : 0), 0)
    const names = items.map((item) => (isRecord(item) ? item['name'] : undefined))
    return [
      ...each(items, path, requirement(pathKind)),
      ...repeated(names).map((index) => problem(`${path}/${index}/name`, 'name_duplicate')),
      ...unless(!items.every((item) => isRecord(item) && item['when'] !== undefined), path, 'require_conditional'),
      ...unless(total <= limits.approvalsPerProposal, path, 'counts_over_limit'),
    ]
  }
}

function requirement(pathKind: (pointer: string) => PathKind): Check {
  const shape = fields({
    name: rule(isReference, 'name_invalid'),
    count: rule(isCount, 'count_invalid'),
    from: source,
    when: optional(fields({ path: moneyPath(pathKind), atLeast: rule(isThreshold, 'when_threshold_invalid') })),
  })
  return (value, path) => [
    ...shape(value, path),
    ...unless(!asksForMoreThanNamed(value), `${path}/count`, 'count_over_principals'),
  ]
}

function asksForMoreThanNamed(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value['from'])) return false
  const { count } = value
  const { principals } = value['from']
  return isCount(count) && Array.isArray(principals) && principals.length > 0 && count > principals.length
}

function source(value: unknown, path: string): readonly PolicyProblem[] {
  if (!isRecord(value)) return [problem(path, 'from_invalid')]
  if ('principals' in value) {
    return fields({ principals: listOf(principal, 'principals_empty', 'principal_duplicate') })(value, path)
  }
  return 'role' in value
    ? fields({ role: rule(isReference, 'role_invalid') })(value, path)
    : [problem(path, 'from_invalid')]
}

function principal(value: unknown, path: string): readonly PolicyProblem[] {
  const [kind, id] = typeof value === 'string' ? (/^(user|service|agent):(.*)$/s.exec(value)?.slice(1) ?? []) : []
  if (kind === 'agent') return [problem(path, 'principal_agent')]
  return unless(isReference(id), path, 'principal_invalid')
}

function moneyPath(pathKind: (pointer: string) => PathKind): Check {
  return (value, path) => {
    const kind = typeof value === 'string' && parseJsonPointer(value) !== null ? pathKind(value) : 'missing'
    if (kind === 'missing') return [problem(path, 'when_path_missing')]
    return unless(kind === 'money', path, 'when_path_not_money')
  }
}

function exclusion(value: unknown, path: string): readonly PolicyProblem[] {
  if (value === true) return []
  return isRecord(value)
    ? fields({ allowed: rule(isReasonText, 'reason_invalid') })(value, path)
    : [problem(path, 'exclusion_invalid')]
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= limits.approvalsPerProposal
}

function isThreshold(value: unknown): boolean {
  return isMoneyValue(value) && !value.amount.startsWith('-')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fields(checks: Readonly<Record<string, Check>>): Check {
  return (value, path) => {
    if (!isRecord(value)) return [problem(path, 'not_an_object')]
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(checks, key))
    return [
      ...Object.entries(checks).flatMap(([key, check]) => check(value[key], `${path}/${key}`)),
      ...unknown.map((key) => problem(`${path}${jsonPointer([key])}`, 'unknown_field')),
    ]
  }
}

function listOf(check: Check, empty: PolicyRule, duplicate: PolicyRule): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return [problem(path, 'not_a_list')]
    if (value.length === 0) return [problem(path, empty)]
    const items = Array.from<unknown>(value) // visits the holes of a sparse list too
    return [...each(items, path, check), ...repeated(items).map((index) => problem(`${path}/${index}`, duplicate))]
  }
}

function each(items: readonly unknown[], path: string, check: Check): readonly PolicyProblem[] {
  return items.flatMap((item, index) => check(item, `${path}/${index}`))
}

/** The places of items that came before; what is not there at all is not repeated. */
function repeated(items: readonly unknown[]): readonly number[] {
  return [...items.keys()].filter((index) => {
    return items[index] !== undefined && items.slice(0, index).includes(items[index])
  })
}

function optional(check: Check): Check {
  return (value, path) => (value === undefined ? [] : check(value, path))
}

function rule(holds: (value: unknown) => boolean, broken: PolicyRule): Check {
  return (value, path) => unless(holds(value), path, broken)
}

function unless(holds: boolean, path: string, broken: PolicyRule): readonly PolicyProblem[] {
  return holds ? [] : [problem(path, broken)]
}

function problem(path: string, broken: PolicyRule): PolicyProblem {
  return { path, rule: broken, message: sentences[broken] }
}
