// The order of checks of a decision: who may the least is told the least, and every check wins over those after it.
import { describe, expect, it } from 'vitest'
import { limits } from '../../../src/effect/limits.ts'
import { decisionBar } from '../../../src/proposal/lifecycle/decide.ts'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import { attempt } from '../../effect/builders.ts'
import { frozen, principal, role } from '../policy-fixtures.ts'
import { approve, type Deciding, ordinary, others, reject, revoke } from './deciding.ts'
import { code, expiresAt, given, OTHER_COMMITMENT, policy, sample } from './sample.ts'
import { tell } from './tell.ts'

describe('the order of the checks', () => {
  interface Check {
    readonly name: string
    readonly spoil: (deciding: Deciding) => Deciding
    readonly answer: string
  }

  const closed: Check = {
    name: 'closed',
    spoil: (deciding) => ({ ...deciding, proposal: sample('verified') }),
    answer: '= verified',
  }
  const expired: Check = { name: 'expired', spoil: (deciding) => ({ ...deciding, at: expiresAt }), answer: '→ expired' }
  const commitment: Check = {
    name: 'another commitment',
    spoil: (deciding) => ({ ...deciding, approval: { ...deciding.approval, commitment: OTHER_COMMITMENT } }),
    answer: '! binding_mismatch',
  }
  const assurance: Check = {
    name: 'too little assurance',
    spoil: (deciding) => ({ ...deciding, approval: { ...deciding.approval, assurance: [] } }),
    answer: '! binding_mismatch',
  }
  const halfAssured: Check = {
    name: 'half of the assurance',
    spoil: (deciding) => ({
      ...deciding,
      proposal: { ...deciding.proposal, policy: { ...policy, assurance: ['authenticated_session', 'mfa'] } },
    }),
    answer: '! binding_mismatch',
  }
  const repeated: Check = {
    name: 'given already',
    spoil: (deciding) => ({ ...deciding, approvals: [...deciding.approvals, given('user:anna')] }),
    answer: '= replayed',
  }
  const full: Check = {
    name: 'too many on record',
    spoil: (deciding) => ({ ...deciding, approvals: [...deciding.approvals, ...others(limits.approvalsPerProposal)] }),
    answer: '! limit_exceeded',
  }

  it.each(pairs([closed, expired, commitment, assurance, halfAssured, repeated, full]))(
    'approve: $first.name comes before $second.name',
    ({ first, second }) => {
      expect(approve(first.spoil(second.spoil(ordinary)))).toBe(first.answer)
      expect(approve(second.spoil(ordinary))).toBe(second.answer)
    },
  )

  it.each(pairs([closed, expired, commitment, assurance, halfAssured]))(
    'reject: $first.name comes before $second.name',
    ({ first, second }) => {
      expect(reject(first.spoil(second.spoil(ordinary)))).toBe(first.answer)
      expect(reject(second.spoil(ordinary))).toBe(second.answer)
    },
  )

  it('reject asks for nothing else: neither a full record nor an earlier approval stands in its way', () => {
    expect(reject(full.spoil(repeated.spoil(ordinary)))).toBe('→ rejected')
  })

  function pairs(checks: readonly Check[]): readonly { readonly first: Check; readonly second: Check }[] {
    return checks.flatMap((first, index) => checks.slice(index + 1).map((second) => ({ first, second })))
  }
})

describe('who is barred before any right is asked for', () => {
  it.each([
    ['an agent', 'agent:helper', 'agent_cannot_decide'],
    ['the proposing agent, which is excluded too', 'agent:bot', 'agent_cannot_decide'],
    ['the requester', 'user:rita', 'separation_of_duties'],
  ])('%s', (_, name, refusal) => {
    const excluding = frozen({ require: [role('finance', 1, 'finance')] }, { agent: principal('agent:bot') })

    expect(decisionBar(sample('approved', { policy: excluding }), principal(name))?.code).toBe(refusal)
  })

  it('a service of the same id is another principal, and nobody else is barred', () => {
    expect(decisionBar(sample('approved'), principal('service:rita'))).toBe(null)
    expect(decisionBar(sample('approved'), principal('user:anna'))).toBe(null)
  })
})

describe('the instant of expiry is exclusive', () => {
  const met = { met: true, needed: [], byRequirement: [], validUntil: null }
  const drift = { reason: 'subject_gone', paths: [], replacedBy: null, replacementDropped: false } as const
  const longLived = given('user:anna', { expiresAt: expiresAt + 9 })
  const open = sample('approved')

  it.each<[string, (at: number) => string, string]>([
    ['approve', (at) => approve({ ...ordinary, proposal: open, at }), '+ approved'],
    ['reject', (at) => reject({ ...ordinary, proposal: open, at }), '→ rejected'],
    ['revokeApproval', (at) => revoke(open, [longLived], at, longLived), '→ awaiting_approval'],
    ['withdraw', (at) => tell(open, lifecycle.withdraw(open, { reason: code('not_needed') }, at)), '→ withdrawn'],
    ['replace', (at) => tell(open, lifecycle.replace(open, at)), '→ withdrawn'],
    ['beginExecution', (at) => tell(open, lifecycle.beginExecution(open, met, at)), '…'],
    ['block', (at) => tell(open, lifecycle.block(open, 'resolve_failed', at)), '+ blocked'],
    ['refuseDrift', (at) => tell(open, lifecycle.refuseDrift(open, drift, at)), '→ stale'],
    ['admit', (at) => tell(open, lifecycle.admit(open, attempt(), at)), '→ executing'],
    ['expire', (at) => tell(open, lifecycle.expire(open, at)), '= approved'],
  ])('%s', (_, command, before) => {
    expect(command(expiresAt - 1)).toBe(before)
    expect(command(expiresAt)).toBe('→ expired')
    expect(command(expiresAt + 1)).toBe('→ expired')
  })
})
