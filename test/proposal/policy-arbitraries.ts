// Arbitrary frozen policies and approvals, small enough for brute force and tangled enough to need a matching.
import { fc } from '@fast-check/vitest'
import { parseReference } from '../../src/effect/reference.ts'
import type { Approval } from '../../src/proposal/approval.ts'
import type { Approver } from '../../src/proposal/policy/evaluate-policy.ts'
import type { FrozenPolicy, FrozenRequirement } from '../../src/proposal/policy/freeze-policy.ts'
import { COMMITMENT, principal } from './policy-fixtures.ts'

export const NOW = 10

const people = ['user:anna', 'user:ben', 'user:cem', 'user:dora', 'service:bank', 'agent:bot']
const roles = ['finance', 'legal', 'board']
const levels = ['authenticated_session', 'mfa']

const mostly = <T>(usual: T, unusual: T): fc.Arbitrary<T> => {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(unusual) })
}

const requirement: fc.Arbitrary<Omit<FrozenRequirement, 'name'>> = fc.record({
  count: fc.integer({ min: 1, max: 2 }),
  from: fc.oneof(
    fc.record({ role: fc.constantFrom(...roles) }),
    fc.record({ principals: fc.subarray(people.slice(0, 5), { minLength: 1 }) }),
  ),
  when: fc.constant(null),
  applies: mostly(true, false),
})

/** One to three requirements with up to five places together; sometimes somebody is excluded, sometimes mfa is asked for. */
export const anyPolicy: fc.Arbitrary<FrozenPolicy> = fc
  .record({
    require: fc.array(requirement, { minLength: 1, maxLength: 3 }),
    excluded: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, fc.subarray(people, { maxLength: 2 })),
    assurance: mostly(['authenticated_session'], ['mfa']),
  })
  .map(({ require, excluded, assurance }) => ({
    require: require.map((each, index) => ({ name: `r${index}`, ...each })),
    excluded: excluded.map((name) => ({ principal: name, because: 'requester' as const })),
    switchedOff: [],
    approvalTtlMs: 1_000,
    assurance,
    whileRelatedInDoubt: 'warn' as const,
    noApproval: null,
  }))
  .filter(({ require }) => require.reduce((total, { count }) => total + count, 0) <= 5)

const anyApprover: fc.Arbitrary<Approver> = fc.record({
  principal: fc.constantFrom(...people).map(principal),
  roles: fc.subarray(roles),
  assurance: mostly(levels, ['authenticated_session']),
})

/** Up to six decisions, most of which count, some by one person twice. */
export const anyApprovals: fc.Arbitrary<readonly Approval[]> = fc
  .array(
    fc.record({
      approver: anyApprover,
      decision: mostly<Approval['decision']>('approve', 'reject'),
      commitment: mostly(COMMITMENT, 'c1_other'),
      decidedAt: fc.integer({ min: 0, max: 4 }),
      expiresAt: fc.integer({ min: NOW, max: NOW + 5 }),
      revokedAt: mostly<number | null>(null, 5),
    }),
    { maxLength: 6 },
  )
  .map((rows) =>
    rows.map(({ approver, ...row }, index) => ({
      ...row,
      approvalId: parseReference(`a${index}`, '/approvalId'),
      approver: approver.principal,
      rolesAtDecision: approver.roles,
      assurance: approver.assurance,
    })),
  )

/** Somebody who has decided nothing yet. */
export const newcomer: fc.Arbitrary<Approver> = fc
  .tuple(anyApprover, fc.constantFrom('user:nina', ...people))
  .map(([approver, name]) => ({ ...approver, principal: principal(name) }))
