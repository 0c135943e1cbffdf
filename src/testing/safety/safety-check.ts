// A safety check: one scenario with its verdict, and the counters that the verdict rests on.
import { demandText, demandTexts } from './report-words.ts'

/** What is counted outside the adapter. A counter that is not named was not looked at. */
export interface Counters {
  /** Requests that would move money, as the provider counted them. */
  readonly calls?: number
  /** How often money moved. */
  readonly effects?: number
  /** Look-ups, as the provider counted them. */
  readonly verifierCalls?: number
  /** Commits that the ledger was asked for. */
  readonly ledgerWrites?: number
}

/** The names of the counters, in the order in which they are printed. */
export const COUNTERS = ['calls', 'effects', 'verifierCalls', 'ledgerWrites'] as const satisfies (keyof Counters)[]

/** What a check says of itself. */
export interface SafetyCheckInput {
  /** `[a-z0-9_.-]{1,64}`. */
  readonly id: string
  /** As it is printed. */
  readonly title: string
  /** Exactly `true` or `false`; whatever else is only truthy is refused. */
  readonly passed: boolean
  /** Why it was not run. A check that was not run has not passed. */
  readonly notRun?: string
  /** What did not hold, a sentence each. A check that passed has none. */
  readonly failures?: readonly string[]
  /** The clauses of the specification that it holds the runtime to, such as `S:210` or `evidence S10`. */
  readonly clauses?: readonly string[]
  readonly expected?: Counters
  readonly observed?: Counters
  /** The hash of what happened, by which two runs are compared. */
  readonly traceHash?: string | null
  /** How long it took on the clock of the run, in milliseconds. */
  readonly durationMs?: number
}

/** How a check ended. `not_run` never counts as passed. */
export type SafetyCheckState = 'passed' | 'failed' | 'not_run'

/**
 * One check of a safety report. It is frozen, and its verdict is not taken on trust: a check that says that it passed
 * while its counters differ from what was expected is refused. Spec: harness H5 and 4 c.
 *
 * @throws TypeError for whatever is not exactly what it says it is.
 */
export class SafetyCheck {
  // Present on what this constructor built and on nothing that only looks like it.
  readonly #built = true
  readonly id: string
  readonly title: string
  readonly passed: boolean
  readonly state: SafetyCheckState
  readonly notRun: string | null
  readonly failures: readonly string[]
  readonly clauses: readonly string[]
  readonly expected: Counters
  readonly observed: Counters
  readonly traceHash: string | null
  readonly durationMs: number

  constructor(input: SafetyCheckInput) {
    // Each is read once: an accessor must not answer the check with one thing and the report with another.
    const { id, title, passed, notRun, traceHash = null, durationMs = 0 } = input
    const { failures = [], clauses = [], expected = {}, observed = {} } = input
    if (typeof passed !== 'boolean') throw new TypeError('passed is exactly true or false')
    this.id = demandId(id)
    this.title = demandText('title', title)
    this.passed = passed
    this.notRun = notRun === undefined ? null : demandText('notRun', notRun)
    this.failures = demandTexts('failures', failures)
    this.clauses = demandTexts('clauses', clauses)
    this.expected = demandCounters('expected', expected)
    this.observed = demandCounters('observed', observed)
    this.traceHash = traceHash === null ? null : demandHash(traceHash)
    this.durationMs = demandCount('durationMs', durationMs)
    this.state = this.notRun === null ? (this.passed ? 'passed' : 'failed') : 'not_run'
    if (this.passed) this.#demandGrounds()
    Object.freeze(this)
  }

  /** Whether this is a check that the constructor built: no look-alike, no proxy, and no subclass. */
  static isSafetyCheck(value: unknown): value is SafetyCheck {
    return (
      typeof value === 'object' &&
      value !== null &&
      #built in value &&
      value.#built &&
      Object.getPrototypeOf(value) === SafetyCheck.prototype
    )
  }

  #demandGrounds(): void {
    if (this.notRun !== null) throw new TypeError('a check that was not run has not passed')
    if (this.failures.length > 0) throw new TypeError('a check with failures has not passed')
    const differing = COUNTERS.filter((name) => name in this.expected && this.expected[name] !== this.observed[name])
    if (differing.length > 0) {
      throw new TypeError(`a check has not passed while its counters are not as expected: ${differing.join(', ')}`)
    }
  }
}

function demandId(id: string): string {
  if (typeof id !== 'string' || !/^[a-z0-9_.-]{1,64}$/.test(id)) throw new TypeError('id is [a-z0-9_.-]{1,64}')
  return id
}

function demandHash(hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new TypeError('traceHash is 64 lower-case hex digits')
  return hash
}

function demandCount(name: string, count: number): number {
  if (!Number.isSafeInteger(count) || count < 0) throw new TypeError(`${name} is a whole number, zero or more`)
  return count
}

function demandCounters(name: string, counters: Counters): Counters {
  const known: readonly string[] = COUNTERS
  for (const key of Object.keys(counters)) if (!known.includes(key)) throw new TypeError(`${name} has no such counter`)
  const named = COUNTERS.flatMap((counter) => {
    const count = counters[counter]
    return count === undefined ? [] : [[counter, demandCount(`${name}.${counter}`, count)] as const]
  })
  return Object.freeze(Object.fromEntries(named))
}
