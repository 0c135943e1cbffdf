// Decisions: what counts as the same one, who is counted, and what a revocation leaves.
import { describe, expect, it } from 'vitest'
import { limits } from '../../../src/effect/limits.ts'
import type { Approval } from '../../../src/proposal/approval.ts'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import type { Proposal } from '../../../src/proposal/proposal.ts'
import { frozen, principal, role } from '../policy-fixtures.ts'
import { approve, type Deciding, ordinary, others, revoke } from './deciding.ts'
import { expiresAt, given, now, policy, sample } from './sample.ts'
import { moved, tell } from './tell.ts'

describe('rule R12: an equal decision is replayed only while it still counts', () => {
  const tuesday = now
  it.each<[string, Partial<Deciding>, string]>([
    ['rule R12 it counts', { approvals: [given('user:anna')] }, '= replayed'],
    ['trace S37 it lapsed', { approvals: [given('user:anna', { expiresAt: tuesday })] }, '→ approved'],
    ['trace S37 its last instant', { approvals: [given('user:anna', { expiresAt: tuesday + 1 })] }, '= replayed'],
    ['trace S37 it was revoked', { approvals: [given('user:anna', { revokedAt: tuesday - 1 })] }, '→ approved'],
    ['trace S24 it is older than the closing', { countsFrom: tuesday, approvals: [given('user:anna')] }, '→ approved'],
    [
      'trace S24 it is as old as the closing',
      { countsFrom: tuesday, approvals: [given('user:anna', { decidedAt: tuesday })] },
      '= replayed',
    ],
    ['rule R12 somebody else gave it', { approvals: [given('user:bert')] }, '→ approved'],
    [
      'rule R12 it was a rejection',
      { approvals: [given('user:anna', { decision: 'reject', decidedAt: 0 })] },
      '→ approved',
    ],
    [
      'rule R12 it never counted, and does not now',
      {
        approvals: [given('user:anna', { rolesAtDecision: [] })],
        approval: given('user:anna', { rolesAtDecision: [] }),
      },
      '= replayed',
    ],
    [
      'rule R12 it never counted, and its giver has the same role as then',
      {
        approvals: [given('user:anna', { rolesAtDecision: ['support'] })],
        approval: given('user:anna', { rolesAtDecision: ['support'] }),
      },
      '= replayed',
    ],
    [
      'rule R12 it never counted, and its giver has another role that is asked for nowhere',
      {
        approvals: [given('user:anna', { rolesAtDecision: [] })],
        approval: given('user:anna', { rolesAtDecision: ['support'] }),
      },
      '+ approval_pending',
    ],
    [
      'rule R12 it never counted, and its giver has the role now',
      { approvals: [given('user:anna', { rolesAtDecision: [] })] },
      '→ approved',
    ],
  ])('%s', (_, changes, expected) => {
    expect(approve({ ...ordinary, ...changes })).toBe(expected)
  })

  it.each<[string, Partial<Approval>, string]>([
    ['it lapsed', { expiresAt: tuesday }, '+ approved'],
    ['it is in its last instant', { expiresAt: tuesday + 1 }, '= replayed'],
    ['it was revoked', { revokedAt: tuesday - 1 }, '+ approved'],
  ])('rule R12 also where nothing is missing: %s', (_, changes, expected) => {
    const approvals = [given('user:bert'), given('user:anna', changes)]

    expect(approve({ ...ordinary, proposal: sample('approved'), approvals })).toBe(expected)
  })

  it('rule R12 it counts, but its giver could now meet what is missing', () => {
    const both = frozen({ require: [role('finance', 1, 'finance'), role('director', 1, 'director')] })
    const proposal = sample('awaiting_approval', { policy: both })
    const approvals = [given('user:bert'), given('user:anna')]
    const promoted = given('user:anna', { rolesAtDecision: ['finance', 'director'] })

    expect(approve({ ...ordinary, proposal, approvals })).toBe('= replayed')
    expect(approve({ ...ordinary, proposal, approvals, approval: promoted })).toBe('→ approved')
  })

  it('trace S38 a right that is back needs no new approval: the next execution finds the policy met', () => {
    const approved = sample('approved')
    const waiting = moved(lifecycle.lapse(approved, now))
    const met = { met: true, needed: [given('user:anna')], byRequirement: [], validUntil: expiresAt }

    expect(waiting.status).toBe('awaiting_approval')
    expect(tell(waiting, lifecycle.beginExecution(waiting, met, now + 1))).toBe('→ approved')
  })
})

describe('counting', () => {
  const two = frozen({ require: [role('finance', 2, 'finance')] })
  const waiting = sample('awaiting_approval', { policy: two })

  it('one person counts once, however often they approve', () => {
    const before = given('user:anna', { expiresAt: now })

    expect(approve({ ...ordinary, proposal: waiting, approvals: [before] })).toBe('+ approval_pending')
  })

  it('the second person meets what is left, and a third is recorded too', () => {
    const second = approve({ ...ordinary, proposal: waiting, approvals: [given('user:bert')] })
    const third = approve({
      ...ordinary,
      proposal: sample('approved', { policy: two }),
      approvals: [given('user:bert'), given('user:cora')],
    })

    expect(second).toBe('→ approved')
    expect(third).toBe('+ approved')
  })

  it('an approval that finds the others lapsed brings the proposal back to waiting', () => {
    const lapsed = [given('user:bert', { expiresAt: now })]

    expect(approve({ ...ordinary, proposal: sample('approved', { policy: two }), approvals: lapsed })).toBe(
      '→ awaiting_approval',
    )
  })

  it('the last place on record is taken, the one after it is not', () => {
    const almost = others(limits.approvalsPerProposal - 1)

    expect(approve({ ...ordinary, approvals: almost })).toBe('→ approved')
    expect(approve({ ...ordinary, approvals: [...almost, given('user:zoe')] })).toBe('! limit_exceeded')
  })

  it('nobody is needed where the policy says so', () => {
    const proposal = sample('approved', { policy: { ...policy, require: [], noApproval: 'below_threshold' } })

    expect(approve({ ...ordinary, proposal })).toBe('+ approved')
  })
})

describe('taking back', () => {
  const mine = given('user:anna')
  const approved = sample('approved')

  it.each<[string, Proposal, readonly Approval[], number, string]>([
    ['the approval that it rested on', approved, [mine], now, '→ awaiting_approval'],
    ['one beyond the quorum', approved, [mine, given('user:bert')], now, '+ revoked'],
    [
      'while waiting: nothing is approved by that',
      sample('awaiting_approval'),
      [mine, given('user:bert')],
      now,
      '+ revoked',
    ],
    ['twice', approved, [{ ...mine, revokedAt: now - 1 }], now, '= replayed'],
    ['what has lapsed', approved, [{ ...mine, expiresAt: now }], now, '= conflict'],
    ['in its last instant', approved, [{ ...mine, expiresAt: now + 1 }], now, '→ awaiting_approval'],
    ['once the call is under way', sample('executing'), [mine], now, '= in_progress'],
    ['what was rejected', sample('rejected'), [mine], now, '= rejected'],
    ['an unknown one', approved, [], now, '! not_found'],
    ['a rejection', approved, [{ ...mine, decision: 'reject' }], now, '! not_found'],
    ['that of somebody else', approved, [{ ...mine, approver: principal('user:bert') }], now, '! not_found'],
    [
      'that of a service of the same id',
      approved,
      [{ ...mine, approver: principal('service:anna') }],
      now,
      '! not_found',
    ],
    ['that of somebody else, when it is closed', sample('rejected'), [], now, '! not_found'],
  ])('%s', (_, proposal, approvals, at, expected) => {
    expect(revoke(proposal, approvals, at, mine)).toBe(expected)
  })

  it('says why a lapsed approval cannot be taken back', () => {
    const command = { approvalId: mine.approvalId, principal: mine.approver, approvals: [{ ...mine, expiresAt: now }] }

    expect(lifecycle.revokeApproval(approved, command, now)).toMatchObject({ reason: 'approval_lapsed' })
  })
})
