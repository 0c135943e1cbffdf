// Invariant I36: once the faults have stopped, everything is closed, or waits for a person with a reason.
import type { Held } from '../model/book.ts'
import { nameOf } from '../model/effect-name.ts'
import { isClosed, isOpen } from '../../src/proposal/status.ts'
import type { Tenant } from './tenant.ts'

/** What is neither settled nor waits for a person. */
export function unsettledIn(tenant: Tenant): readonly string[] {
  return [...tenant.book.proposals.values()].flatMap((held) => {
    const why = unsettled(tenant, held)
    return why === null ? [] : [`${held.proposal.ref} ${why}`]
  })
}

function unsettled({ book }: Tenant, { proposal, receipts, tombstone }: Held): string | null {
  if (tombstone !== null) return null
  const { status, erasure } = proposal
  const effect = book.effects.get(nameOf(proposal.effect))
  if (effect?.attempts.some(({ ending }) => ending === null) === true) return 'has an attempt that is still open'
  if (status === 'verification_unresolved') {
    const moved = receipts.findLast(({ body }, index) => body?.status !== receipts[index - 1]?.body?.status)
    return moved?.body?.reason === null ? 'waits for a person without a reason' : null
  }
  if (!isClosed(status)) return `is ${status}`
  return erasure === 'none' || isUndecided(book, proposal) ? null : `is ${status}, and its erasure is ${erasure}`
}

/** The next instant after this one at which something of what is not settled falls due; null where nothing will. */
export function nextDueIn(tenant: Tenant, now: number): number | null {
  const instants: number[] = []
  for (const held of tenant.book.proposals.values()) {
    if (unsettled(tenant, held) === null) continue
    const effect = tenant.book.effects.get(nameOf(held.proposal.effect))
    const open = effect?.attempts.find(({ ending }) => ending === null)
    const due = [open?.leaseUntil, effect?.verifyDueAt, effect?.verifyLease?.until]
    if (isOpen(held.proposal.status)) due.push(held.proposal.expiresAt)
    for (const instant of due) if (typeof instant === 'number' && instant > now) instants.push(instant)
  }
  return instants.length === 0 ? null : Math.min(...instants)
}

// An erasure waits for its effect, and that for a person, where another proposal owns it.
function isUndecided(book: Tenant['book'], { effect: key }: Held['proposal']): boolean {
  const owner = book.effects.get(nameOf(key))?.owner ?? null
  const held = owner === null ? undefined : book.proposals.get(owner)
  return held?.proposal.status === 'verification_unresolved'
}
