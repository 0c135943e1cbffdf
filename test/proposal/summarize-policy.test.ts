// The policy of an action in short: what it tells whoever is about to propose, and that it names nobody.
import { describe, expect, it } from 'vitest'
import { noApproval } from '../../src/proposal/policy/policy.ts'
import { summarizePolicy } from '../../src/proposal/policy/summarize-policy.ts'

const when = { path: '/amount', atLeast: { amount: '50.00', currency: 'EUR' } }

describe('the summary of a policy', () => {
  it('tells roles and conditions, and of named principals only their number', () => {
    const summary = summarizePolicy({
      require: [
        { name: 'finance', count: 2, from: { role: 'finance-manager' } },
        { name: 'director', count: 1, from: { principals: ['user:cfo', 'user:deputy'] }, when },
      ],
      approvalTtl: '24h',
      assurance: ['mfa'],
      whileRelatedInDoubt: 'block',
    })

    expect(summary).toEqual({
      kind: 'rules',
      require: [
        { name: 'finance', count: 2, from: { role: 'finance-manager' }, when: null },
        { name: 'director', count: 1, from: { named: 2 }, when },
      ],
      assurance: ['mfa'],
      approvalTtlMs: 24 * 60 * 60_000,
      whileRelatedInDoubt: 'block',
    })
    expect(JSON.stringify(summary)).not.toContain('cfo')
  })

  it('tells the defaults of what is not said', () => {
    const summary = summarizePolicy({ require: [{ name: 'finance', count: 1, from: { role: 'finance-manager' } }] })

    expect(summary).toMatchObject({
      assurance: ['authenticated_session'],
      approvalTtlMs: null,
      whileRelatedInDoubt: 'warn',
    })
  })

  it('tells why no approval is asked for, and that a function chooses', () => {
    expect(summarizePolicy(noApproval('below the limit'))).toEqual({ kind: 'none', reason: 'below the limit' })
    expect(summarizePolicy(() => noApproval('never asked'))).toEqual({ kind: 'chosen' })
  })
})
