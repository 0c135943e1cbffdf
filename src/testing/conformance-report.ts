// The report of a conformance kit: what was run, what held and what did not, and nothing that was not run counts as held.

/** What became of one clause. `not_run` never counts as passed. */
export type ClauseState = 'passed' | 'failed' | 'not_run'

/** One clause of a kit, as it came out. */
export interface ClauseResult {
  /** What was held against the subject. */
  readonly clause: string
  readonly state: ClauseState
  /** What is wrong, for programs; null unless it failed. */
  readonly code: string | null
  /** One sentence: the rule if it passed, what was seen if it failed, why it could not be run otherwise. */
  readonly sentence: string
}

/** `passed` only if every clause was run and held; `incomplete` if none failed and not all were run. */
export type Verdict = 'passed' | 'failed' | 'incomplete'

/** What a kit says about its subject. What the subject says about itself is no part of it. Spec: harness 3. */
export interface ConformanceReport {
  readonly kit: string
  readonly subject: string
  readonly verdict: Verdict
  /** The seed of everything that was drawn; null where nothing was. */
  readonly seed: number | null
  readonly clauses: readonly ClauseResult[]
}

/** A report over clauses in their order. A kit without clauses has shown nothing and is no kit. */
export function conformanceReport(input: Omit<ConformanceReport, 'verdict'>): ConformanceReport {
  if (input.clauses.length === 0) throw new TypeError('a report without clauses shows nothing')
  return Object.freeze({ ...input, clauses: Object.freeze([...input.clauses]), verdict: verdictOf(input.clauses) })
}

/** The codes of all clauses that failed, in their order. */
export function failureCodes({ clauses }: ConformanceReport): readonly string[] {
  return clauses.flatMap(({ code }) => (code === null ? [] : [code]))
}

/** The report as text: a line per clause, and the verdict. */
export function reportText({ kit, subject, verdict, seed, clauses }: ConformanceReport): string {
  const width = Math.max(...clauses.map(({ clause }) => clause.length)) + 2
  const lines = clauses.map(({ clause, state, code, sentence }) => {
    const told = state === 'passed' ? '' : `  ${code === null ? '' : `${code}: `}${sentence}`
    return `${clause.padEnd(width)}${STATE_WORDS[state]}${told}`
  })
  const seeded = seed === null ? '' : ` (seed ${seed})`
  return [`${kit}: ${subject}${seeded}`, '', ...lines, '', `Verdict: ${verdict}`, ''].join('\n')
}

const STATE_WORDS = { passed: 'PASS', failed: 'FAIL', not_run: 'NOT RUN' } as const satisfies Record<
  ClauseState,
  string
>

function verdictOf(clauses: readonly ClauseResult[]): Verdict {
  if (clauses.some(({ state }) => state === 'failed')) return 'failed'
  return clauses.every(({ state }) => state === 'passed') ? 'passed' : 'incomplete'
}
