// The steps of a worker under test: named places around store commits and calls of the host, at one of which it may be killed.
import type { AnyAction } from '../../proposal/action.ts'
import type { Change, Store } from '../../runtime/ports.ts'
import { commitStep } from '../commit-faults.ts'
import { InterceptedStore } from '../intercepted-store.ts'
import { SteppedAction } from './stepped-action.ts'

/** A place in a worker's run: the n-th time, from 1, that it comes by this name. */
export interface CrashStep {
  readonly name: string
  readonly occurrence: number
}

/** Tells every step as it is reached. Whoever is told may kill the process. */
export class CrashSteps {
  readonly #reached: (step: CrashStep) => void
  readonly #occurrences = new Map<string, number>()

  constructor(reached: (step: CrashStep) => void) {
    this.#reached = reached
  }

  /** Does something between two steps, `before name` and `after name`. */
  async step<T>(name: string, act: () => Promise<T>): Promise<T> {
    this.#reach(`before ${name}`)
    const answer = await act()
    this.#reach(`after ${name}`)
    return answer
  }

  /** The store with a step before and after every commit. */
  store(store: Store): Store {
    return new InterceptedStore(store, async (_name, call, change) =>
      change === null ? call() : this.step(`commit ${nameOf(change)}`, call),
    )
  }

  /** The action with a step before and after every call into the host. */
  action(action: AnyAction): AnyAction {
    return new SteppedAction(action, this)
  }

  #reach(name: string): void {
    const occurrence = (this.#occurrences.get(name) ?? 0) + 1
    this.#occurrences.set(name, occurrence)
    this.#reached({ name, occurrence })
  }
}

/** A change by the receipts that it writes, or by what it does where it writes none. */
function nameOf(change: Change): string {
  const told = change.receipts.flatMap(({ body }) => (body === null ? [] : [body.type]))
  return told.length > 0 ? told.join(' and ') : commitStep(change)
}
