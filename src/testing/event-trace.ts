// The trace of a run: what happened outside the library, in order, and its hash, by which two runs are compared.
import { canonicalJson } from '../effect/canonical-json.ts'
import { digestHex } from '../proposal/content/digest.ts'

/** One thing that happened, at an instant of the run's clock. */
export interface TracedEvent {
  readonly at: number
  readonly event: string
  readonly about: string
}

/** Collects what happens; the runs of one seed have one and the same trace. */
export class EventTrace {
  readonly #events: TracedEvent[] = []

  add(event: TracedEvent): void {
    this.#events.push(Object.freeze({ ...event }))
  }

  get events(): readonly TracedEvent[] {
    return [...this.#events]
  }

  /** SHA-256 over the events, in hex. */
  hash(): string {
    const lines = this.#events.map((event) => canonicalJson({ ...event }, { numbers: 'integers' }))
    return digestHex(['countersign/trace/v1', ...lines])
  }
}
