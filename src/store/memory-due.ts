// What is due in a memory store, kind by kind, by looking at everything.
import type { Attempt, Effect } from '../effect/effect.ts'
import type { Proposal } from '../proposal/proposal.ts'
import { isInDoubt, isOpen } from '../proposal/status.ts'
import type { DueItem, DueQuery } from '../runtime/ports.ts'
import { effectName, type TenantRecords } from './memory-records.ts'

/** A page of what is due, in its order. */
export function dueInMemory(records: TenantRecords, query: DueQuery): readonly DueItem[] {
  const { after, limit } = query
  return found(records, query)
    .filter((item) => after === null || isBefore(after, item))
    .sort((a, b) => (isBefore(a, b) ? -1 : 1))
    .slice(0, limit)
}

function isBefore(a: DueItem, b: DueItem): boolean {
  return a.at < b.at || (a.at === b.at && a.ref < b.ref)
}

function found(records: TenantRecords, query: DueQuery): readonly DueItem[] {
  const { until } = query
  const proposals = [...records.proposals.values()].flatMap((record) => {
    return record.kind === 'live' ? [record.proposal] : []
  })
  const effects = [...records.effects.values()].map(({ effect }) => effect)
  switch (query.kind) {
    case 'expiry':
      return proposals
        .filter(({ status, expiresAt }) => isOpen(status) && expiresAt <= until)
        .map(({ expiresAt, ref }) => ({ at: expiresAt, ref }))
    case 'execution':
      return proposals
        .filter(({ status, action, expiresAt }) => {
          return status === 'approved' && action === query.action && expiresAt > until
        })
        .map(({ expiresAt, ref }) => ({ at: expiresAt, ref }))
    case 'verification':
      return effects.flatMap(({ owner, verifyDueAt }) => {
        return owner === null || verifyDueAt === null || verifyDueAt > until ? [] : [{ at: verifyDueAt, ref: owner }]
      })
    case 'lease':
      return effects.flatMap(openAttempts).flatMap(({ proposal, leaseUntil }) => {
        return proposal === null || leaseUntil > until ? [] : [{ at: leaseUntil, ref: proposal }]
      })
    case 'unscheduled':
      return proposals
        .filter((proposal) => isInDoubt(proposal.status) && isUnscheduled(records, proposal))
        .map(({ ref }) => ({ at: 0, ref }))
    case 'settled':
      return proposals.flatMap((proposal) => {
        const at = 'settledAt' in proposal ? proposal.settledAt : null
        return at !== null && at <= until && isKept(proposal, query.action) ? [{ at, ref: proposal.ref }] : []
      })
    case 'closed':
      return proposals.flatMap((proposal) => {
        const at = 'closedAt' in proposal ? proposal.closedAt : null
        return at !== null && at <= until && isKept(proposal, query.action) ? [{ at, ref: proposal.ref }] : []
      })
  }
}

function openAttempts({ attempts }: Effect): readonly Attempt[] {
  return attempts.filter(({ ending }) => ending === null)
}

function isUnscheduled(records: TenantRecords, proposal: Proposal): boolean {
  const effect = records.effects.get(effectName(proposal.effect))?.effect
  return effect?.owner === proposal.ref && effect.verifyDueAt === null && openAttempts(effect).length === 0
}

function isKept({ erasure, action }: Proposal, asked: string): boolean {
  return erasure === 'none' && action === asked
}
