// The witness: what is remembered of a store outside it, and what it says of a store that was put back.

/** What a witness knows of a store. */
export interface Witnessed {
  readonly storeId: string
  /** On a server: which one, on which timeline, and which table; null for a file. */
  readonly place: string | null
  /** How many restores were acknowledged. What was known before one says nothing about the store after it. */
  readonly restores: number
  readonly admissions: number
  readonly erasures: number
}

/**
 * - `behind`: the store knows of fewer admissions, erasures or acknowledged restores than its witness: an older copy of it
 *   was put back.
 * - `changed`: it is another store, or a server took over that may lack what another one acknowledged.
 * - `missing`: the store has admissions or erasures, and its witness knows nothing: whether it is whole cannot be said.
 * - `moved`: the store was copied to another database, where it goes on.
 */
export type RestoreFinding = 'behind' | 'changed' | 'missing' | 'moved'

/** What the witness has to say against the store; null if nothing. Spec: rules R15. */
export function restoreFinding(store: Witnessed, witness: Witnessed | null): RestoreFinding | null {
  if (witness === null) return store.admissions > 0 || store.erasures > 0 ? 'missing' : null
  if (witness.storeId !== store.storeId) return 'changed'
  // Known before a restore that was acknowledged, maybe on another machine.
  if (witness.restores < store.restores) return null
  if (witness.restores > store.restores) return 'behind'
  // Who took over may be behind as well; that is told by its name.
  if (store.admissions < witness.admissions || store.erasures < witness.erasures) return 'behind'
  return witness.place === store.place ? null : 'changed'
}

/** What is known when both are: of one store the higher counts, since what was called is never forgotten. */
export function furthest(one: Witnessed, other: Witnessed | null): Witnessed {
  if (other === null || one.storeId !== other.storeId || one.restores > other.restores) return one
  if (other.restores > one.restores) return other
  return {
    ...one,
    admissions: Math.max(one.admissions, other.admissions),
    erasures: Math.max(one.erasures, other.erasures),
  }
}
