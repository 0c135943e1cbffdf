// The tombstone: what is kept of a proposal in every status, and nothing that says what it was about.
import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/effect/effect.ts'
import type { Approval } from '../../src/proposal/approval.ts'
import type { Proposal, ProposalCore } from '../../src/proposal/proposal.ts'
import { STATUSES, type Status } from '../../src/proposal/status.ts'
import { keptOf } from '../../src/proposal/tombstone.ts'
import { attempt, ending, leaseUntil, startedAt } from '../effect/builders.ts'
import { absence, claimed, confirmation, expiresAt, given, P1, P2, sample, updatedAt } from './lifecycle/sample.ts'
import { frozen, named, role } from './policy-fixtures.ts'

const inDoubt = attempt({ ending: ending('failed_unknown') })

function kept(status: Status, effect: Effect | null = null, approvals: readonly Approval[] = []) {
  return keptOf(sample(status), approvals, effect)
}

describe('policy-and-protection 5: what is kept', () => {
  it.each(STATUSES)('policy-and-protection 5 of one that is %s is on the list', (status) => {
    const isSettled = ['verified', 'failed_known', 'closed_unknown'].includes(status)

    expect(kept(status)).toEqual({
      tenant: 'tenant-1',
      ref: P1,
      action: 'example.payments/refund@1',
      effect: { tenant: 'tenant-1', domain: 'example.payments/refund', reference: 'refund:1' },
      status,
      evidence: null,
      attemptCount: 0,
      createdAt: sample(status).createdAt,
      expiresAt,
      settledAt: isSettled ? updatedAt : null,
      metRequirements: [],
      replacedBy: null,
      supersededBy: status === 'superseded' ? P2 : null,
    })
  })

  it('a replacement is named', () => {
    const stale: Proposal = { ...sample('stale'), status: 'stale', driftPaths: [], replacedBy: P2 } as Proposal

    expect(keptOf(stale, [], null).replacedBy).toBe(P2)
  })

  it('attempts are counted and evidence is told where they are its own', () => {
    const confirmed = claimed([inDoubt, { ...inDoubt }], [confirmation({ covers: { from: 1, to: 2 } })])
    const others = claimed([{ ...inDoubt, proposal: P2 }], [confirmation()], null, { owner: P2 })

    expect(kept('verified', confirmed)).toMatchObject({ attemptCount: 2, evidence: 'CONFIRMED' })
    expect(kept('failed_known', claimed([inDoubt], [absence()]))).toMatchObject({
      attemptCount: 1,
      evidence: 'FAILED',
    })
    expect(kept('superseded', others)).toMatchObject({ attemptCount: 0, evidence: null })
  })
})

describe('the requirements that are kept', () => {
  const policy = frozen({ require: [role('finance', 1, 'finance'), named('director', 1, ['user:dora'])] })
  const names = (changes: Partial<ProposalCore>, approvals: readonly Approval[], effect: Effect | null = null) => {
    return keptOf(sample('verified', { policy, ...changes }), approvals, effect).metRequirements
  }

  it('are those that were met, by their names', () => {
    expect(names({}, [])).toEqual([])
    expect(names({}, [given('user:fay')])).toEqual(['finance'])
    expect(names({}, [given('user:fay'), given('user:dora', { rolesAtDecision: [] })])).toEqual(['finance', 'director'])
  })

  it('are those of the last admission, though the approval has lapsed since', () => {
    const lapsing = given('user:fay', { expiresAt: startedAt + 1 })
    const later = { updatedAt: leaseUntil }

    expect(names(later, [lapsing], claimed([inDoubt]))).toEqual(['finance'])
    expect(names(later, [lapsing])).toEqual([])
  })
})
