// A policy is frozen for one proposal: conditions judged, people excluded, times capped, all of it plain JSON.
import { it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { canonicalJson, type JsonValue } from '../../src/effect/canonical-json.ts'
import { type FrozenPolicy, unsatisfiable } from '../../src/proposal/policy/freeze-policy.ts'
import { type ApprovalRules, noApproval } from '../../src/proposal/policy/policy.ts'
import { anyPolicy, NOW } from './policy-arbitraries.ts'
import { approval, COMMITMENT, frozen, HOUR_MS, named, principal, role } from './policy-fixtures.ts'
import { bestSeating } from './policy-oracle.ts'

const finance = role('finance', 1, 'finance-manager')
const threshold = { path: '/amount', atLeast: { amount: '10000.00', currency: 'EUR' } }
const rules: ApprovalRules = { require: [finance, named('director', 1, ['user:cfo', 'user:deputy'], threshold)] }

describe('a frozen policy', () => {
  it('has every default filled in', () => {
    const policy = frozen({ require: [finance] })

    expect(policy).toEqual({
      require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' }, when: null, applies: true }],
      excluded: [{ principal: 'user:rita', because: 'requester' }],
      switchedOff: [],
      approvalTtlMs: HOUR_MS,
      assurance: ['authenticated_session'],
      whileRelatedInDoubt: 'warn',
      noApproval: null,
    })
  })

  it('keeps what the author wrote', () => {
    const policy = frozen({ ...rules, approvalTtl: '10m', assurance: ['mfa'], whileRelatedInDoubt: 'block' })

    expect(policy).toMatchObject({ approvalTtlMs: 600_000, assurance: ['mfa'], whileRelatedInDoubt: 'block' })
    expect(policy.require[1]).toEqual({
      name: 'director',
      count: 1,
      from: { principals: ['user:cfo', 'user:deputy'] },
      when: threshold,
      applies: true,
    })
  })

  it('caps the time that an approval counts at the lifetime of the proposal', () => {
    expect(frozen({ ...rules, approvalTtl: '365d' }).approvalTtlMs).toBe(HOUR_MS)
    expect(frozen({ ...rules, approvalTtl: '60m' }).approvalTtlMs).toBe(HOUR_MS)
  })

  it('is plain JSON of integers', () => {
    const policy: JsonValue = frozen({ ...rules, exclude: { requester: { allowed: 'Two people only' } } })

    expect(JSON.parse(canonicalJson(policy, { numbers: 'integers' }))).toEqual(policy)
  })

  it('shares nothing with what the author keeps', () => {
    const principals = ['user:cfo', 'user:deputy']
    const when = { path: '/amount', atLeast: { amount: '10000.00', currency: 'EUR' } }
    const assurance = ['mfa']
    const policy = frozen({ require: [finance, named('director', 1, principals, when)], assurance })
    const before = structuredClone(policy)

    principals.push('user:mallory')
    when.atLeast.amount = '99999999.00'
    assurance.pop()

    expect(policy).toEqual(before)
  })

  it('without approval says why and asks for nothing', () => {
    const policy = frozen(rules, { input: noApproval('Nothing of value moves') })

    expect(policy).toMatchObject({ require: [], noApproval: 'Nothing of value moves', approvalTtlMs: HOUR_MS })
    expect(unsatisfiable(policy)).toEqual([])
  })
})

describe('a condition', () => {
  it.each([
    ['9999.99', false],
    ['10000.00', true],
    ['10000.01', true],
    ['0.00', false],
  ])('of at least 10000.00 EUR applies to %s EUR: %s', (amount, applies) => {
    expect(applied({ amount: { amount, currency: 'EUR' } })).toBe(applies)
  })

  it.each<readonly [string, JsonValue]>([
    ['another currency (trace S22)', { amount: { amount: '0.01', currency: 'USD' } }],
    ['a missing path (trace S22)', { refunded: { amount: '0.01', currency: 'EUR' } }],
    ['a negative amount (trace S22)', { amount: { amount: '-0.01', currency: 'EUR' } }],
    ['null', { amount: null }],
    ['a number', { amount: 1 }],
    ['text', { amount: '0.01' }],
    ['an amount in another spelling', { amount: { amount: '1', currency: 'EUR' } }],
    ['an unknown currency', { amount: { amount: '0.01', currency: 'ZZZ' } }],
    ['a snapshot that is no object', 'amount'],
    ['a list', { amount: [{ amount: '0.01', currency: 'EUR' }] }],
  ])('rule R12 that meets %s cannot be judged and applies', (_case, snapshot) => {
    expect(applied(snapshot)).toBe(true)
  })

  it('reads where its pointer leads', () => {
    const when = { path: '/lines/1/a~1b', atLeast: { amount: '10', currency: 'JPY' } }
    const snapshot = { lines: [{}, { 'a/b': { amount: '9', currency: 'JPY' } }] }
    const policy = frozen({ require: [finance, role('board', 1, 'board', when)] }, { snapshot })

    expect(policy.require.map(({ applies }) => applies)).toEqual([true, false])
  })
})

describe('excluded', () => {
  const agent = principal('agent:refund-bot')
  const owner = principal('user:olga')
  const proposal = { agent, agentOwner: owner, chainRequesters: [principal('user:fred'), principal('user:gina')] }

  it('are the requester, the agent with its owner, and everybody who requested before', () => {
    expect(frozen(rules, proposal).excluded).toEqual([
      { principal: 'user:rita', because: 'requester' },
      { principal: 'agent:refund-bot', because: 'agent' },
      { principal: 'user:olga', because: 'agent_owner' },
      { principal: 'user:fred', because: 'replaced_requester' },
      { principal: 'user:gina', because: 'replaced_requester' },
    ])
  })

  it('is nobody whose exclusion was switched off, and the reason stays', () => {
    const allowed = {
      exclude: { requester: { allowed: 'One-person shop' }, agentOwner: { allowed: 'Bot of the team' } },
    }
    const policy = frozen({ ...rules, ...allowed }, { ...proposal, chainRequesters: [] })

    expect(policy.excluded).toEqual([{ principal: 'agent:refund-bot', because: 'agent' }])
    expect(policy.switchedOff).toEqual([
      { exclusion: 'requester', reason: 'One-person shop' },
      { exclusion: 'agent_owner', reason: 'Bot of the team' },
    ])
  })

  it('stays on where it is written out', () => {
    const policy = frozen({ ...rules, exclude: { requester: true, agentOwner: true } }, proposal)

    expect(policy.excluded).toHaveLength(5)
    expect(policy.switchedOff).toEqual([])
  })

  it('is an owner who is also the requester, even where the requester may approve', () => {
    const exclude = { requester: { allowed: 'One-person shop' } }
    const policy = frozen({ ...rules, exclude }, { agent, agentOwner: principal('user:rita') })

    expect(policy.excluded).toContainEqual({ principal: 'user:rita', because: 'agent_owner' })
  })

  it('is the requester of a replaced proposal, even where requesters may approve', () => {
    const exclude = { requester: { allowed: 'One-person shop' } }
    const policy = frozen({ ...rules, exclude }, { chainRequesters: [principal('user:rita')] })

    expect(policy.excluded).toEqual([{ principal: 'user:rita', because: 'replaced_requester' }])
  })

  it('names nobody twice', () => {
    const same = principal('user:rita')

    expect(frozen(rules, { agentOwner: same, chainRequesters: [same, same] }).excluded).toEqual([
      { principal: 'user:rita', because: 'requester' },
    ])
  })
})

describe('unsatisfiable', () => {
  const withoutTwo = { requester: principal('user:b'), chainRequesters: [principal('user:c')] }

  it.each<readonly [string, ApprovalRules['require'], readonly string[]]>([
    ['is a requirement whose only principal is excluded', [named('one', 1, ['user:b'])], ['one']],
    ['is one that is left with too few', [named('two', 2, ['user:a', 'user:b'])], ['two']],
    ['is not one that is left with enough', [named('two', 1, ['user:a', 'user:b'])], []],
    [
      'are two that compete for one person',
      [named('x', 1, ['user:a']), named('y', 1, ['user:a', 'user:c'])],
      ['x', 'y'],
    ],
    [
      'is not a third one that has its own people',
      [named('x', 1, ['user:a']), named('y', 1, ['user:a']), named('z', 1, ['user:d'])],
      ['x', 'y'],
    ],
    ['is no role', [role('finance', 100, 'finance'), named('x', 1, ['user:a'])], []],
    [
      'are not two who can share their people out',
      [named('x', 1, ['user:a', 'user:d']), named('y', 1, ['user:a'])],
      [],
    ],
  ])('%s', (_case, require, expected) => {
    expect(unsatisfiable(frozen({ require }, withoutTwo))).toEqual(expected)
  })

  it('is no requirement that does not apply', () => {
    const snapshot = { amount: { amount: '1.00', currency: 'EUR' } }
    const require = [finance, named('director', 1, ['user:rita'], threshold)]

    expect(unsatisfiable(frozen({ require }, { snapshot }))).toEqual([])
    expect(unsatisfiable(frozen({ require }))).toEqual(['director'])
  })

  it.prop([anyPolicy], { numRuns: 500 })(
    'is exactly what stays short in some best assignment of everybody named',
    (policy) => {
      const byName = { ...policy, require: policy.require.filter(({ from }) => 'principals' in from) }
      const all = filledByEverybody(byName)
      const short = byName.require
        .filter(({ applies }) => applies)
        .filter((requirement) => {
          const oneLess = byName.require.map((each) =>
            each === requirement ? { ...each, count: each.count - 1 } : each,
          )
          return filledByEverybody({ ...byName, require: oneLess }).filled === all.filled
        })

      expect(unsatisfiable(policy)).toEqual(short.map(({ name }) => name))
      expect(short.length === 0).toBe(all.filled === all.places)
    },
  )
})

function applied(snapshot: JsonValue): boolean | undefined {
  return frozen(rules, { snapshot }).require[1]?.applies
}

function filledByEverybody(policy: FrozenPolicy): { places: number; filled: number } {
  const people = ['user:anna', 'user:ben', 'user:cem', 'user:dora', 'service:bank']
  const approvals = people.map((name) => approval(name, { assurance: policy.assurance }))
  return bestSeating(policy, approvals, { now: NOW, commitment: COMMITMENT })
}
