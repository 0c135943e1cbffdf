// Loading: a stored proposal that the caller may read, or the one answer that tells nothing.
import { isReference } from '../effect/reference.ts'
import { AuthorizationUnavailable, NotFound, RevisionMismatch, StoredDataCorrupt } from '../proposal/errors.ts'
import type { CallerSession } from '../proposal/session.ts'
import { callerOf, may } from './authority.ts'
import type { Core } from './core.ts'
import type { ErasedProposal, LiveProposal } from './ports.ts'
import type { Registered } from './registry.ts'

/** A proposal, and the definition whose permissions speak for it. */
export interface Loaded<P extends LiveProposal | ErasedProposal = LiveProposal> {
  readonly stored: P
  readonly registered: Registered
}

/**
 * The proposal, if it exists in the caller's tenant and the caller may read it, erased or not. One whose erasure is under
 * way is hidden from its mark on (invariant I25).
 * @throws NotFound for everything else, malformed references included (design D12).
 */
export async function loadAny(
  core: Core,
  session: CallerSession,
  ref: string,
): Promise<Loaded<LiveProposal | ErasedProposal>> {
  if (!isReference(ref)) throw new NotFound()
  const stored = await core.store.proposal(session.tenant, ref)
  if (stored === null || (stored.kind === 'live' && stored.proposal.erasure === 'pending')) throw new NotFound()
  const action = stored.kind === 'live' ? stored.proposal.action : stored.tombstone.action
  const registered = core.registry.permitting(action)
  if (registered === null) throw new NotFound()
  const about = stored.kind === 'live' ? { proposal: stored.proposal } : {}
  if (!(await may(core, registered.definition, 'read', callerOf(session), about))) throw new NotFound()
  return { stored, registered }
}

/** Likewise, for operations that an erased proposal does not take. */
export async function load(core: Core, session: CallerSession, ref: string, ifRevision?: number): Promise<Loaded> {
  const { stored, registered } = await loadAny(core, session, ref)
  if (stored.kind === 'erased') throw new NotFound()
  const { revision } = stored.proposal
  if (ifRevision !== undefined && ifRevision !== revision) throw new RevisionMismatch(revision)
  return { stored, registered }
}

/** Whether the caller may read the proposal, erased or not: then it may be named in the answer about another one. */
export async function isReadable(core: Core, session: CallerSession, ref: string): Promise<boolean> {
  try {
    await loadAny(core, session, ref)
    return true
  } catch (error) {
    if (error instanceof NotFound || error instanceof AuthorizationUnavailable) return false
    throw error
  }
}

/** The live proposal if the caller may read it, else null: for naming one proposal in the answer about another. */
export async function loadIfReadable(core: Core, session: CallerSession, ref: string): Promise<LiveProposal | null> {
  try {
    return (await load(core, session, ref)).stored
  } catch (error) {
    // Who cannot be asked whether they may is not told, and what is answered about is done already; no more may a
    // damaged row stop what is said of another one.
    if (error instanceof NotFound || error instanceof AuthorizationUnavailable) return null
    if (error instanceof StoredDataCorrupt) return null
    throw error
  }
}
