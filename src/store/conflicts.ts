// Which conflict a change meets: one pure decision that every store takes in its own transaction.
import type { Reference } from '../effect/reference.ts'
import type { Change, Conflict } from '../runtime/ports.ts'

/** What a store holds where a change would write, read in the transaction of the change. */
export interface Found {
  /** The store's clock. */
  readonly now: number
  /** The proposals that the change writes, as far as they exist. */
  readonly proposals: ReadonlyMap<Reference, { readonly revision: number; readonly isErased: boolean }>
  /** Whether one of the change's request keys was used before. */
  readonly isRequestKeyTaken: boolean
  /** The version of the change's effect, or null. */
  readonly effectVersion: number | null
  readonly isFormerKeyTaken: boolean
  readonly openAttempt: { readonly number: number; readonly token: string } | null
  /** When the lease of the guarded call ends that the change takes over; null for every other change. */
  readonly leaseUntil: number | null
  /** Whether a restore waits for somebody to acknowledge it; false for a change that admits nothing. */
  readonly isHeld: boolean
}

/**
 * The first conflict, or null. The order is part of the contract, so that every store answers alike: time, a restore, then
 * the proposals in their order, request keys, the attempt that is ended, the effect, the lease. A change whose attempt was
 * ended by somebody else always finds another effect version too; `fenced` says more, so it comes first. Spec: store 1.
 */
export function conflictOf(change: Change, found: Found): Conflict['on'] | null {
  if (change.notAfter !== null && found.now >= change.notAfter) return 'too_late'
  if (change.notBefore !== null && found.now < change.notBefore) return 'too_early'
  if (found.isHeld) return 'held'
  for (const write of change.proposals) {
    const on = proposalConflict(write, found)
    if (on !== null) return on
  }
  if (found.isRequestKeyTaken) return 'request_key'
  return effectConflict(change, found) ?? callConflict(change, found)
}

function proposalConflict(write: Change['proposals'][number], found: Found): Conflict['on'] | null {
  const written = write.kind === 'erase' ? write.tombstone : write.proposal
  const stored = found.proposals.get(written.ref)
  if (write.kind === 'insert') return stored === undefined ? null : 'exists'
  if (stored === undefined) return 'revision'
  if (stored.isErased) return 'erased'
  return stored.revision === written.revision - 1 ? null : 'revision'
}

function effectConflict({ effect }: Change, found: Found): Conflict['on'] | null {
  if (effect === null) return null
  const { ended, expect } = effect
  const open = found.openAttempt
  if (ended !== null && (open === null || open.number !== ended.number || open.token !== ended.token)) return 'fenced'
  if (found.effectVersion !== (expect === 'absent' ? null : expect)) return 'effect'
  return found.isFormerKeyTaken ? 'effect' : null
}

function callConflict({ call }: Change, { effectVersion, leaseUntil, now }: Found): Conflict['on'] | null {
  if (call?.kind === 'release') return effectVersion === call.version ? null : 'effect'
  return leaseUntil !== null && now < leaseUntil ? 'leased' : null
}
