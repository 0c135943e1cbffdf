// Due work: what a store is asked for that waits for nobody but time, kind by kind.
import type { Reference } from '../effect/reference.ts'

/** Where a piece of due work stands in the order of its kind: when it fell due, or falls due, and whose it is. */
export interface DueItem {
  readonly at: number
  readonly ref: Reference
}

/**
 * What waits for nobody but time, kind by kind; `until` is the instant up to which something counts as due. Spec: store 4.
 *
 * - `expiry`: open proposals that have expired.
 * - `execution`: approved proposals of one action that have not expired by `until`, those that expire first coming first.
 * - `verification`: owners of effects whose verification is due.
 * - `lease`: owners of attempts whose lease is over.
 * - `unscheduled`: proposals in doubt at whose effect nothing is open and nothing due: whoever was to move them died before.
 * - `settled`, `closed`: proposals of one action that were settled, or closed without an effect, by `until`, and of which no
 *   erasure was asked for.
 */
export type DueQuery = {
  readonly tenant: Reference
  readonly until: number
  /** Keyset: only what comes after this one in the order. */
  readonly after: DueItem | null
  readonly limit: number
} & (
  | { readonly kind: 'expiry' | 'verification' | 'lease' | 'unscheduled' }
  | { readonly kind: 'execution' | 'settled' | 'closed'; readonly action: string }
)
