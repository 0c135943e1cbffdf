// Erase: content, keys and principals go, the tombstone and the claim stay; deferred while what happened is still open.
import { isReference, parseReasonCode, type ReasonCode, type Reference } from '../../effect/reference.ts'
import type { Definition } from '../../proposal/definition/definition.ts'
import {
  AuthorizationUnavailable,
  ErasureHeld,
  MalformedReference,
  NotFound,
  NotPermitted,
  RevisionMismatch,
} from '../../proposal/errors.ts'
import { principalName } from '../../proposal/principal.ts'
import type { CallerSession } from '../../proposal/session.ts'
import { type About, callerOf, may } from '../authority.ts'
import type { Core } from '../core.ts'
import { removeContent } from './entomb.ts'
import { callHost } from '../host-call.ts'
import { hostTrouble, troubleUnlessReturned } from '../host-trouble.ts'
import { isReadable, type Loaded } from '../load.ts'
import type { ErasedProposal, LiveProposal } from '../ports.ts'

/** Why the content goes. */
export interface EraseInput {
  /** A code, `[a-z0-9_.-]{1,64}`; it outlives the content. */
  readonly reason: string
  readonly ifRevision?: number
}

/** What became of an erasure. */
export interface ErasureResult {
  readonly outcome: 'erased' | 'erasure_deferred'
  /**
   * Why it is deferred: the effect is not settled; the content is held, or nobody could be asked whether it is; the row
   * cannot be read; or the content is gone and somebody else's reading kept the files from being cleaned.
   */
  readonly reason: 'effect_unsettled' | 'held' | 'unavailable' | 'files_in_use' | null
  readonly proposal: Reference
  /** Copies made before this hold what they held: with keys beside the data, an earlier copy opens (rules R19). */
  readonly backups: 'not_covered'
}

/**
 * Erases a proposal, or marks that it is to be erased once its effect is settled. The right to erase is all it takes: who
 * erases need not be allowed to read. Spec: policy-and-protection 5.
 * @throws NotFound, NotPermitted, RevisionMismatch, ErasureHeld, AuthorizationUnavailable
 */
export async function erase(
  core: Core,
  session: CallerSession,
  ref: string,
  input: EraseInput,
): Promise<ErasureResult> {
  const { ifRevision } = input
  const reason = codeOf(input.reason)
  const { stored, registered } = await loadErasable(core, session, ref)
  const { revision } = stored.kind === 'live' ? stored.proposal : stored.tombstone
  if (ifRevision !== undefined && ifRevision !== revision) throw new RevisionMismatch(revision)
  if (stored.kind === 'erased') return cleaned(core, stored.tombstone.ref)
  await refuseHeld(core, registered.definition, stored)
  const caller = principalName(session.principal)
  const removal = { reason, actor: { participant: caller, trigger: caller } }
  const { ref: proposal } = stored.proposal
  const isGone = await removeContent(core, session.tenant, proposal, removal)
  return isGone ? cleaned(core, proposal) : deferred(proposal, 'effect_unsettled')
}

/** Whether the caller may erase this; an agent never may. */
export async function mayErase(
  core: Core,
  session: CallerSession,
  { stored, registered }: Loaded<LiveProposal | ErasedProposal>,
): Promise<boolean> {
  if (session.principal.kind === 'agent') return false
  return may(core, registered.definition, 'erase', callerOf(session), aboutOf(stored))
}

/** @throws ErasureHeld, AuthorizationUnavailable */
export async function refuseHeld(
  core: Core,
  { action, hostTimeoutMs }: Definition,
  { proposal }: LiveProposal,
): Promise<void> {
  if (action.isHeld === undefined) return
  const { tenant, ref, requester, agent } = proposal
  const context = { tenant, proposal: ref, requester, agent }
  const call = await callHost(core.clock, hostTimeoutMs, (signal) => action.isHeld?.({ context, signal }))
  const asked = { method: 'isHeld', proposal: ref }
  troubleUnlessReturned(core, asked, call)
  if (call.kind === 'threw') throw new AuthorizationUnavailable({ cause: call.error })
  if (call.kind === 'timed_out') throw new AuthorizationUnavailable()
  const answer: unknown = call.value
  if (typeof answer !== 'boolean') hostTrouble(core, asked, { kind: 'malformed' })
  // Only an exact "no" lets content go.
  if (answer !== false) throw new ErasureHeld()
}

export function erased(proposal: Reference): ErasureResult {
  return { outcome: 'erased', reason: null, proposal, backups: 'not_covered' }
}

export function deferred(proposal: Reference, reason: NonNullable<ErasureResult['reason']>): ErasureResult {
  return { outcome: 'erasure_deferred', reason, proposal, backups: 'not_covered' }
}

// Only when what deleting left in the files is gone, too, is it erased.
async function cleaned(core: Core, proposal: Reference): Promise<ErasureResult> {
  return (await core.store.scrub()) === 'done' ? erased(proposal) : deferred(proposal, 'files_in_use')
}

// One whose erasure was interrupted is hidden from readers and still taken here, so that it can be gone on with.
async function loadErasable(
  core: Core,
  session: CallerSession,
  ref: string,
): Promise<Loaded<LiveProposal | ErasedProposal>> {
  const stored = isReference(ref) ? await core.store.proposal(session.tenant, ref) : null
  if (stored === null) throw new NotFound()
  const action = stored.kind === 'live' ? stored.proposal.action : stored.tombstone.action
  const registered = core.registry.permitting(action)
  if (registered === null) throw new NotFound()
  if (await mayErase(core, session, { stored, registered })) return { stored, registered }
  throw (await isReadable(core, session, ref)) ? new NotPermitted('erase') : new NotFound()
}

function aboutOf(stored: LiveProposal | ErasedProposal): About {
  return stored.kind === 'live' ? { proposal: stored.proposal } : {}
}

function codeOf(text: string): ReasonCode {
  try {
    return parseReasonCode(text, '/reason')
  } catch {
    throw new MalformedReference('/reason')
  }
}
