// The policy of a contract: checked and copied if it is data, taken as it is if it is a function.
import { deepFreeze } from '../../effect/canonical-json.ts'
import { canonicalText } from '../content/canonical-text.ts'
import { checkPolicy } from '../policy/check-policy.ts'
import type { Contract } from '../contract.ts'
import { definitionRules } from './definition-rules.ts'
import type { Problem } from '../errors.ts'
import { isNoApproval, type PolicyInput } from '../policy/policy.ts'
import { pathKindIn } from './schema-pointer.ts'
import type { SchemaShape } from './schema-shape.ts'

/** The policy and the text of it that goes into the digest. */
export interface PolicyReading {
  readonly policy: Contract['policy']
  readonly text: string
}

/**
 * Data are checked and copied, so that nobody changes them afterwards. What a function chooses is checked at prepare.
 * `snapshot` is null where its schema is refused; then no path is looked up in it.
 */
export function readPolicy(
  problems: Problem[],
  policy: Contract['policy'],
  snapshot: SchemaShape | null,
): PolicyReading {
  if (typeof policy === 'function') return { policy, text: `function ${String(policy)}` }
  const found = checkPolicy(policy, (path) => (snapshot === null ? 'money' : pathKindIn(snapshot, path)))
  problems.push(...found)
  return found.length > 0 ? { policy, text: '' } : copied(problems, policy)
}

/** What was declared by `noApproval` cannot be copied: only the very object is the declaration, and it is frozen. */
function copied(problems: Problem[], policy: PolicyInput): PolicyReading {
  const text = canonicalText(policy, 'commandBytes')
  if (typeof text === 'string') {
    return { policy: isNoApproval(policy) ? policy : deepFreeze(JSON.parse(text) as PolicyInput), text }
  }
  const message = definitionRules.policy_not_plain
  problems.push({ path: `/policy${text.pointer}`, rule: 'policy_not_plain', message })
  return { policy, text: '' }
}
