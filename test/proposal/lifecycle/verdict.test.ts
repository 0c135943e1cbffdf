// Moves: the table of statuses has the last word, and each move says what it has to say.
import { describe, expect, it } from 'vitest'
import { lifecycle } from '../../../src/proposal/lifecycle/lifecycle.ts'
import { next, outcomeOf, reason, same } from '../../../src/proposal/lifecycle/verdict.ts'
import { STATUSES } from '../../../src/proposal/status.ts'
import { attempt } from '../../effect/builders.ts'
import { code, expiresAt, now, P2, sample } from './sample.ts'

describe('the next revision', () => {
  it('is never one that the table lacks', () => {
    expect(() => next(sample('rejected'), 'approved', {}, now)).toThrow('no move from rejected to approved')
    expect(() => next(sample('verified'), 'executing', { attempt: 2 }, now)).toThrow('no move')
    expect(() => next(sample('executing'), 'withdrawn', { reason: code('x'), closedAt: now }, now)).toThrow('no move')
  })

  it('drops the fields of the status before', () => {
    expect(next(sample('failed_unknown'), 'approved', {}, now)).not.toHaveProperty('attempt')
    expect(same(sample('failed_unknown'), now, {})).toMatchObject({ attempt: 1, reason: 'executor_threw' })
  })

  it('takes the changes of the core that come with it', () => {
    expect(next(sample('approved'), 'approved', {}, now, { blockedBy: code('resolve_failed') })).toMatchObject({
      blockedBy: 'resolve_failed',
      erasure: 'none',
    })
  })
})

it('a reason of our own is a reason code', () => {
  expect(reason('proven_absent')).toBe('proven_absent')
  expect(() => reason('Proven absent')).toThrow('match')
})

it('a status that an operation does not take is its outcome', () => {
  expect(
    STATUSES.map((status) => [status, outcomeOf(status)]).filter(([status, outcome]) => status !== outcome),
  ).toEqual([
    ['awaiting_approval', 'approval_pending'],
    ['executing', 'in_progress'],
  ])
})

describe('what closes a proposal says why, and when', () => {
  const open = sample('approved')

  it.each([
    [
      'withdrawn',
      lifecycle.withdraw(open, { reason: code('not_needed') }, now),
      { status: 'withdrawn', reason: 'not_needed', closedAt: now },
      { type: 'proposal.withdrawn', reason: 'not_needed' },
    ],
    [
      'replaced',
      lifecycle.replace(open, now),
      { status: 'withdrawn', reason: 'replaced', closedAt: now },
      { type: 'proposal.replaced', reason: 'replaced' },
    ],
    [
      'expired',
      lifecycle.expire(open, expiresAt),
      { status: 'expired', closedAt: expiresAt },
      { type: 'proposal.expired' },
    ],
    [
      'superseded',
      lifecycle.supersede(open, P2, now),
      { status: 'superseded', supersededBy: P2, closedAt: now },
      { type: 'proposal.superseded' },
    ],
    [
      'stale',
      lifecycle.refuseDrift(
        open,
        { reason: 'host_reports_drift', paths: ['/amount'], replacedBy: P2, replacementDropped: false },
        now,
      ),
      { status: 'stale', reason: 'host_reports_drift', driftPaths: ['/amount'], replacedBy: P2, closedAt: now },
      { type: 'execution.drift_refused', reason: 'host_reports_drift', detail: ['/amount'] },
    ],
  ])('%s', (_, verdict, proposal, receipt) => {
    expect(verdict).toMatchObject({ kind: 'move', proposal, receipt })
  })

  it('a replacement that was dropped is named in the receipt, not among the paths', () => {
    const drift = { reason: 'subject_gone', paths: [], replacedBy: null, replacementDropped: true } as const

    expect(lifecycle.refuseDrift(open, drift, now)).toMatchObject({
      proposal: { driftPaths: [] },
      receipt: { detail: ['replacement_dropped'] },
    })
  })
})

it('an admission names its attempt', () => {
  expect(lifecycle.admit(sample('approved'), attempt({ number: 3 }), now)).toMatchObject({
    proposal: { status: 'executing', attempt: 3 },
    receipt: { type: 'execution.started', attempt: 3 },
    outcome: 'in_progress',
  })
})

it('a block names its reason, on the proposal too', () => {
  expect(lifecycle.block(sample('approved'), 'resolve_failed', now)).toMatchObject({
    proposal: { status: 'approved', blockedBy: 'resolve_failed' },
    receipt: { type: 'execution.blocked', reason: 'resolve_failed' },
    reason: 'resolve_failed',
  })
})
