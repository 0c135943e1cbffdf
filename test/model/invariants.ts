// The invariants of the specification, each a function over the store, the book, the call log and the target's ledger.
import { approvalInvariants } from './invariants/approvals.ts'
import { callInvariants } from './invariants/calls.ts'
import { claimInvariants } from './invariants/claims.ts'
import { doubtInvariants } from './invariants/doubt.ts'
import { evidenceInvariants } from './invariants/evidence.ts'
import type { Invariant, View, Witness } from './invariants/invariant.ts'
import { recordInvariants } from './invariants/record.ts'
import { truthInvariants } from './invariants/truth.ts'
import { viewOf } from './invariants/view.ts'

/** I1 to I18, I29, I31 to I33, and R3, in the order of the specification. Spec: reliability 3.2, rules R3. */
const INVARIANTS: readonly Invariant[] = [
  ...claimInvariants,
  ...callInvariants,
  ...evidenceInvariants,
  ...doubtInvariants,
  ...recordInvariants,
  ...approvalInvariants,
  ...truthInvariants,
].sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))

/** What broke an invariant. */
class InvariantBroken extends Error {
  readonly id: string
  constructor({ id, says }: Invariant, detail: string) {
    super(`invariant ${id} ${says}: ${detail}`)
    this.name = 'InvariantBroken'
    this.id = id
  }
}

/** Checks everything that a command may have touched. @throws InvariantBroken */
export class Checks {
  readonly #world: Witness
  #checked = 0

  constructor(world: Witness) {
    this.#world = world
  }

  /** `everything` looks at all that is stored, touched or not: for the end of a run. */
  async all(of: 'fresh' | 'everything' = 'fresh'): Promise<void> {
    const { broken, book } = this.#world
    if (broken !== null) throw broken
    const view: View = await viewOf(this.#world, book.entries.slice(this.#checked), of)
    this.#checked = book.entries.length
    for (const invariant of INVARIANTS) {
      for (const detail of invariant.violations(view)) throw new InvariantBroken(invariant, detail)
    }
  }
}
