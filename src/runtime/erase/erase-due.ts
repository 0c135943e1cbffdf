// Due erasures: deferred ones whose effect is settled now, interrupted ones, files to be cleaned, and what was kept long enough.
import { limits } from '../../effect/limits.ts'
import type { ReasonCode, Reference } from '../../effect/reference.ts'
import {
  AuthorizationUnavailable,
  ErasureHeld,
  LimitExceeded,
  MalformedReference,
  NotPermitted,
  StoredDataCorrupt,
} from '../../proposal/errors.ts'
import { reason } from '../../proposal/lifecycle/verdict.ts'
import { principalName } from '../../proposal/principal.ts'
import type { CallerSession } from '../../proposal/session.ts'
import type { Core } from '../core.ts'
import { keptLongEnough } from './retention.ts'
import { removeContent } from './entomb.ts'
import { deferred, erased, type ErasureResult, mayErase, refuseHeld } from './erase.ts'
import type { LiveProposal } from '../ports.ts'

/**
 * Carries out the erasures of the caller's tenant that are open, then those of what its contract does not keep any longer,
 * for whose actions the caller may erase. One that cannot be carried out is answered with its reason and does not keep the
 * others waiting. Spec: rules R19, store 4, lifecycle 3.
 * @throws NotPermitted, MalformedReference, LimitExceeded
 */
export async function eraseDue(
  core: Core,
  session: CallerSession,
  input: { readonly limit?: number } = {},
): Promise<readonly ErasureResult[]> {
  const limit = input.limit ?? limits.pageItems
  if (!Number.isInteger(limit) || limit < 1) throw new MalformedReference('/limit')
  if (limit > limits.pageItems) throw new LimitExceeded('pageItems')
  if (session.principal.kind === 'agent') throw new NotPermitted('erase')
  const carriedOut = await carryOut(core, session, limit)
  // The files are cleaned once for all of them: it costs the same.
  const isAnyGone = carriedOut.some(({ outcome }) => outcome === 'erased')
  if (!isAnyGone || (await core.store.scrub()) === 'done') return carriedOut
  return carriedOut.map((result) => (result.outcome === 'erased' ? deferred(result.proposal, 'files_in_use') : result))
}

// `erased` is said of content that is gone, which is not yet all.
async function carryOut(core: Core, session: CallerSession, limit: number): Promise<readonly ErasureResult[]> {
  const results: ErasureResult[] = []
  let gone = 0
  for await (const { ref, why } of dueErasures(core, session.tenant)) {
    const result = await carryOutOne(core, session, ref, why)
    if (result === null) continue
    results.push(result)
    if (result.outcome === 'erased') gone += 1
    if (gone === limit) break
  }
  return results
}

/** Whose erasure is due, and why, where nobody has asked for it. */
interface DueErasure {
  readonly ref: Reference
  readonly why: ReasonCode
}

async function* dueErasures(core: Core, tenant: Reference): AsyncGenerator<DueErasure> {
  for await (const ref of openErasures(core, tenant)) yield { ref, why: reason('erasure_resumed') }
  for await (const ref of keptLongEnough(core, tenant)) yield { ref, why: reason('retention_over') }
}

async function* openErasures(core: Core, tenant: Reference): AsyncGenerator<Reference> {
  for (let after: Reference | null = null; ; ) {
    const page: readonly Reference[] = await core.store.erasuresOpen(tenant, after, limits.pageItems)
    yield* page
    after = page.at(-1) ?? null
    if (page.length < limits.pageItems) return
  }
}

async function carryOutOne(
  core: Core,
  session: CallerSession,
  ref: Reference,
  why: ReasonCode,
): Promise<ErasureResult | null> {
  try {
    const stored = await core.store.proposal(session.tenant, ref)
    if (stored === null) return null
    const action = stored.kind === 'live' ? stored.proposal.action : stored.tombstone.action
    const registered = core.registry.permitting(action)
    if (registered === null || !(await mayErase(core, session, { stored, registered }))) return null
    if (stored.kind === 'erased') return erased(ref)
    await refuseHeld(core, registered.definition, stored)
    const actor = { participant: null, trigger: principalName(session.principal) }
    const removal = { reason: (await reasonGiven(core, stored)) ?? why, actor }
    return (await removeContent(core, session.tenant, ref, removal)) ? erased(ref) : deferred(ref, 'effect_unsettled')
  } catch (error) {
    if (error instanceof ErasureHeld) return deferred(ref, 'held')
    if (!(error instanceof AuthorizationUnavailable || error instanceof StoredDataCorrupt)) throw error
    core.logger.error({ proposal: ref, code: error.code }, 'an erasure could not be carried out')
    return deferred(ref, 'unavailable')
  }
}

// Why the erasure was asked for stands in the receipt of its mark.
async function reasonGiven(core: Core, { proposal }: LiveProposal): Promise<ReasonCode | null> {
  if (proposal.erasure === 'none') return null
  const chain = await core.store.receipts(proposal.tenant, proposal.ref)
  const mark = chain.findLast(({ body }) => body?.type === 'proposal.erased')
  return mark?.body?.reason ?? null
}
