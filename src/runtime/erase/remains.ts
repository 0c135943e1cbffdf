// Remains: what is still told of a proposal that is erased, or whose erasure is under way.
import { type Kept, keptOf } from '../../proposal/tombstone.ts'
import type { Core } from '../core.ts'
import type { ErasedProposal, LiveProposal } from '../ports.ts'

/** What a tombstone tells, or will tell. */
export type Remains = Kept & { readonly revision: number }

/** The remains; null of a proposal that is neither erased nor hidden. */
export async function remainsOf(core: Core, stored: LiveProposal | ErasedProposal): Promise<Remains | null> {
  if (stored.kind === 'erased') return stored.tombstone
  const { proposal, approvals } = stored
  if (proposal.erasure !== 'pending') return null
  return { ...keptOf(proposal, approvals, await core.store.effect(proposal.effect)), revision: proposal.revision }
}
