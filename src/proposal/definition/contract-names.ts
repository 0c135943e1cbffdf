// The names in a contract: its type, the domains of its effects, the versions it vouches for, and who may do what.
import { CALL_DOMAIN_PREFIX } from '../../effect/effect-key.ts'
import { jsonPointer } from '../../effect/json-pointer.ts'
import { isReference } from '../../effect/reference.ts'
import { ACTS } from '../contract.ts'
import { isIntegerWithin, isUnchecked, readListOf, type Report } from './contract-reader.ts'

/** What `namespace/name@version` says. */
export interface ActionType {
  /** `namespace/name`. */
  readonly name: string
  readonly version: number
}

const NAME_CHARACTERS_MAX = 255
const actionType = /^((?:[a-z][a-z0-9_-]*\.)+[a-z][a-z0-9_-]*\/[a-z][a-z0-9_-]*)@([1-9][0-9]{0,8})$/
const domainName = /^[a-z0-9][a-z0-9_./-]*$/

/** The parts of `namespace/name@version`, or null if the text is not of that form. Spec: lifecycle 3. */
export function parseActionType(type: string): ActionType | null {
  const [, name, version] = actionType.exec(type) ?? []
  if (name === undefined || name.length > NAME_CHARACTERS_MAX) return null
  return { name, version: Number(version) }
}

/** The action's type; null if it is none. */
export function readActionType(report: Report, value: unknown): ActionType | null {
  const type = typeof value === 'string' ? parseActionType(value) : null
  if (type === null) report('/type', 'type_invalid')
  return type
}

/** The domain under which effects are claimed, and the earlier ones, which the claim checks too (rules R9, R17). */
export function readDomains(
  report: Report,
  contract: { readonly effectDomain?: unknown; readonly formerDomains?: unknown },
  byDefault: string,
): { readonly domain: string; readonly formerDomains: readonly string[] } {
  const { effectDomain = byDefault } = contract
  const domain = effectDomain === byDefault ? byDefault : readDomain(report, effectDomain, '/effectDomain')
  const formerDomains = readListOf(report, contract.formerDomains, '/formerDomains', (former, at) => {
    if (former === domain) report(at, 'domain_is_current')
    return readDomain(report, former, at)
  })
  return { domain: domain ?? byDefault, formerDomains }
}

function readDomain(report: Report, value: unknown, path: string): string | null {
  if (typeof value === 'string' && value.startsWith(CALL_DOMAIN_PREFIX)) report(path, 'domain_of_calls')
  else if (typeof value === 'string' && value.length <= NAME_CHARACTERS_MAX && domainName.test(value)) return value
  else report(path, 'domain_invalid')
  return null
}

/** Older versions whose effects this one may verify: below its own. */
export function readVerifies(report: Report, value: unknown, version: number): readonly number[] {
  return readListOf(report, value, '/verifies', (older, at) => {
    if (isIntegerWithin(older, { min: 1, max: version - 1 })) return older
    report(at, 'integer_invalid')
    return null
  })
}

/** The roles for each act. An act that is not named is refused, so a misspelt one would be refused in silence. */
export function checkPermissions(report: Report, value: unknown): void {
  if (!isUnchecked(value)) return report('/permissions', 'not_an_object')
  const acts: readonly string[] = ACTS
  for (const [act, roles] of Object.entries(value)) {
    const list: readonly unknown[] = Array.isArray(roles) ? roles : [roles]
    const path = `/permissions${jsonPointer([act])}`
    if (!acts.includes(act)) report(path, 'act_unknown')
    else if (list.length === 0 || !list.every(isReference)) report(path, 'roles_invalid')
  }
}
