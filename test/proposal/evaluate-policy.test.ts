// What approvals are worth: agrees with brute force on everything small, and with the specification line by line.
import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import type { Approval } from '../../src/proposal/approval.ts'
import { canStillCount, evaluatePolicy, stillCounts } from '../../src/proposal/policy/evaluate-policy.ts'
import { noApproval } from '../../src/proposal/policy/policy.ts'
import { principalName } from '../../src/proposal/principal.ts'
import { anyApprovals, anyPolicy, NOW, newcomer } from './policy-arbitraries.ts'
import { approval, COMMITMENT, frozen, named, principal, role } from './policy-fixtures.ts'
import { bestSeating, fits } from './policy-oracle.ts'

const at = { now: 500, commitment: COMMITMENT }
const finance = { rolesAtDecision: ['finance'] }

describe('a policy against brute force', () => {
  const point = { now: NOW, commitment: COMMITMENT }
  const manyRuns = { numRuns: 1_000 }

  it.prop([anyPolicy, anyApprovals], manyRuns)(
    'is met when any assignment meets it, and until the best one lapses',
    (policy, approvals) => {
      const result = evaluatePolicy(policy, approvals, point)
      const best = bestSeating(policy, approvals, point)

      expect(result.met).toBe(best.places > 0 && best.filled === best.places)
      expect(result.needed).toHaveLength(best.filled)
      expect(result.validUntil).toBe(best.filled === 0 ? null : best.until)
    },
  )

  it.prop([anyPolicy, anyApprovals], manyRuns)(
    'rests on approvals that fit, each of another person',
    (policy, approvals) => {
      const { needed, byRequirement } = evaluatePolicy(policy, approvals, point)
      const applying = policy.require.filter(({ applies }) => applies)

      expect(new Set(needed.map(({ approver }) => principalName(approver))).size).toBe(needed.length)
      expect(byRequirement.map(({ name }) => name)).toEqual(applying.map(({ name }) => name))
      for (const [index, { approvedBy, missing, count }] of byRequirement.entries()) {
        const requirement = applying[index] ?? expect.fail()
        expect(approvedBy.every((each) => fits(policy, requirement, each, approvals, point))).toBe(true)
        expect(approvedBy.length + missing).toBe(count)
      }
    },
  )

  it.prop([anyPolicy, twoOrders()])(
    'says the same whatever order the store returns',
    (policy, [approvals, shuffled]) => {
      expect(evaluatePolicy(policy, shuffled, point)).toEqual(evaluatePolicy(policy, approvals, point))
    },
  )

  it.prop([anyPolicy, anyApprovals])(
    'holds to its last instant and, unless others stand by, not at the next',
    (policy, approvals) => {
      const { met, validUntil } = evaluatePolicy(policy, approvals, point)
      fc.pre(met && validUntil !== null)

      const best = (now: number): boolean => evaluatePolicy(policy, approvals, { ...point, now }).met
      expect(best((validUntil ?? 0) - 1)).toBe(true)
      // The best assignment lapses last, so nothing can hold from there on.
      expect(best(validUntil ?? 0)).toBe(false)
    },
  )

  it.prop([anyPolicy, anyApprovals, newcomer], manyRuns)(
    'needs a person exactly when one more approval of theirs fills a place',
    (policy, approvals, approver) => {
      const one = approval(principalName(approver.principal), {
        rolesAtDecision: approver.roles,
        assurance: approver.assurance,
        decidedAt: 6,
      })
      const better =
        bestSeating(policy, [...approvals, one], point).filled > bestSeating(policy, approvals, point).filled

      expect(canStillCount(policy, approver, approvals, point)).toBe(better)
    },
  )

  it.prop([anyPolicy, anyApprovals], manyRuns)(
    'lets an approval still count when it fits some requirement',
    (policy, approvals) => {
      for (const each of approvals) {
        const expected = policy.require.some((place) => place.applies && fits(policy, place, each, approvals, point))
        expect(stillCounts(policy, each, approvals, point)).toBe(expected)
      }
    },
  )
})

describe('an approval', () => {
  const policy = frozen({ require: [role('finance', 1, 'finance')], assurance: ['mfa'] })
  const counting = { rolesAtDecision: ['finance'], assurance: ['authenticated_session', 'mfa'] }

  it('counts when everything is as it should be', () => {
    const given = approval('user:anna', counting)

    expect(evaluatePolicy(policy, [given], at)).toEqual({
      met: true,
      needed: [given],
      byRequirement: [{ name: 'finance', count: 1, approvedBy: [given], missing: 0 }],
      validUntil: 1_000,
    })
  })

  it.each<readonly [string, string, Partial<Approval>]>([
    ['as a rejection', 'user:anna', { decision: 'reject' }],
    ['when it was revoked', 'user:anna', { revokedAt: 400 }],
    ['for another commitment', 'user:anna', { commitment: 'c1_other' }],
    ['without the assurance demanded', 'user:anna', { assurance: ['authenticated_session'] }],
    ['without the role', 'user:anna', { rolesAtDecision: ['Finance', 'finance '] }],
    ['from whoever is excluded', 'user:rita', {}],
    ['from an agent, whatever its roles', 'agent:anna', {}],
    ['from a service, by its role', 'service:anna', {}],
  ])('does not count %s', (_case, approver, fields) => {
    const { met, needed, byRequirement } = evaluatePolicy(policy, [approval(approver, { ...counting, ...fields })], at)

    expect({ met, needed, missing: byRequirement.map(({ missing }) => missing) }).toEqual({
      met: false,
      needed: [],
      missing: [1],
    })
  })

  it.each([
    [999, true],
    [1_000, false],
    [1_001, false],
  ])('that expires at 1,000 counts at %i: %s', (now, met) => {
    const given = approval('user:anna', counting)

    expect(evaluatePolicy(policy, [given], { ...at, now }).met).toBe(met)
    expect(stillCounts(policy, given, [given], { ...at, now })).toBe(met)
  })

  it('does not count once its right to decide was refused', () => {
    const given = approval('user:anna', counting)

    expect(evaluatePolicy(policy, [given], { ...at, without: new Set([given.approvalId]) }).met).toBe(false)
    expect(evaluatePolicy(policy, [given], { ...at, without: new Set() }).met).toBe(true)
  })

  it.each([
    [0, 'user:anna', true],
    [1, 'user:anna', false],
    [2, 'user:anna', false],
    [2, 'user:ben', true],
  ])('given at 1 counts after a rejection at %i by %s: %s', (decidedAt, approver, met) => {
    const given = approval('user:anna', { ...counting, decidedAt: 1 })
    const rejection = approval(approver, { decision: 'reject', decidedAt })

    expect(evaluatePolicy(policy, [given, rejection], at).met).toBe(met)
  })

  it('by a service counts where the service is named', () => {
    const withService = frozen({ require: [named('second', 1, ['service:bank'])] })

    expect(evaluatePolicy(withService, [approval('service:bank')], at).met).toBe(true)
    expect(evaluatePolicy(withService, [approval('user:bank')], at).met).toBe(false)
  })

  it('by an agent counts not even where a stored policy names it', () => {
    const policy = frozen({ require: [named('second', 1, ['agent:bot'])] })

    expect(evaluatePolicy(policy, [approval('agent:bot')], at).met).toBe(false)
  })
})

describe('a quorum', () => {
  it('is not met by one person twice', () => {
    const policy = frozen({ require: [role('finance', 2, 'finance')] })
    const twice = [approval('user:anna', finance), approval('user:anna', { ...finance, expiresAt: 900 })]

    expect(evaluatePolicy(policy, twice, at)).toMatchObject({ met: false, byRequirement: [{ missing: 1 }] })
    expect(evaluatePolicy(policy, [...twice, approval('user:ben', finance)], at).met).toBe(true)
  })

  it('is not met by one person for two requirements', () => {
    const policy = frozen({ require: [role('finance', 1, 'finance'), named('director', 1, ['user:anna', 'user:ben'])] })

    expect(evaluatePolicy(policy, [approval('user:anna', finance)], at).met).toBe(false)
  })

  it('takes of one person the approval that holds longest', () => {
    const policy = frozen({ require: [role('finance', 1, 'finance')] })
    const early = approval('user:anna', { ...finance, expiresAt: 600 })
    const late = approval('user:anna', { ...finance, expiresAt: 700, decidedAt: 100 })

    expect(evaluatePolicy(policy, [early, late], at)).toMatchObject({ needed: [late], validUntil: 700 })
    expect(evaluatePolicy(policy, [early, late], { ...at, now: 650 }).met).toBe(true)
  })

  it('moves a person to where they are needed: if the whole can be met, it is', () => {
    const policy = frozen({ require: [role('finance', 1, 'finance'), named('director', 1, ['user:anna'])] })
    const anna = approval('user:anna', finance)
    const ben = approval('user:ben', { ...finance, expiresAt: 600 })

    expect(evaluatePolicy(policy, [anna, ben], at)).toMatchObject({
      met: true,
      byRequirement: [{ approvedBy: [ben] }, { approvedBy: [anna] }],
      validUntil: 600,
    })
  })

  it('moves a person with the approval that holds longest', () => {
    const policy = frozen({ require: [role('finance', 1, 'finance'), named('director', 1, ['user:anna'])] })
    const anna = approval('user:anna', { ...finance, expiresAt: 900 })
    const again = approval('user:anna', { ...finance, expiresAt: 800 })
    const ben = approval('user:ben', { ...finance, expiresAt: 700 })

    expect(evaluatePolicy(policy, [again, anna, ben], at).needed).toEqual([ben, anna])
  })

  it('moves people along a chain of requirements', () => {
    const require = [
      named('first', 1, ['user:a', 'user:b']),
      named('second', 1, ['user:b', 'user:c']),
      named('third', 1, ['user:c', 'user:d']),
    ]
    const given = [
      approval('user:b', { expiresAt: 999 }),
      approval('user:c', { expiresAt: 998 }),
      approval('user:a', { expiresAt: 997 }),
    ]

    expect(evaluatePolicy(frozen({ require }), given, at).met).toBe(true)
  })

  it('survives an approval that lapses while enough remain (pitfall W15)', () => {
    const policy = frozen({ require: [role('finance', 2, 'finance')] })
    const given = ['user:anna', 'user:ben', 'user:cem'].map((name, index) =>
      approval(name, { ...finance, expiresAt: 600 + index }),
    )

    expect(evaluatePolicy(policy, given, { ...at, now: 599 })).toMatchObject({ met: true, validUntil: 601 })
    expect(evaluatePolicy(policy, given, { ...at, now: 600 })).toMatchObject({ met: true, validUntil: 601 })
    expect(evaluatePolicy(policy, given, { ...at, now: 601 })).toMatchObject({
      met: false,
      byRequirement: [{ missing: 1 }],
    })
  })

  it('of a hundred, from a hundred people with tangled roles, is met', () => {
    const require = [role('finance', 50, 'finance'), role('legal', 30, 'legal'), role('board', 20, 'board')]
    const given = Array.from({ length: 100 }, (_, index) => {
      const rolesAtDecision =
        index < 20 ? ['finance', 'legal', 'board'] : index < 50 ? ['finance', 'legal'] : ['finance']
      return approval(`user:${index}`, { rolesAtDecision, expiresAt: 2_000 - index })
    })

    expect(evaluatePolicy(frozen({ require }), given, at)).toMatchObject({ met: true, validUntil: 1_901 })
  })
})

describe('nothing', () => {
  it('is asked for by a policy that declares it', () => {
    const policy = frozen({ require: [] }, { input: noApproval('Nothing of value moves') })

    expect(evaluatePolicy(policy, [], at)).toEqual({ met: true, needed: [], byRequirement: [], validUntil: null })
  })

  it.each([
    ['no requirement', frozen({ require: [] })],
    [
      'no requirement that applies',
      frozen({ require: [role('finance', 1, 'finance', never())] }, { snapshot: small() }),
    ],
    ['a count of zero', frozen({ require: [role('finance', 0, 'finance')] })],
    ['a count below zero', frozen({ require: [role('finance', -1, 'finance')] })],
    ['a count that is no number', frozen({ require: [role('finance', Number.NaN, 'finance')] })],
  ])('meets no stored policy with %s', (_case, policy) => {
    expect(evaluatePolicy(policy, [], at).met).toBe(false)
    expect(evaluatePolicy(policy, [approval('user:anna', finance)], at).met).toBe(false)
  })
})

describe('rule R12', () => {
  const policy = frozen({ require: [named('finance', 2, ['user:anna', 'user:ben'])] })

  it('rule R12 an equal decision is a replay while the first one still counts', () => {
    const first = approval('user:anna')

    expect(stillCounts(policy, first, [first], at)).toBe(true)
  })

  it.each<readonly [string, Partial<Approval>]>([
    ['lapsed', { expiresAt: 500 }],
    ['was revoked', { revokedAt: 400 }],
    ['is for another commitment', { commitment: 'c1_other' }],
  ])('rule R12 an equal decision is recorded anew once the first one %s (trace S37)', (_case, fields) => {
    const first = approval('user:anna', fields)
    const second = approval('user:anna', { decidedAt: 500, expiresAt: 1_500 })

    expect(stillCounts(policy, first, [first], at)).toBe(false)
    expect(
      canStillCount(
        policy,
        { principal: principal('user:anna'), roles: [], assurance: ['authenticated_session'] },
        [first],
        at,
      ),
    ).toBe(true)
    expect(evaluatePolicy(policy, [first, second, approval('user:ben')], at).met).toBe(true)
  })

  it('rule R12 an approval counts again when a right that failed for a minute is back (trace S38)', () => {
    const given = [approval('user:anna'), approval('user:ben')]
    const [anna] = given
    const without = new Set(given.slice(0, 1).map(({ approvalId }) => approvalId))

    expect(evaluatePolicy(policy, given, { ...at, without })).toMatchObject({
      met: false,
      byRequirement: [{ missing: 1 }],
    })
    expect(evaluatePolicy(policy, given, at).met).toBe(true)
    expect(stillCounts(policy, anna ?? expect.fail(), given, at)).toBe(true)
  })

  it('rule R12 an approval given without a role that is asked for is no bar to one given with it', () => {
    const policy = frozen({ require: [role('finance', 1, 'finance')] })
    const before = approval('user:anna', { rolesAtDecision: [] })
    const after = approval('user:anna', { ...finance, decidedAt: 400, expiresAt: 600 })

    expect(stillCounts(policy, before, [before], at)).toBe(false)
    expect(evaluatePolicy(policy, [before, after], at)).toMatchObject({ met: true, needed: [after] })
  })
})

function never(): { path: string; atLeast: { amount: string; currency: string } } {
  return { path: '/amount', atLeast: { amount: '10.00', currency: 'EUR' } }
}

function small(): { amount: { amount: string; currency: string } } {
  return { amount: { amount: '9.99', currency: 'EUR' } }
}

function twoOrders(): fc.Arbitrary<readonly [readonly Approval[], readonly Approval[]]> {
  return anyApprovals.chain((approvals) => {
    return fc.tuple(fc.constant(approvals), fc.shuffledSubarray([...approvals], { minLength: approvals.length }))
  })
}
