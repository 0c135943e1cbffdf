// The stage of a safety check: a provider, a ledger, a clock and chance of its own, and what does not hold on it.
import { setImmediate } from 'node:timers/promises'
import type { Ids, Logger, Store } from '../../runtime/ports.ts'
import { CommitFaults, commitStep } from '../commit-faults.ts'
import type { EventTrace } from '../event-trace.ts'
import type { ChargeFaultName, LookUpFaultName } from '../faults.ts'
import { InterceptedStore } from '../intercepted-store.ts'
import { FakePaymentProvider } from '../payments/payment-provider.ts'
import { seededIds } from '../seeded-ids.ts'
import { VirtualClock } from '../virtual-clock.ts'
import type { Counters } from './safety-check.ts'

/** Opens an empty store that lives in the time of the suite. It is called once for each check. */
export type OpenStore = (clock: { now(): number }) => Store | Promise<Store>

/** What a stage is made of. */
export interface StageOptions {
  readonly openStore: OpenStore
  readonly seed: number
  readonly chargeFaults?: readonly ChargeFaultName[]
  readonly lookUpFaults?: readonly LookUpFaultName[]
}

/** When every stage begins, an instant. */
const START = Date.UTC(2030, 0, 1)
/** The longest that a request takes at the provider. */
const LATENCY_MS = 400
/** How far the clock moves at a time while a script runs, and how often before the script counts as hanging. */
const STEP_MS = 100
const STEPS_MAX = 20_000

/** As many seeds as chance tells apart, and as many workers as a stage may have: no two draw the same. */
const SEEDS = 2_147_483_646
const RUNNERS_MAX = 1_000

/** Warnings of the library are not part of a report. */
export const SILENT: Logger = { info: () => {}, warn: () => {}, error: () => {} }

/** Where one check takes place. Nothing on it is shared with another check. */
export class Stage {
  readonly clock: VirtualClock
  readonly provider: FakePaymentProvider
  readonly faults: CommitFaults = new CommitFaults()
  /** Behind the commit faults. */
  readonly store: Store
  /** Before them: another worker's way to the same data. */
  readonly bareStore: Store
  readonly seed: number
  readonly failures: string[] = []
  #runners = 0
  #jumpMs = 0
  #storeCalls = 0

  private constructor(options: StageOptions, clock: VirtualClock, bareStore: Store) {
    const { seed, chargeFaults = [], lookUpFaults = [] } = options
    this.seed = seed
    this.clock = clock
    this.provider = new FakePaymentProvider({ clock, seed, latencyMs: LATENCY_MS, chargeFaults, lookUpFaults })
    this.bareStore = new InterceptedStore(bareStore, async (_name, call, change) => {
      this.#storeCalls += 1
      if (change !== null) this.trace.add({ at: clock.now(), event: `commit ${commitStep(change)}`, about: 'ledger' })
      try {
        return await call()
      } finally {
        this.#storeCalls -= 1
      }
    })
    this.store = this.faults.over(this.bareStore)
  }

  static async open(options: StageOptions): Promise<Stage> {
    const clock = new VirtualClock(START)
    return new Stage(options, clock, await options.openStore(clock))
  }

  /** What happened at the provider and in the ledger, in order. */
  get trace(): EventTrace {
    return this.provider.trace
  }

  /** Chance for one more worker, other than that of every worker before. */
  ids(): Ids {
    this.#runners += 1
    return seededIds((this.seed % SEEDS) * RUNNERS_MAX + this.#runners)
  }

  /** States what must hold. */
  must(sentence: string, holds: boolean): void {
    if (!holds) this.failures.push(sentence)
  }

  /** States that something has exactly this value, and says what it has instead. */
  mustBe(what: string, value: unknown, wanted: string | number | boolean | null): void {
    if (value !== wanted) this.failures.push(`${what} is ${String(value)} where ${String(wanted)} was expected`)
  }

  /** Lets time pass within a script. */
  async wait(ms: number): Promise<void> {
    this.#jumpMs = ms
    await new Promise<void>((resolve) => {
      this.clock.timer(ms, resolve)
    })
  }

  /**
   * Moves the clock on until the script has ended. Time stands still while the ledger works: a disk or a server takes real
   * time, which must not look like a late answer.
   * @throws what the script throws, and an Error if it does not end.
   */
  async play<T>(script: Promise<T>): Promise<T> {
    const course = { isOver: false }
    const ended = script.finally(() => {
      course.isOver = true
    })
    ended.catch(() => null)
    for (let steps = 0; !course.isOver; steps += 1) {
      while (this.#storeCalls > 0) await setImmediate()
      if (steps === STEPS_MAX) throw new Error('the script did not end')
      const jumpMs = this.#jumpMs
      this.#jumpMs = 0
      await this.clock.advance(Math.max(STEP_MS, jumpMs))
    }
    return ended
  }

  /** What was counted where the adapter has no say. */
  counted(): Required<Counters> {
    return {
      calls: this.provider.chargeCalls,
      effects: this.provider.effects,
      verifierCalls: this.provider.lookUpCalls,
      ledgerWrites: this.faults.changes.length,
    }
  }
}
