// What runs operations on a database: the seam between the one implementation and the engines.
import type { Operation } from './operation.ts'

/**
 * An engine runs an operation in one transaction. It may run it more than once (a commit without an answer, a
 * serialization failure), so an operation begins anew each time and does nothing but statements. Spec: store 3.
 */
export interface Engine {
  /** @throws StoreUnavailable */
  read<Result>(operation: () => Operation<Result>): Promise<Result>
  /**
   * Commits if `isKept` says so of the result, else rolls back.
   * @throws StoreUnavailable when nothing was stored, PersistenceOutcomeUnknown when something may have been
   */
  write<Result>(operation: () => Operation<Result>, isKept: (result: Result) => boolean): Promise<Result>
  /** Removes what deleting leaves behind in files; `busy` when another reader prevented it. */
  scrub(): Promise<'done' | 'busy'>
  close(): Promise<void>
}
