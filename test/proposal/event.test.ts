// Events: one for every change of status, with references and statuses only.
import { describe, expect, it } from 'vitest'
import { type EventType, eventsOf } from '../../src/proposal/event.ts'
import { STATUSES, type Status } from '../../src/proposal/status.ts'
import { sample, updatedAt } from './lifecycle/sample.ts'

const entered: Readonly<Record<Status, EventType>> = {
  awaiting_approval: 'proposal.approval_needed',
  approved: 'proposal.approved',
  executing: 'proposal.executing',
  verification_pending: 'proposal.in_doubt',
  failed_unknown: 'proposal.in_doubt',
  verification_unresolved: 'proposal.needs_person',
  verified: 'proposal.settled',
  failed_known: 'proposal.settled',
  closed_unknown: 'proposal.settled',
  rejected: 'proposal.closed',
  withdrawn: 'proposal.closed',
  expired: 'proposal.closed',
  stale: 'proposal.closed',
  superseded: 'proposal.closed',
}

describe.each(STATUSES)('lifecycle %s', (status) => {
  it('is told when it is entered', () => {
    const before = sample(status === 'approved' ? 'awaiting_approval' : 'approved')

    expect(eventsOf(before, sample(status, { revision: 8 }))).toEqual([
      { type: entered[status], proposal: 'proposal-1', status, revision: 8, at: updatedAt },
    ])
  })

  it('is not told again while it stays', () => {
    expect(eventsOf(sample(status), sample(status, { revision: 8, attention: ['late_evidence'] }))).toEqual([])
  })
})

it('a new proposal is prepared, and is what it is', () => {
  expect(eventsOf(null, sample('awaiting_approval')).map(({ type }) => type)).toEqual([
    'proposal.prepared',
    'proposal.approval_needed',
  ])
  expect(eventsOf(null, sample('approved')).map(({ type }) => type)).toEqual(['proposal.prepared', 'proposal.approved'])
})
