// Every way in which a policy could be met by nothing, by the wrong people or never is refused, with path and rule.
import { describe, expect, it } from 'vitest'
import { checkPolicy, type PathKind, type PolicyRule } from '../../src/proposal/policy/check-policy.ts'
import { noApproval } from '../../src/proposal/policy/policy.ts'

const finance = { name: 'finance', count: 2, from: { role: 'finance-manager' } }
const director = { name: 'director', count: 1, from: { principals: ['user:cfo', 'user:deputy'] } }
const from10000 = { path: '/amount', atLeast: { amount: '10000.00', currency: 'EUR' } }

describe('a policy', () => {
  it('of the specification has no problem', () => {
    const policy = {
      require: [finance, { ...director, when: from10000 }],
      exclude: { requester: true, agentOwner: true },
      approvalTtl: '24h',
      assurance: ['mfa'],
      whileRelatedInDoubt: 'block',
    }

    expect(checkPolicy(policy, pathKind)).toEqual([])
  })

  it.each([
    ['the least that there can be', { require: [finance] }],
    ['a service that is named', { require: [{ ...director, from: { principals: ['service:four-eyes'] } }] }],
    [
      'an exclusion switched off with its reason',
      { require: [finance], exclude: { requester: { allowed: 'Two people only' } } },
    ],
    ['an approval that outlives the proposal', { require: [finance], approvalTtl: '365d' }],
    [
      'a threshold of zero',
      { require: [finance, { ...director, when: { ...from10000, atLeast: { amount: '0', currency: 'JPY' } } }] },
    ],
    ['as many as a proposal can carry', { require: [{ ...finance, count: 99 }, director] }],
    ['a warning', { require: [finance], whileRelatedInDoubt: 'warn' }],
    [
      'fields that are there and undefined',
      { require: [{ ...finance, when: undefined }], exclude: undefined, assurance: undefined },
    ],
    ['no approval, declared', noApproval('Nothing of value moves')],
  ])('may be %s', (_case, policy) => {
    expect(checkPolicy(policy, pathKind)).toEqual([])
  })

  const table: readonly (readonly [title: string, policy: unknown, path: string, rule: PolicyRule])[] = [
    ['nothing', undefined, '', 'not_an_object'],
    ['text', 'finance', '', 'not_an_object'],
    ['a list', [finance], '', 'not_an_object'],
    ['no approval, not declared', { noApproval: 'because' }, '/noApproval', 'no_approval_undeclared'],
    [
      'no approval beside a requirement',
      { require: [finance], noApproval: 'x' },
      '/noApproval',
      'no_approval_undeclared',
    ],
    ['a field that is none', { require: [finance], requires: [] }, '/requires', 'unknown_field'],
    ['a field with a slash in its name', { require: [finance], 'a/b': 1 }, '/a~1b', 'unknown_field'],
    ['a field named as one of Object.prototype', { require: [finance], toString: 1 }, '/toString', 'unknown_field'],

    ['no require', {}, '/require', 'not_a_list'],
    ['require as an object', { require: finance }, '/require', 'not_a_list'],
    ['an empty require', { require: [] }, '/require', 'require_empty'],
    ['a hole in require', { require: Object.assign([finance], { 2: director }) }, '/require/1', 'not_an_object'],
    ['a requirement that is none', { require: ['finance'] }, '/require/0', 'not_an_object'],
    [
      'a requirement with a misspelt field',
      { require: [{ ...finance, whenn: from10000 }] },
      '/require/0/whenn',
      'unknown_field',
    ],
    [
      'only conditional requirements',
      {
        require: [
          { ...finance, when: from10000 },
          { ...director, when: from10000 },
        ],
      },
      '/require',
      'require_conditional',
    ],
    [
      'more approvals together than fit',
      {
        require: [
          { ...finance, count: 99 },
          { ...finance, name: 'more' },
        ],
      },
      '/require',
      'counts_over_limit',
    ],

    ['no name', { require: [{ count: 1, from: { role: 'x' } }] }, '/require/0/name', 'name_invalid'],
    ['an empty name', { require: [{ ...finance, name: '' }] }, '/require/0/name', 'name_invalid'],
    ['a name with a line end', { require: [{ ...finance, name: 'fin\nance' }] }, '/require/0/name', 'name_invalid'],
    ['one name twice', { require: [finance, { ...director, name: 'finance' }] }, '/require/1/name', 'name_duplicate'],

    ['no count', { require: [{ ...finance, count: undefined }] }, '/require/0/count', 'count_invalid'],
    ['a count of zero', { require: [finance, { ...director, count: 0 }] }, '/require/1/count', 'count_invalid'],
    ['a count below zero', { require: [{ ...finance, count: -1 }] }, '/require/0/count', 'count_invalid'],
    ['half an approval', { require: [{ ...finance, count: 1.5 }] }, '/require/0/count', 'count_invalid'],
    ['a count as text', { require: [{ ...finance, count: '2' }] }, '/require/0/count', 'count_invalid'],
    [
      'a count that is no number',
      { require: [{ ...finance, count: Number.NaN }] },
      '/require/0/count',
      'count_invalid',
    ],
    ['a count over the limit', { require: [{ ...finance, count: 101 }] }, '/require/0/count', 'count_invalid'],
    ['more than are named', { require: [{ ...director, count: 3 }] }, '/require/0/count', 'count_over_principals'],

    ['no source', { require: [{ ...finance, from: undefined }] }, '/require/0/from', 'from_invalid'],
    [
      'a source that is neither',
      { require: [{ ...finance, from: { group: 'x' } }] },
      '/require/0/from',
      'from_invalid',
    ],
    [
      'a source that is both',
      { require: [{ ...director, from: { ...director.from, role: 'x' } }] },
      '/require/0/from/role',
      'unknown_field',
    ],
    ['an empty role', { require: [{ ...finance, from: { role: '' } }] }, '/require/0/from/role', 'role_invalid'],
    [
      'several roles',
      { require: [{ ...finance, from: { role: ['a', 'b'] } }] },
      '/require/0/from/role',
      'role_invalid',
    ],
    [
      'nobody named',
      { require: [{ ...director, from: { principals: [] } }] },
      '/require/0/from/principals',
      'principals_empty',
    ],
    [
      'principals that are no list',
      { require: [{ ...director, from: { principals: 'user:cfo' } }] },
      '/require/0/from/principals',
      'not_a_list',
    ],
    [
      'a principal without kind',
      { require: [{ ...director, from: { principals: ['cfo'] } }] },
      '/require/0/from/principals/0',
      'principal_invalid',
    ],
    [
      'a principal without id',
      { require: [{ ...director, from: { principals: ['user:'] } }] },
      '/require/0/from/principals/0',
      'principal_invalid',
    ],
    [
      'a principal of another kind',
      { require: [{ ...director, from: { principals: ['team:cfo'] } }] },
      '/require/0/from/principals/0',
      'principal_invalid',
    ],
    [
      'a principal that is not trimmed',
      { require: [{ ...director, from: { principals: ['user: cfo'] } }] },
      '/require/0/from/principals/0',
      'principal_invalid',
    ],
    [
      'a principal as an object',
      { require: [{ ...director, from: { principals: [{ kind: 'user', id: 'cfo' }] } }] },
      '/require/0/from/principals/0',
      'principal_invalid',
    ],
    [
      'an agent',
      { require: [{ ...director, from: { principals: ['user:cfo', 'agent:bot'] } }] },
      '/require/0/from/principals/1',
      'principal_agent',
    ],
    [
      'one principal twice',
      { require: [{ ...director, from: { principals: ['user:cfo', 'user:cfo'] } }] },
      '/require/0/from/principals/1',
      'principal_duplicate',
    ],

    [
      'a condition that is none',
      { require: [finance, { ...director, when: true }] },
      '/require/1/when',
      'not_an_object',
    ],
    [
      'a condition on a path that is not there',
      { require: [finance, { ...director, when: { ...from10000, path: '/amont' } }] },
      '/require/1/when/path',
      'when_path_missing',
    ],
    [
      'a condition on a path that is no pointer',
      { require: [finance, { ...director, when: { ...from10000, path: 'amount' } }] },
      '/require/1/when/path',
      'when_path_missing',
    ],
    [
      'a condition without path',
      { require: [finance, { ...director, when: { atLeast: from10000.atLeast } }] },
      '/require/1/when/path',
      'when_path_missing',
    ],
    [
      'a condition on what is not money',
      { require: [finance, { ...director, when: { ...from10000, path: '/orderReference' } }] },
      '/require/1/when/path',
      'when_path_not_money',
    ],
    [
      'a threshold in another spelling',
      { require: [finance, { ...director, when: { ...from10000, atLeast: { amount: '10000', currency: 'EUR' } } }] },
      '/require/1/when/atLeast',
      'when_threshold_invalid',
    ],
    [
      'a threshold below zero',
      { require: [finance, { ...director, when: { ...from10000, atLeast: { amount: '-1.00', currency: 'EUR' } } }] },
      '/require/1/when/atLeast',
      'when_threshold_invalid',
    ],
    [
      'a condition of another kind',
      { require: [finance, { ...director, when: { ...from10000, atMost: from10000.atLeast } }] },
      '/require/1/when/atMost',
      'unknown_field',
    ],

    ['exclude that is none', { require: [finance], exclude: [] }, '/exclude', 'not_an_object'],
    [
      'an exclusion that is none',
      { require: [finance], exclude: { approver: true } },
      '/exclude/approver',
      'unknown_field',
    ],
    [
      'an exclusion switched off in silence',
      { require: [finance], exclude: { requester: false } },
      '/exclude/requester',
      'exclusion_invalid',
    ],
    [
      'an exclusion switched off with a blank reason',
      { require: [finance], exclude: { agentOwner: { allowed: ' ' } } },
      '/exclude/agentOwner/allowed',
      'reason_invalid',
    ],
    [
      'an exclusion switched off without reason',
      { require: [finance], exclude: { agentOwner: {} } },
      '/exclude/agentOwner/allowed',
      'reason_invalid',
    ],

    [
      'a malformed time to live',
      { require: [finance], approvalTtl: '24 hours' },
      '/approvalTtl',
      'approval_ttl_invalid',
    ],
    [
      'a time to live as a number',
      { require: [finance], approvalTtl: 86_400_000 },
      '/approvalTtl',
      'approval_ttl_invalid',
    ],
    ['an empty assurance', { require: [finance], assurance: [] }, '/assurance', 'assurance_empty'],
    ['assurance as text', { require: [finance], assurance: 'mfa' }, '/assurance', 'not_a_list'],
    ['an empty assurance level', { require: [finance], assurance: ['mfa', ''] }, '/assurance/1', 'assurance_invalid'],
    [
      'a hole in the assurance',
      { require: [finance], assurance: Object.assign([], { 1: 'mfa' }) },
      '/assurance/0',
      'assurance_invalid',
    ],
    [
      'one assurance level twice',
      { require: [finance], assurance: ['mfa', 'mfa'] },
      '/assurance/1',
      'assurance_duplicate',
    ],
    [
      'a word for related proposals that is none',
      { require: [finance], whileRelatedInDoubt: 'ignore' },
      '/whileRelatedInDoubt',
      'related_invalid',
    ],
  ]

  it.each(table)('with %s is refused', (_case, policy, path, rule) => {
    expect(checkPolicy(policy, pathKind).map(({ path, rule }) => [path, rule])).toEqual([[`/policy${path}`, rule]])
  })

  it('is told all its problems at once, in words and without values', () => {
    const problems = checkPolicy({ require: [{ name: 'canary 4711', count: 0, from: {} }], assurance: [] }, pathKind)

    expect(problems.map(({ rule }) => rule)).toEqual(['count_invalid', 'from_invalid', 'assurance_empty'])
    expect(problems.every(({ message }) => message.length > 10)).toBe(true)
    expect(JSON.stringify(problems)).not.toContain('4711')
  })

  it('asks the schema only about what is a pointer', () => {
    const asked: string[] = []
    const ask = (pointer: string): PathKind => {
      asked.push(pointer)
      return 'money'
    }
    const require = [
      finance,
      { ...director, when: { ...from10000, path: 'amount' } },
      { ...director, name: 'x', when: from10000 },
    ]

    checkPolicy({ require }, ask)

    expect(asked).toEqual(['/amount'])
  })
})

function pathKind(pointer: string): PathKind {
  return pointer === '/amount' ? 'money' : pointer === '/orderReference' ? 'other' : 'missing'
}
