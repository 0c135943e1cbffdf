// The work of a runtime: which tenants there are, and what is due for each, as references alone.
import type { Reference } from '../../effect/reference.ts'
import type { Core } from '../core.ts'
import type { DueItem } from '../ports.ts'

/** What is due by time alone and done by an operation of the runtime; executions are looked for action by action. */
export type WorkKind =
  | { readonly kind: 'expiry' | 'verification' | 'lease' | 'unscheduled' }
  | { readonly kind: 'execution'; readonly action: string }

/** What a worker is told by its runtime. What it then does, it does as a caller with rights of its own. Spec: store 4. */
export interface Work {
  /** The types of the actions that are executed when they are approved. */
  readonly automatic: readonly string[]
  /** Every tenant that has a proposal. */
  tenants(): Promise<readonly Reference[]>
  /** A page of what is due now, in the order in which it fell due, from the one after `after`. */
  due(tenant: Reference, kind: WorkKind, after: DueItem | null, limit: number): Promise<readonly DueItem[]>
}

/** The work over the parts of a runtime. */
export function workOf(core: Core): Work {
  const automatic = core.registry.all().filter(({ definition }) => definition.execution === 'when_approved')
  return {
    automatic: automatic.map(({ definition }) => definition.type),
    tenants: async () => core.store.tenants(),
    due: async (tenant, kind, after, limit) => {
      return core.store.due({ tenant, ...kind, until: core.clock.now(), after, limit })
    },
  }
}
