// Expiry of what nobody touches: open proposals whose lifetime is over are closed, each with its receipt.
import { limits } from '../effect/limits.ts'
import { isReference, type Reference } from '../effect/reference.ts'
import { AuthorizationUnavailable, LimitExceeded, MalformedReference, StoredDataCorrupt } from '../proposal/errors.ts'
import { lifecycle } from '../proposal/lifecycle/lifecycle.ts'
import { principalName } from '../proposal/principal.ts'
import type { CallerSession } from '../proposal/session.ts'
import { callerOf, may } from './authority.ts'
import { settlingMs } from './clock-watch.ts'
import type { Core } from './core.ts'
import { commitMove } from './record.ts'

/** How many are closed at most, or which one alone. */
export interface ExpireDueInput {
  /** 1 to 200; default 200. */
  readonly limit?: number
  readonly proposal?: string
}

/** What was closed. */
export interface ExpiredDue {
  readonly expired: readonly Reference[]
}

/**
 * Closes expired proposals of the caller's tenant for whose actions it may reconcile. Somebody else's touch at the same
 * time closes them just as well. Nothing is closed by a clock that has just jumped. Spec: lifecycle 8, trace S6.
 */
export async function expireDue(core: Core, session: CallerSession, input: ExpireDueInput = {}): Promise<ExpiredDue> {
  const limit = input.limit ?? limits.pageItems
  if (!Number.isInteger(limit) || limit < 1) throw new MalformedReference('/limit')
  if (limit > limits.pageItems) throw new LimitExceeded('pageItems')
  const expired: Reference[] = []
  for (const ref of await dueRefs(core, session, limit, input.proposal)) {
    if (await expireOrSkip(core, session, ref)) expired.push(ref)
  }
  return { expired }
}

async function dueRefs(
  core: Core,
  { tenant }: CallerSession,
  limit: number,
  only: string | undefined,
): Promise<readonly Reference[]> {
  if (only !== undefined) return isReference(only) ? [only] : []
  const due = await core.store.due({ tenant, kind: 'expiry', until: core.clock.now(), after: null, limit })
  return due.map(({ ref }) => ref)
}

// One that cannot be read, or about which nobody can be asked, does not keep the others open (threat T54).
async function expireOrSkip(core: Core, session: CallerSession, ref: Reference): Promise<boolean> {
  try {
    return await expireOne(core, session, ref)
  } catch (error) {
    if (!(error instanceof StoredDataCorrupt || error instanceof AuthorizationUnavailable)) throw error
    core.logger.warn({ proposal: ref, code: error.code }, 'an expired proposal could not be closed')
    return false
  }
}

async function expireOne(core: Core, session: CallerSession, ref: Reference): Promise<boolean> {
  const stored = await core.store.proposal(session.tenant, ref)
  if (stored?.kind !== 'live') return false
  const { proposal } = stored
  const registered = core.registry.permitting(proposal.action)
  if (registered === null) return false
  if (!(await may(core, registered.definition, 'reconcile', callerOf(session), { proposal }))) return false
  // A clock that jumped would close, for ever, what may have years to live; it is left for when the clock is believed.
  if (core.clock.isUnsettled(settlingMs(registered.definition))) return false
  const move = lifecycle.expire(proposal, core.clock.now())
  if (move.kind !== 'move') return false
  const actor = { participant: null, trigger: principalName(session.principal) }
  return (await commitMove(core, { stored, move, actor })).kind === 'committed'
}
