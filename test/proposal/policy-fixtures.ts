// Policies, people and approvals for the tests: whole and valid, with what a test is about put in.
import { parseReference } from '../../src/effect/reference.ts'
import type { Approval } from '../../src/proposal/approval.ts'
import { type FreezeInput, type FrozenPolicy, freezePolicy } from '../../src/proposal/policy/freeze-policy.ts'
import type { ApprovalRules, RequirementInput } from '../../src/proposal/policy/policy.ts'
import type { Principal, PrincipalKind } from '../../src/proposal/principal.ts'

export const COMMITMENT = 'c1_shown'
export const HOUR_MS = 3_600_000

/** `user:anna`, `service:bank`, `agent:bot`. */
export function principal(name: string): Principal {
  const [kind, ...id] = name.split(':')
  return { kind: kind as PrincipalKind, id: parseReference(id.join(':'), '/id') }
}

export function role(name: string, count: number, from: string, when?: RequirementInput['when']): RequirementInput {
  return { name, count, from: { role: from }, ...(when === undefined ? {} : { when }) }
}

export function named(
  name: string,
  count: number,
  principals: readonly string[],
  when?: RequirementInput['when'],
): RequirementInput {
  return { name, count, from: { principals }, ...(when === undefined ? {} : { when }) }
}

/** The policy of a proposal by `user:rita`, without an agent, living one hour. */
export function frozen(rules: ApprovalRules, proposal: Partial<FreezeInput> = {}): FrozenPolicy {
  return freezePolicy({
    input: rules,
    snapshot: {},
    requester: principal('user:rita'),
    agent: null,
    agentOwner: null,
    chainRequesters: [],
    lifetimeMs: HOUR_MS,
    ...proposal,
  })
}

let approvals = 0

/** An approval by the one named, given at 0 and counting until 1,000. */
export function approval(approver: string, fields: Partial<Approval> = {}): Approval {
  approvals += 1
  return {
    approvalId: parseReference(`approval-${String(approvals).padStart(6, '0')}`, '/approvalId'),
    decision: 'approve',
    commitment: COMMITMENT,
    approver: principal(approver),
    rolesAtDecision: [],
    assurance: ['authenticated_session'],
    decidedAt: 0,
    expiresAt: 1_000,
    revokedAt: null,
    ...fields,
  }
}
