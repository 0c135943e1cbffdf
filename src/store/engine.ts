// What runs operations on a database: the seam between the one implementation and the engines.
import type { Operation } from './operation.ts'

/**
 * An engine runs an operation in one transaction. It may run it more than once (a commit without an answer, a
 * serialization failure, a shared commit that failed), so an operation begins anew each time and does nothing but
 * statements. Spec: store 3.
 */
export interface Engine {
  /** @throws StoreUnavailable */
  read<Result>(operation: () => Operation<Result>): Promise<Result>
  /** @throws StoreUnavailable when nothing was stored, PersistenceOutcomeUnknown when something may have been */
  write<Result>(write: Write<Result>): Promise<Result>
  /** Removes what deleting leaves behind in files; `busy` when another reader prevented it. */
  scrub(): Promise<'done' | 'busy'>
  close(): Promise<void>
}

/** An operation that writes. */
export interface Write<Result> {
  operation(): Operation<Result>
  /** Whether the result says that it has written; one that does not has written nothing. */
  isKept(result: Result): boolean
  /** Null keeps it in a commit of its own. */
  readonly shares: Shares | null
}

/** With whom a write may share a commit: with those of its tenant, but none that names one of the rows that it rests on. */
export interface Shares {
  readonly tenant: string
  /** By names of the writer's own. */
  readonly rows: readonly string[]
}

/** A write that is always kept, in a commit of its own. */
export function alone<Result>(operation: () => Operation<Result>): Write<Result> {
  return { operation, isKept: () => true, shares: null }
}
