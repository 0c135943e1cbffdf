// The policy in words: what is met and by whom, what is missing, who could still give it, who may not.
import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { canStillCount, evaluatePolicy } from '../../src/proposal/policy/evaluate-policy.ts'
import { explainPolicy, type PolicyExplanation } from '../../src/proposal/policy/explain-policy.ts'
import { noApproval } from '../../src/proposal/policy/policy.ts'
import { principalName } from '../../src/proposal/principal.ts'
import { anyApprovals, anyPolicy, NOW, newcomer } from './policy-arbitraries.ts'
import { approval, COMMITMENT, frozen, named, principal, role } from './policy-fixtures.ts'
import { bestSeating } from './policy-oracle.ts'

const at = { now: 500, commitment: COMMITMENT }
const from10000 = { path: '/amount', atLeast: { amount: '10000.00', currency: 'EUR' } }
const require = [role('finance', 2, 'finance-manager'), named('director', 1, ['user:cfo', 'user:rita'], from10000)]
const finance = { rolesAtDecision: ['finance-manager'] }

describe('an explanation', () => {
  it('of a policy that is met in part says who gave what, and who could give the rest', () => {
    const policy = frozen({ require })

    const explanation = explainPolicy(policy, [approval('user:anna', finance)], at)

    expect(explanation).toMatchObject({
      met: false,
      validUntil: 1_000,
      noApproval: null,
      excluded: [{ principal: 'user:rita', because: 'requester' }],
      requirements: [
        {
          name: 'finance',
          state: 'missing',
          approvedBy: ['user:anna'],
          missing: 1,
          couldGive: [{ requirement: 'finance', from: { role: 'finance-manager' } }],
        },
        {
          name: 'director',
          state: 'missing',
          when: from10000,
          approvedBy: [],
          missing: 1,
          couldGive: [{ requirement: 'director', from: { principals: ['user:cfo'] } }],
        },
      ],
    })
    expect(explanation.sentences).toEqual([
      'The policy is not met: 2 more approvals are needed.',
      '“finance” has 1 of 2 approvals, by user:anna; 1 more approval is needed, from anybody with the role “finance-manager”.',
      '“director”, asked for from 10000.00 EUR on at /amount and where that cannot be judged, has 0 of 1 approvals; 1 more approval is needed, from user:cfo.',
      'Every approval needs a session with authenticated_session.',
      'user:rita, the requester, may not approve.',
    ])
  })

  it('of a policy that is met says by whom, and what was not asked for', () => {
    const policy = frozen(
      { require, assurance: ['mfa', 'device'] },
      { snapshot: { amount: { amount: '4711.08', currency: 'EUR' } } },
    )
    const given = ['user:anna', 'user:ben'].map((name) => approval(name, { ...finance, assurance: ['device', 'mfa'] }))

    const explanation = explainPolicy(policy, given, at)

    expect(explanation.met).toBe(true)
    expect(explanation.requirements.map(({ state, couldGive }) => ({ state, couldGive }))).toEqual([
      { state: 'met', couldGive: [] },
      { state: 'does_not_apply', couldGive: [] },
    ])
    expect(explanation.sentences).toEqual([
      'The policy is met.',
      '“finance” is met: 2 of 2 approvals, by user:anna and user:ben.',
      '“director” is not asked for, as it is only asked for from 10000.00 EUR on at /amount and where that cannot be judged.',
      'Every approval needs a session with mfa and device.',
      'user:rita, the requester, may not approve.',
    ])
    expect(JSON.stringify(explanation)).not.toContain('4711')
  })

  it('names the way through another requirement whose approver is then free', () => {
    const policy = frozen({ require: [role('finance', 1, 'finance-manager'), named('director', 1, ['user:anna'])] })

    const { requirements } = explainPolicy(policy, [approval('user:anna', finance)], at)

    expect(requirements[0]).toMatchObject({ state: 'met', approvedBy: ['user:anna'] })
    expect(requirements[1]).toMatchObject({
      state: 'missing',
      couldGive: [{ requirement: 'finance', from: { role: 'finance-manager' } }],
      sentence:
        '“director” has 0 of 1 approvals; 1 more approval is needed, from anybody with the role “finance-manager” (then one who approved for “finance” counts here).',
    })
  })

  it('says once from whom an approval could come, where two requirements share a role or a name', () => {
    const policy = frozen({
      require: [
        role('finance', 1, 'finance-manager'),
        role('second', 1, 'finance-manager'),
        named('director', 1, ['user:a', 'user:b']),
        named('board', 1, ['user:b', 'user:c']),
      ],
    })

    const { requirements } = explainPolicy(policy, [approval('user:anna', finance), approval('user:a')], at)

    expect(requirements.map(({ state }) => state)).toEqual(['met', 'missing', 'met', 'missing'])
    expect(requirements[1]?.couldGive).toHaveLength(2)
    expect(requirements[1]?.sentence).toBe(
      '“second” has 0 of 1 approvals; 1 more approval is needed, from anybody with the role “finance-manager”.',
    )
    expect(requirements[3]?.sentence).toContain('from user:b or user:c.')
  })

  it('offers nobody who is used already', () => {
    const policy = frozen({ require: [named('directors', 3, ['user:a', 'user:b', 'user:c', 'user:d'])] })

    const { requirements } = explainPolicy(policy, [approval('user:b')], at)

    expect(requirements[0]?.couldGive).toEqual([
      { requirement: 'directors', from: { principals: ['user:a', 'user:c', 'user:d'] } },
    ])
    expect(requirements[0]?.sentence).toContain('2 more approvals are needed, from user:a, user:c, or user:d.')
  })

  it('says so when nobody is left', () => {
    const policy = frozen({ require: [named('director', 1, ['user:rita'])] })

    expect(explainPolicy(policy, [], at).requirements[0]).toMatchObject({
      couldGive: [],
      sentence: '“director” has 0 of 1 approvals; 1 more approval is needed, and nobody is left who could give it.',
    })
  })

  it('of a policy without approval gives its reason', () => {
    const policy = frozen({ require: [] }, { input: noApproval('Nothing of value moves') })

    expect(explainPolicy(policy, [], at)).toMatchObject({
      met: true,
      requirements: [],
      sentences: [
        'No approval is asked for, because: Nothing of value moves',
        'user:rita, the requester, may not approve.',
      ],
    })
  })

  it('says who is excluded and which exclusion is switched off', () => {
    const policy = frozen(
      { require, exclude: { requester: { allowed: 'Two people only' } } },
      { agent: principal('agent:bot'), agentOwner: principal('user:olga'), chainRequesters: [principal('user:fred')] },
    )

    expect(explainPolicy(policy, [], at).sentences.slice(-4)).toEqual([
      'agent:bot, the proposing agent, may not approve.',
      'user:olga, the owner of the proposing agent, may not approve.',
      'user:fred, the requester of a proposal that this one replaces, may not approve.',
      'Not excluded is the requester, because: Two people only',
    ])
  })

  it('of a requirement that a stored policy drops without condition stays a sentence', () => {
    const policy = frozen({ require })
    const dropped = { ...policy, require: policy.require.map((each) => ({ ...each, when: null, applies: false })) }

    expect(explainPolicy(dropped, [], at).requirements[0]?.sentence).toBe('“finance” is not asked for.')
  })
})

describe('an explanation against brute force', () => {
  const point = { now: NOW, commitment: COMMITMENT }

  it.prop([anyPolicy, anyApprovals], { numRuns: 500 })('counts what is missing', (policy, approvals) => {
    const { met, validUntil, requirements, sentences } = explainPolicy(policy, approvals, point)
    const { places, filled } = bestSeating(policy, approvals, point)
    const evaluation = evaluatePolicy(policy, approvals, point)

    expect(requirements.reduce((total, { missing }) => total + missing, 0)).toBe(places - filled)
    expect({ met, validUntil }).toEqual({ met: evaluation.met, validUntil: evaluation.validUntil })
    expect(sentences).toHaveLength(1 + policy.require.length + 1 + policy.excluded.length)
  })

  it.prop([anyPolicy, anyApprovals, newcomer], { numRuns: 500 })(
    'offers a newcomer exactly when their approval would fill a place',
    (policy, approvals, approver) => {
      const name = principalName(approver.principal)
      fc.pre(!approvals.some((each) => principalName(each.approver) === name))
      const able = policy.assurance.every((level) => approver.assurance.includes(level))

      const offered = isOffered(explainPolicy(policy, approvals, point), name, approver.roles)

      const barred = approver.principal.kind === 'agent' || policy.excluded.some(({ principal }) => principal === name)
      expect(offered && able && !barred).toBe(canStillCount(policy, approver, approvals, point))
    },
  )
})

function isOffered(explanation: PolicyExplanation, name: string, roles: readonly string[]): boolean {
  return explanation.requirements.some(({ couldGive }) => {
    return couldGive.some(({ from }) => {
      return 'role' in from ? name.startsWith('user:') && roles.includes(from.role) : from.principals.includes(name)
    })
  })
}
