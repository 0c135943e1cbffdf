// The outbox as a worker sees it: one duty for each tenant, whatever is delivered and to whom.
import type { Reference } from '../../effect/reference.ts'

/**
 * Delivers events. A worker calls it once a look for every tenant, never twice at a time for the same one; another worker may
 * do so at the same moment, so that who delivers what is decided by the outbox. Spec: store 4.
 */
export interface Outbox {
  /**
   * Delivers what is due for this tenant, within a bounded time, beginning nothing more once the signal says so, and answers when something is due next: null when nothing
   * is known to be, an instant that has passed when there is more to do at once. An error is logged, and the tenant's outbox
   * is tried again after a growing wait; what went wrong with one delivery is therefore better kept than thrown.
   */
  deliverDue(
    tenant: Reference,
    options?: { readonly signal?: AbortSignal },
  ): Promise<{ readonly nextAt: number | null }>
}
