// A proposal as the simple model knows it, and the questions that it answers from that alone.
import type { Status } from '../../src/proposal/status.ts'
import { hasRole, type Person } from './cast.ts'
import { AMOUNTS, LIFETIME_MS, type Profile } from './payment.ts'

/** An approval as the model counts it. */
export interface Vote {
  readonly by: Person
  readonly until: number
  isRevoked: boolean
}

export interface ExpectedProposal {
  readonly ref: string
  /** Null for one that the model has not seen prepared. */
  readonly by: Person | null
  readonly amount: string
  /** The version of the business that it describes. */
  readonly version: number
  readonly expiresAt: number
  readonly votes: Vote[]
  status: Status
  isErased: boolean
  /** Whether the model still knows; once it does not, it never does again. */
  isSure: boolean
}

/** A proposal that was just prepared. */
export function expectedAt(
  now: number,
  { ref, by, amount, version }: { ref: string; by: Person; amount: number; version: number },
): ExpectedProposal {
  const shared = { votes: [], status: 'awaiting_approval', isErased: false, isSure: true } as const
  return { ...shared, ref, by, amount: AMOUNTS[amount] ?? '', version, expiresAt: now + LIFETIME_MS, votes: [] }
}

/** A proposal that came from something that the model does not follow. */
export function unknown(ref: string): ExpectedProposal {
  const shared = { version: 0, expiresAt: 0, status: 'awaiting_approval', isErased: false, isSure: false } as const
  return { ...shared, ref, by: null, amount: '', votes: [] }
}

/** The approvals that count now. */
export function standing({ votes }: Pick<ExpectedProposal, 'votes'>, now: number): readonly Vote[] {
  return votes.filter(({ until, isRevoked }) => !isRevoked && now < until)
}

export function isMet(
  { approvals }: Profile,
  proposal: Pick<ExpectedProposal, 'votes' | 'amount'>,
  now: number,
): boolean {
  const people = [...new Set(standing(proposal, now).map(({ by }) => by))]
  return Object.entries(approvals(proposal.amount)).every(([role, count]) => {
    return people.filter((person) => hasRole(person, role)).length >= count
  })
}

export function isOpen({ status }: ExpectedProposal): boolean {
  return status === 'awaiting_approval' || status === 'approved'
}

/** What an operation answers that the status does not take. */
export function outcomeOf(status: Status): string {
  return status === 'awaiting_approval' ? 'approval_pending' : status
}
