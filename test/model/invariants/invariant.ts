// What an invariant is: one sentence of the specification, and what in a world breaks it.
import type { Effect } from '../../../src/effect/effect.ts'
import type { Receipt } from '../../../src/proposal/receipts/receipt.ts'
import type { ErasedProposal, LiveProposal } from '../../../src/runtime/ports.ts'
import type { Entry } from '../book.ts'
import type { World } from '../world.ts'

/** An invariant by its number in the specification. */
export interface Invariant {
  readonly id: string
  /** The sentence, as a failure tells it. */
  readonly says: string
  /** What breaks it; nothing where it holds. */
  readonly violations: (view: View) => Iterable<string>
}

/** A proposal as its store holds it. */
export interface Stored {
  readonly ref: string
  readonly read: LiveProposal | ErasedProposal
  readonly receipts: readonly Receipt[]
}

/** What the checks look at. */
export interface View {
  readonly world: World
  /** What was added to the book since the last check. */
  readonly fresh: readonly Entry[]
  /** What the fresh entries touched, as the store holds it now. */
  readonly proposals: readonly Stored[]
  readonly effects: readonly Effect[]
  /** Previews as they are shown to somebody who may see them, by proposal; null where there is none to be seen. */
  readonly shown: ReadonlyMap<string, string | null>
}
