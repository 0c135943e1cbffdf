// Events: the outbox of a tenant in its order, for somebody who may hear of the proposals in it.
import type { Reference } from '../effect/reference.ts'
import { limits } from '../effect/limits.ts'
import { LimitExceeded, MalformedReference, NotFound, StoredDataCorrupt } from '../proposal/errors.ts'
import type { EventType } from '../proposal/event.ts'
import type { CallerSession } from '../proposal/session.ts'
import type { Status } from '../proposal/status.ts'
import { callerOf, may } from './authority.ts'
import type { Core } from './core.ts'
import { openCursor, sealCursor } from './cursor.ts'
import { loadAny } from './load.ts'

/** From where on to read the outbox. */
export interface EventsInput {
  /** The `position` of an event, or the `next` of a page: what follows it is read. Without it, or with `0`, all of it. */
  readonly after?: string
  /** 1 to 200; default 50. */
  readonly limit?: number
}

/** A change of status as the world may hear of it. `proposal`, `revision` and `type` together name it once. */
export interface EventView {
  /** Opaque, and good for this caller only: how many events lie between two of them is nobody's business. */
  readonly position: string
  readonly type: EventType
  readonly proposal: Reference
  readonly status: Status
  readonly revision: number
  readonly at: number
}

/** A page of the outbox. `next` is where to go on, now or when there is more; null while there was nothing at all. */
export interface EventsPage {
  readonly items: readonly EventView[]
  readonly next: string | null
  /** Whether there may be more by now. */
  readonly more: boolean
}

const LIMIT_DEFAULT = 50
const BEGINNING = '0'
const PLACE_DIGITS = 16

/**
 * The events after a place, oldest first. Those about proposals that the caller may not read, or not have events of, are
 * left out, so a page can be shorter than its limit. Who cannot be asked whether they may is refused: an event that was
 * left out would never be seen again. Spec: http "GET /v1/events", rules R14.
 * @throws MalformedReference, LimitExceeded, AuthorizationUnavailable
 */
export async function events(core: Core, session: CallerSession, input: EventsInput = {}): Promise<EventsPage> {
  const limit = input.limit ?? LIMIT_DEFAULT
  if (!Number.isInteger(limit) || limit < 1) throw new MalformedReference('/limit')
  if (limit > limits.pageItems) throw new LimitExceeded('pageItems')
  const cursor = { referenceKey: core.referenceKey, session, queryText: 'events' }
  const after = input.after ?? BEGINNING
  const place = after === BEGINNING ? 0 : Number(openCursor(cursor, after) ?? Number.NaN)
  if (!Number.isSafeInteger(place)) throw new MalformedReference('/after')

  const found = await core.store.events(session.tenant, place, limit)
  const proposals = [...new Set(found.map(({ proposal }) => proposal))]
  const asked = await Promise.all(proposals.map((ref) => mayHear(core, session, ref)))
  const heard = new Set(proposals.filter((_, index) => asked[index] === true))
  const last = found.at(-1)?.position ?? place
  return {
    items: found
      .filter(({ proposal }) => heard.has(proposal))
      .map(({ position, type, proposal, status, revision, at }) => ({
        position: sealCursor(cursor, placeText(position)),
        type,
        proposal,
        status,
        revision,
        at,
      })),
    next: last === 0 ? null : sealCursor(cursor, placeText(last)),
    more: found.length === limit,
  }
}

// Of one length, since that of what is sealed shows.
function placeText(position: number): string {
  return String(position).padStart(PLACE_DIGITS, '0')
}

async function mayHear(core: Core, session: CallerSession, ref: Reference): Promise<boolean> {
  try {
    const { stored, registered } = await loadAny(core, session, ref)
    const about = stored.kind === 'live' ? { proposal: stored.proposal } : {}
    return await may(core, registered.definition, 'events', callerOf(session), about)
  } catch (error) {
    // A row that cannot be read must not stop the events of all others.
    if (error instanceof NotFound || error instanceof StoredDataCorrupt) return false
    throw error
  }
}
