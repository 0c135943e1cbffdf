// The duties of a worker: for each kind of work how it is found, and which operation of the runtime does it.
import { limits } from '../../effect/limits.ts'
import { parseReference, type Reference } from '../../effect/reference.ts'
import { isInDoubt, isOpen } from '../../proposal/status.ts'
import type { Session } from '../../proposal/session.ts'
import type { DueItem } from '../ports.ts'
import type { ProposalRuntime } from '../runtime.ts'
import type { Visit } from './holds.ts'
import type { Outbox } from './outbox.ts'
import type { WorkKind } from './work.ts'

/** One kind of work. */
export interface Duty {
  /** Stands in the log; no two of a worker have the same. */
  readonly name: string
  /** For so long a tenant is not looked at again for this, in milliseconds; 0 where every look includes it. */
  readonly everyMs: number
  /** A page of what is due, from the one after `after`. */
  find(tenant: Reference, after: DueItem | null, limit: number): Promise<readonly DueItem[]>
  /** Does it, as this caller. What it throws is logged, and counts as a visit of which nothing came. */
  visit(session: Session, ref: Reference): Promise<Visit>
}

/** What is not urgent, or hardly ever there, is looked for once a minute. */
const SELDOM_MS = 60_000

/** The duties of a worker over a runtime, in the order in which they take turns. Spec: store 4. */
export function dutiesOf(runtime: ProposalRuntime, outbox: Outbox | undefined, stopping: AbortSignal): readonly Duty[] {
  const { work } = runtime
  const found = (kind: WorkKind): Duty['find'] => {
    return async (tenant, after, limit) => work.due(tenant, kind, after, limit)
  }
  const reconcile: Duty['visit'] = async (session, ref) => {
    const { status, revision } = await runtime.reconcile(session, ref)
    return isInDoubt(status) || status === 'verification_unresolved' ? { kind: 'at', revision } : { kind: 'done' }
  }
  const executions = work.automatic.map((action): Duty => {
    return {
      name: `execution of ${action}`,
      everyMs: 0,
      find: found({ kind: 'execution', action }),
      // Blocked for whatever reason, or a change of it: it is tried again, ever more seldom (rules R18).
      visit: async (session, ref) => {
        const { status } = await runtime.execute(session, ref)
        return isOpen(status) ? { kind: 'waiting' } : { kind: 'done' }
      },
    }
  })
  const expiry: Duty = {
    name: 'expiry',
    everyMs: 0,
    find: found({ kind: 'expiry' }),
    visit: async (session, ref) => {
      const { expired } = await runtime.expireDue(session, { proposal: ref })
      return expired.length > 0 ? { kind: 'done' } : { kind: 'waiting' }
    },
  }
  const erasure: Duty = {
    name: 'erasure',
    everyMs: SELDOM_MS,
    find: theTenantItself,
    visit: async (session) => {
      const results = await runtime.eraseDue(session, { limit: limits.pageItems })
      const gone = results.filter(({ outcome }) => outcome === 'erased')
      return { kind: gone.length === limits.pageItems ? 'more' : 'done' }
    },
  }
  return [
    { name: 'verification', everyMs: 0, find: found({ kind: 'verification' }), visit: reconcile },
    { name: 'lease', everyMs: 0, find: found({ kind: 'lease' }), visit: reconcile },
    ...executions,
    expiry,
    ...(outbox === undefined ? [] : [delivery(runtime, outbox, stopping)]),
    { name: 'unscheduled', everyMs: SELDOM_MS, find: found({ kind: 'unscheduled' }), visit: reconcile },
    erasure,
  ]
}

function delivery(runtime: ProposalRuntime, outbox: Outbox, signal: AbortSignal): Duty {
  return {
    name: 'delivery',
    everyMs: 0,
    find: theTenantItself,
    visit: async ({ tenant }) => {
      const { nextAt } = await outbox.deliverDue(parseReference(tenant, ''), { signal })
      return nextAt !== null && nextAt <= runtime.clock.now() ? { kind: 'more' } : { kind: 'done' }
    },
  }
}

// Done for the tenant as a whole: there is one of it.
async function theTenantItself(tenant: Reference, after: DueItem | null): Promise<readonly DueItem[]> {
  return after === null ? [{ at: 0, ref: tenant }] : []
}
