// What an invariant is: one sentence of the specification, and what in a world breaks it.
import type { Effect } from '../../../src/effect/effect.ts'
import type { Receipt } from '../../../src/proposal/receipts/receipt.ts'
import type { Reference } from '../../../src/effect/reference.ts'
import type { Snapshot } from '../../../src/proposal/action.ts'
import type { Session } from '../../../src/proposal/session.ts'
import type { ErasedProposal, LiveProposal, Store, StoredEvent } from '../../../src/runtime/ports.ts'
import type { ProposalRuntime } from '../../../src/runtime/runtime.ts'
import type { Book, Entry } from '../book.ts'
import type { Person } from '../cast.ts'
import type { Payment, Profile } from '../payment.ts'
import type { Tampering } from '../tampering.ts'
import type { Target } from '../target.ts'

/** What the checks know of whatever they check: the world of a model run, or one tenant of a simulation. */
export interface Witness {
  readonly tenant: Reference
  readonly profile: Profile
  readonly book: Book
  /** By action. */
  readonly targets: ReadonlyMap<string, Target>
  /** By proposal: what an attacker did to it, and when in the order of the book. */
  readonly tampered: ReadonlyMap<string, { readonly tampering: Tampering; readonly since: number }>
  /** Effects whose row an attacker made unreadable. */
  readonly corrupt: ReadonlySet<string>
  /** What was thrown that is no refusal: a fault of the library. */
  readonly broken: Error | null
  /** Whether something has failed so that what was learned may not have been recorded. */
  readonly hadTrouble: boolean
  /** Whether something is still under way. */
  readonly isBusy: boolean
  readonly ground: { store(): Store }
  /** For reading as somebody reads. */
  readonly runtime: Pick<ProposalRuntime, 'read'>
  session(person: Person): Session
  /** Whether this instance of the runtime is still there to record what it learns. */
  isAtWork(instance: number): boolean
  /** What was prepared for a proposal; for a replacement, what its host offered. */
  preparedFor(ref: string): Snapshot<Payment>
}

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
  readonly world: Witness
  /** What was added to the book since the last check. */
  readonly fresh: readonly Entry[]
  /** What the fresh entries touched, as the store holds it now. */
  readonly proposals: readonly Stored[]
  readonly effects: readonly Effect[]
  /** Everything that the outbox holds; null where it is not looked at. */
  readonly events: readonly StoredEvent[] | null
  /** Previews as they are shown to somebody who may see them, by proposal; null where there is none to be seen. */
  readonly shown: ReadonlyMap<string, string | null>
}
