// List: proposals that the caller may see, newest first, in pages by key.
import { isReference, type Reference } from '../effect/reference.ts'
import { limits } from '../effect/limits.ts'
import { LimitExceeded, MalformedReference } from '../proposal/errors.ts'
import type { Principal } from '../proposal/principal.ts'
import type { CallerSession } from '../proposal/session.ts'
import type { Attention, Proposal } from '../proposal/proposal.ts'
import { STATUSES, type Status } from '../proposal/status.ts'
import { callerOf, may } from './authority.ts'
import type { Core } from './core.ts'
import type { ListQuery } from './ports.ts'

/** What to list; every filter narrows. Spec: lifecycle 8. */
export interface ListInput {
  readonly statuses?: readonly Status[]
  /** `namespace/name`, over all versions. */
  readonly action?: string
  /** `kind:id`. */
  readonly requester?: string
  /** An effect reference; it needs `action`, in whose domain it is looked for. */
  readonly effect?: string
  readonly subject?: string
  readonly needsPerson?: true
  /** What is due now: expired and open, or to be verified. */
  readonly due?: true
  /** The last proposal of the page before. */
  readonly after?: string
  /** 1 to 200; default 50. */
  readonly limit?: number
}

/** One line of a list: references, codes and times, nothing sealed. */
export interface ListItem {
  readonly proposal: Reference
  readonly action: string
  readonly status: Status
  readonly revision: number
  readonly requester: Principal
  readonly agent: Principal | null
  readonly subject: Reference | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly attention: readonly Attention[]
}

/** A page. `next` goes into `after` for the page behind it; null at the end. */
export interface ListPage {
  readonly items: readonly ListItem[]
  readonly next: Reference | null
}

const LIMIT_DEFAULT = 50

/**
 * A page of proposals. Those that the caller may not list and read are left out, so a page can be shorter than its limit
 * and still have a next one.
 * @throws MalformedReference, LimitExceeded
 */
export async function list(core: Core, session: CallerSession, input: ListInput = {}): Promise<ListPage> {
  const limit = input.limit ?? LIMIT_DEFAULT
  if (!Number.isInteger(limit) || limit < 1) throw new MalformedReference('/limit')
  if (limit > limits.pageItems) throw new LimitExceeded('pageItems')
  const found = await core.store.list(queryOf(core, session, input, limit))
  const visible = await Promise.all(found.map((proposal) => isVisible(core, session, proposal)))
  const last = found.at(-1)
  return {
    items: found.filter((_, index) => visible[index] === true).map(itemOf),
    next: found.length === limit && last !== undefined ? last.ref : null,
  }
}

function queryOf(core: Core, session: CallerSession, input: ListInput, limit: number): ListQuery {
  const { statuses, action, requester, effect, subject, needsPerson, due, after } = input
  for (const status of statuses ?? []) if (!STATUSES.includes(status)) throw new MalformedReference('/statuses')
  const domain = action === undefined ? undefined : domainOf(core, action)
  return {
    tenant: session.tenant,
    limit,
    ...(statuses === undefined ? {} : { statuses }),
    ...(action === undefined ? {} : { actionName: action }),
    ...(requester === undefined ? {} : { requester }),
    ...(effect === undefined ? {} : { effect: effectKey(session, domain, effect) }),
    ...(subject === undefined ? {} : { subject: referenceAt(subject, '/subject') }),
    ...(needsPerson === undefined ? {} : { needsPerson }),
    ...(due === undefined ? {} : { dueAt: core.clock.now() }),
    ...(after === undefined ? {} : { after: referenceAt(after, '/after') }),
  }
}

function domainOf(core: Core, action: string): string | undefined {
  return core.registry.all().find(({ definition }) => definition.name === action)?.definition.domain
}

function effectKey(
  session: CallerSession,
  domain: string | undefined,
  effect: string,
): NonNullable<ListQuery['effect']> {
  if (domain === undefined) throw new MalformedReference('/action')
  return { tenant: session.tenant, domain, reference: referenceAt(effect, '/effect') }
}

function referenceAt(text: string, path: string): Reference {
  if (!isReference(text)) throw new MalformedReference(path)
  return text
}

async function isVisible(core: Core, session: CallerSession, proposal: Proposal): Promise<boolean> {
  const registered = core.registry.permitting(proposal.action)
  if (registered === null) return false
  const caller = callerOf(session)
  const { definition } = registered
  return (
    (await may(core, definition, 'list', caller, { proposal })) &&
    (await may(core, definition, 'read', caller, { proposal }))
  )
}

function itemOf(proposal: Proposal): ListItem {
  const { ref, action, status, revision, requester, agent, subject, createdAt, expiresAt, attention } = proposal
  return { proposal: ref, action, status, revision, requester, agent, subject, createdAt, expiresAt, attention }
}
