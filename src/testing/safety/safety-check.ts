// A safety check: one scenario with its verdict, and the counters that the verdict rests on.

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
    if (typeof input.passed !== 'boolean') throw new TypeError('passed is exactly true or false')
    this.id = demandId(input.id)
    this.title = demandText('title', input.title)
    this.passed = input.passed
    this.notRun = input.notRun === undefined ? null : demandText('notRun', input.notRun)
    this.failures = demandTexts('failures', input.failures ?? [])
    this.clauses = demandTexts('clauses', input.clauses ?? [])
    this.expected = demandCounters('expected', input.expected ?? {})
    this.observed = demandCounters('observed', input.observed ?? {})
    this.traceHash = input.traceHash === undefined || input.traceHash === null ? null : demandHash(input.traceHash)
    this.durationMs = demandCount('durationMs', input.durationMs ?? 0)
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

function demandText(name: string, text: string): string {
  if (typeof text !== 'string' || text.trim() === '') throw new TypeError(`${name} is a text that is not empty`)
  return text
}

function demandTexts(name: string, texts: readonly string[]): readonly string[] {
  if (!Array.isArray(texts)) throw new TypeError(`${name} is a list of texts`)
  return Object.freeze(texts.map((text: string) => demandText(name, text)))
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
