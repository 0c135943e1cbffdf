// List: proposals that the caller may see, in pages by key.
import { isReference, type Reference } from '../effect/reference.ts'
import { limits } from '../effect/limits.ts'
import { LimitExceeded, MalformedReference } from '../proposal/errors.ts'
import type { Principal } from '../proposal/principal.ts'
import type { CallerSession } from '../proposal/session.ts'
import type { Attention, Proposal } from '../proposal/proposal.ts'
import { STATUSES, type Status } from '../proposal/status.ts'
import { callerOf, may } from './authority.ts'
import type { Core } from './core.ts'
import { type CursorOf, openCursor, sealCursor } from './cursor.ts'
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
  /** `kind:id`: what this principal decided on, also where that was taken back. */
  readonly decidedBy?: string
  /** Default `newest`. `oldest`: as they were prepared; `expiry`: open proposals alone, nearest to their end first. */
  readonly order?: 'newest' | 'oldest' | 'expiry'
  /** What is due now: expired and open, or to be verified. */
  readonly due?: true
  /** `next` of the page before, with the same filters. */
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

/** A page. `next` goes into `after` for the page behind it; null at the end. Opaque, and good for this caller only. */
export interface ListPage {
  readonly items: readonly ListItem[]
  readonly next: string | null
}

const LIMIT_DEFAULT = 50
const ORDERS: readonly string[] = ['newest', 'oldest', 'expiry'] satisfies ListInput['order'][]

/**
 * A page of proposals. Those that the caller may not list and read are left out, so a page can be shorter than its limit
 * and still have a next one.
 * @throws MalformedReference, LimitExceeded
 */
export async function list(core: Core, session: CallerSession, input: ListInput = {}): Promise<ListPage> {
  const limit = input.limit ?? LIMIT_DEFAULT
  if (!Number.isInteger(limit) || limit < 1) throw new MalformedReference('/limit')
  if (limit > limits.pageItems) throw new LimitExceeded('pageItems')
  const filters = filtersOf(core, session, input)
  // A cursor of one list is none of another.
  const queryText = JSON.stringify({ ...filters, due: input.due })
  const cursor = { referenceKey: core.referenceKey, session, queryText }
  const after = input.after === undefined ? {} : { after: placeOf(cursor, input.after) }
  const due = input.due ? { dueAt: core.clock.now() } : {}
  const found = await core.store.list({ tenant: session.tenant, ...filters, ...due, ...after, limit })
  const visible = await Promise.all(found.map((proposal) => isVisible(core, session, proposal)))
  const last = found.at(-1)
  return {
    items: found.filter((_, index) => visible[index] === true).map(itemOf),
    next: found.length === limit && last !== undefined ? sealCursor(cursor, last.ref) : null,
  }
}

type Filters = Omit<ListQuery, 'tenant' | 'dueAt' | 'after' | 'limit'>

function filtersOf(core: Core, session: CallerSession, input: ListInput): Filters {
  const { statuses, action, requester, effect, subject, needsPerson, decidedBy, order = 'newest' } = input
  if (!ORDERS.includes(order)) throw new MalformedReference('/order')
  const actionName = action === undefined ? undefined : textAt(action, '/action')
  return {
    ...(statuses === undefined ? {} : { statuses: statusesOf(statuses) }),
    ...(actionName === undefined ? {} : { actionName }),
    ...(requester === undefined ? {} : { requester: textAt(requester, '/requester') }),
    ...(effect === undefined ? {} : { effect: effectKey(core, session, actionName, effect) }),
    ...(subject === undefined ? {} : { subject: referenceAt(subject, '/subject') }),
    ...(needsPerson ? { needsPerson } : {}),
    ...(decidedBy === undefined ? {} : { decidedBy: textAt(decidedBy, '/decidedBy') }),
    ...(order === 'newest' ? {} : { order }),
  }
}

function statusesOf(input: unknown): readonly Status[] {
  if (!Array.isArray(input)) throw new MalformedReference('/statuses')
  const given: readonly unknown[] = input
  const known = given.flatMap((one) => STATUSES.filter((status) => status === one))
  if (known.length < given.length) throw new MalformedReference('/statuses')
  return known
}

function effectKey(
  core: Core,
  { tenant }: CallerSession,
  actionName: string | undefined,
  effect: string,
): NonNullable<ListQuery['effect']> {
  const registered = core.registry.all().find(({ definition }) => definition.name === actionName)
  if (registered === undefined) throw new MalformedReference('/action')
  return { tenant, domain: registered.definition.domain, reference: referenceAt(effect, '/effect') }
}

function textAt(text: unknown, path: string): string {
  if (typeof text !== 'string') throw new MalformedReference(path)
  return text
}

function referenceAt(text: unknown, path: string): Reference {
  if (!isReference(text)) throw new MalformedReference(path)
  return text
}

function placeOf(cursor: CursorOf, after: unknown): Reference {
  const place = openCursor(cursor, after)
  if (!isReference(place)) throw new MalformedReference('/after')
  return place
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
