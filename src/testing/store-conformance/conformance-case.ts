// What a conformance case is: a sentence about stores, and the steps that fail where it does not hold.
import type { Store } from '../../runtime/ports.ts'

/** What a store may be able to do beside the port. */
export type Ability = 'second' | 'reopen' | 'attack' | 'tamper'

/** A freshly opened, empty store with what can be done around it. Abilities that are missing throw. */
export interface Subject {
  readonly store: Store
  /** Another connection to the same data. */
  readonly second: () => Promise<Store>
  /** Closes the store and opens the same data again. */
  readonly reopen: () => Promise<Store>
  /** Runs SQL past the store, with every guard of the database in force; throws what the database throws. */
  readonly attack: (sql: string) => void | Promise<void>
  /** Runs SQL past the store and past the guards, as a damaged disk or a careless repair would. */
  readonly tamper: (sql: string) => void | Promise<void>
}

/** One case. It is registered only where the store has what it needs. */
export interface ConformanceCase {
  /** What is wrong with a store that fails it; that of its guarantee where it has none of its own. */
  readonly code?: string
  readonly title: string
  readonly needs?: readonly Ability[]
  readonly run: (subject: Subject) => Promise<void>
}
