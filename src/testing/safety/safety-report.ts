// A safety report: what a suite of checks found, as a value that cannot be made to say more than its checks do.
import type { Evidence } from '../../effect/effect.ts'
import { demandText, demandTexts } from './report-words.ts'
import { SafetyCheck } from './safety-check.ts'

/** What is under test beside the runtime, with what it says that it can do. */
export interface Participant {
  readonly name: string
  readonly capabilities: readonly string[]
}

/** The comparison that a payment suite opens with: the same lost answer, met by a retry and by a guarded call. */
export interface Comparison {
  readonly title: string
  readonly naive: { readonly calls: number; readonly charges: number; readonly totalCents: number }
  readonly guarded: {
    readonly execution: Evidence
    readonly verification: Evidence
    readonly final: Evidence
    readonly calls: number
    readonly charges: number
  }
}

/** What a report is made of. */
export interface SafetyReportInput {
  /** The name of the action under test. */
  readonly action: string
  /** Repeats the run. */
  readonly seed: number
  readonly checks: readonly SafetyCheck[]
  readonly comparison?: Comparison | null
  readonly adapter?: Participant | null
  readonly ledger?: Participant | null
}

/** What a report says in the end. It speaks of the scenarios that were run and of nothing else. */
export type Classification = 'SAFE UNDER TESTED CONDITIONS' | 'UNSAFE UNDER TESTED CONDITIONS'

/** The sentence that limits a classification. */
export const CLASSIFICATION_LIMIT =
  'This speaks of these deterministic scenarios only: it is neither formal verification nor a universal claim.'

/**
 * A safety report. It is frozen; it has at least one check, every entry is a real {@link SafetyCheck}, and no two have
 * one id or one title. It is safe only if every check passed. Spec: harness H5.
 *
 * @throws TypeError for whatever is not exactly what it says it is.
 */
export class SafetyReport {
  readonly #built = true
  readonly action: string
  readonly seed: number
  readonly checks: readonly SafetyCheck[]
  readonly comparison: Comparison | null
  readonly adapter: Participant | null
  readonly ledger: Participant | null
  readonly isSafe: boolean
  readonly classification: Classification

  constructor(input: SafetyReportInput) {
    const { action, seed, checks, comparison = null, adapter = null, ledger = null } = input
    this.action = demandText('action', action)
    if (!Number.isSafeInteger(seed) || seed < 0) throw new TypeError('seed is a whole number, zero or more')
    this.seed = seed
    this.checks = demandChecks(checks)
    this.comparison = comparison === null ? null : copyOf(comparison)
    this.adapter = demandParticipant('adapter', adapter)
    this.ledger = demandParticipant('ledger', ledger)
    this.isSafe = this.checks.every(({ state }) => state === 'passed')
    this.classification = this.isSafe ? 'SAFE UNDER TESTED CONDITIONS' : 'UNSAFE UNDER TESTED CONDITIONS'
    Object.freeze(this)
  }

  /** Whether this is a report that the constructor built: no look-alike, no proxy, and no subclass. */
  static isSafetyReport(value: unknown): value is SafetyReport {
    return (
      typeof value === 'object' &&
      value !== null &&
      #built in value &&
      value.#built &&
      Object.getPrototypeOf(value) === SafetyReport.prototype
    )
  }
}

function demandChecks(checks: readonly SafetyCheck[]): readonly SafetyCheck[] {
  if (!Array.isArray(checks) || checks.length === 0) {
    throw new TypeError('checks is a list with at least one check: a report about nothing is no evidence')
  }
  const entries: readonly unknown[] = Array.from(checks)
  const real = entries.filter((entry) => SafetyCheck.isSafetyCheck(entry))
  if (real.length < entries.length) throw new TypeError('every entry of checks is a SafetyCheck itself')
  for (const field of ['id', 'title'] as const) {
    if (new Set(real.map((check) => check[field])).size < real.length) {
      throw new TypeError(`no two checks have the same ${field}`)
    }
  }
  return Object.freeze(real)
}

function demandParticipant(field: string, participant: Participant | null): Participant | null {
  if (participant === null) return null
  const { name, capabilities } = participant
  return Object.freeze({
    name: demandText(`${field}.name`, name),
    capabilities: demandTexts(`${field}.capabilities`, capabilities),
  })
}

function copyOf({ title, naive, guarded }: Comparison): Comparison {
  const { execution, verification, final } = guarded
  return Object.freeze({
    title: demandText('comparison.title', title),
    naive: Object.freeze({
      calls: demandCounted(naive.calls),
      charges: demandCounted(naive.charges),
      totalCents: demandCounted(naive.totalCents),
    }),
    guarded: Object.freeze({
      execution: demandEvidence(execution),
      verification: demandEvidence(verification),
      final: demandEvidence(final),
      calls: demandCounted(guarded.calls),
      charges: demandCounted(guarded.charges),
    }),
  })
}

function demandCounted(count: number): number {
  if (!Number.isSafeInteger(count) || count < 0) throw new TypeError('the comparison counts in whole numbers')
  return count
}

function demandEvidence(evidence: Evidence): Evidence {
  if (evidence === 'CONFIRMED' || evidence === 'FAILED' || evidence === 'UNKNOWN') return evidence
  throw new TypeError('the comparison speaks of CONFIRMED, FAILED and UNKNOWN')
}
