// Commit faults: a store that fails before a commit or loses the answer after it, at the n-th commit or at a named step.
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../proposal/errors.ts'
import type { Change, Store } from '../runtime/ports.ts'
import { type Around, InterceptedStore } from './intercepted-store.ts'

/**
 * What may happen to a commit: `refused` stores nothing and says so; `lost` stores it and loses the answer; `lost_before`
 * stores nothing and does not say so. Spec: evidence 6.1.
 */
export type CommitFault = 'refused' | 'lost' | 'lost_before'

/**
 * The steps at which something is written, told by what the change holds: a guarded call that is claimed, taken over or
 * released; an attempt that is started, ended or observed; a proposal that is prepared, decided on or erased; `update` is
 * everything else.
 */
export type CommitStep =
  | 'prepare'
  | 'decide'
  | 'claim'
  | 'take_over'
  | 'release'
  | 'start_attempt'
  | 'complete'
  | 'observe'
  | 'erase'
  | 'update'

/** The step that a change is. */
export function commitStep({ proposals, effect, call, approvals }: Change): CommitStep {
  if (call !== null && call.kind !== 'progress') return call.kind
  if (proposals.some(({ kind }) => kind === 'erase')) return 'erase'
  if (effect !== null) {
    if (effect.opened !== null) return 'start_attempt'
    if (effect.ended !== null) return 'complete'
    if (effect.observed !== null) return 'observe'
  }
  if (proposals.some(({ kind }) => kind === 'insert')) return 'prepare'
  return approvals.length > 0 ? 'decide' : 'update'
}

interface PlannedFault {
  readonly meets: (change: Change) => boolean
  readonly fault: CommitFault
}

/**
 * Makes commits fail. Each fault meets one commit and is used up by it.
 *
 * ```ts
 * const faults = new CommitFaults()
 * const store = faults.over(memoryStore())
 * faults.atStep('start_attempt', 'lost')
 * ```
 */
export class CommitFaults {
  #seen = 0
  readonly #planned = new Set<PlannedFault>()
  /** The changes that were asked for, also those that did not land. */
  readonly changes: Change[] = []

  /** The n-th commit from now meets the fault; 1 is the next one. */
  at(nth: number, fault: CommitFault): void {
    const number = this.#seen + nth
    this.#planned.add({ fault, meets: () => this.#seen === number })
  }

  /** The n-th commit from now that is this step meets the fault. */
  atStep(step: CommitStep, fault: CommitFault, nth = 1): void {
    let left = nth
    this.#planned.add({
      fault,
      meets: (change) => {
        if (commitStep(change) === step) left -= 1
        return left === 0
      },
    })
  }

  /** The store with these faults. */
  over(store: Store): Store {
    return new InterceptedStore(store, this.around)
  }

  /** For a store that is intercepted already. */
  readonly around: Around = async (_name, call, change) => {
    if (change === null) return call()
    this.#seen += 1
    this.changes.push(change)
    const fault = this.#take(change)
    if (fault === 'refused') throw new StoreUnavailable('The store is out of reach.')
    if (fault === 'lost_before') throw new PersistenceOutcomeUnknown(null)
    const answer = await call()
    if (fault === 'lost') throw new PersistenceOutcomeUnknown(null)
    return answer
  }

  // Every plan hears of every commit, so that each counts its own.
  #take(change: Change): CommitFault | null {
    const met = [...this.#planned].filter(({ meets }) => meets(change))
    for (const planned of met) this.#planned.delete(planned)
    return met.at(-1)?.fault ?? null
  }
}
