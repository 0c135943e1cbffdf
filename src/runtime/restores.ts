// Restores as a store tells of them, and the port of the witness that finds them out.
import type { ReasonCode, Reference } from '../effect/reference.ts'
import type { RestoreFinding, Witnessed } from '../effect/witness.ts'

/** A step of the gate of restores: why nothing is admitted, and by whom and when that was acknowledged. Spec: rules R15. */
export interface Restore {
  /** From 1, without gaps within a store. */
  readonly number: number
  readonly finding: RestoreFinding
  /** On the store's clock, as is the acknowledgement. */
  readonly foundAt: number
  /** How many admissions the store knew of when this was found. */
  readonly admissions: number
  /** How many the witness knew of; null where it knew nothing. */
  readonly witnessed: number | null
  readonly acknowledged: RestoreAcknowledgement | null
}

/** Who opened the gate again: a name that the deployment gives, and a code. */
export interface RestoreAcknowledgement {
  readonly at: number
  readonly by: Reference
  readonly reason: ReasonCode
}

/** Whether a store admits anything. */
export interface RestoreState {
  /** What must be acknowledged before anything is admitted; null if nothing is. */
  readonly open: Restore | null
  /** The acknowledged one that comes last. What was prepared before it may have been called without being on record. */
  readonly last: Restore | null
}

/** A proposal that the witness knows to have been erased. */
export interface ErasedRef {
  readonly tenant: Reference
  readonly proposal: Reference
}

/**
 * What is remembered of a store outside it, where no restore of the store takes it back. Anything that keeps it durably will
 * do; `witnessFile` keeps it in a file. Whoever uses the store through it calls nothing that it does not know of: `record`
 * is awaited between the commit of an admission and its call. Spec: rules R15 and R19.
 */
export interface Witness {
  /** Null until something was recorded. @throws an Error if it cannot be read */
  read(): Promise<Witnessed | null>
  /** Keeps `furthest` of this and of what it knows. Durable when it resolves. */
  record(known: Witnessed): Promise<void>
  /** Adds to the ledger of erasures; what is in it already is not added again. Durable when it resolves. */
  recordErasures(erased: readonly ErasedRef[]): Promise<void>
  /** The ledger, a page at a time, from the entry after `after`; positions grow. */
  erasures(after: number, limit: number): Promise<readonly (ErasedRef & { readonly position: number })[]>
  close(): Promise<void>
}
