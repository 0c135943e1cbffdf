// A clause of a conformance kit: one rule, what it rests on and needs, and how all of them are run in their order.
import type { ClauseResult } from './conformance-report.ts'

/** The subject breaks the rule: `code` for programs, one sentence for a person, nothing private in either. */
export class ClauseFailure extends Error {
  readonly code: string
  constructor(code: string, sentence: string) {
    super(sentence)
    this.name = 'ClauseFailure'
    this.code = code
  }
}

/** One clause. Clauses that rest on one that did not pass are not run: they would only repeat what is known. */
export interface Clause<Bench> {
  readonly clause: string
  readonly rule: string
  readonly restsOn?: readonly string[]
  /** What is missing for it, as a sentence; null if it can be run. */
  readonly lacks?: (bench: Bench) => string | null
  run(bench: Bench): Promise<void>
}

/** Runs clauses in order. What is thrown beside a `ClauseFailure` is trouble of the test itself, and passes through. */
export async function runClauses<Bench>(
  clauses: readonly Clause<Bench>[],
  bench: Bench,
): Promise<readonly ClauseResult[]> {
  const results: ClauseResult[] = []
  for (const one of clauses) results.push(await runClause(one, bench, results))
  return results
}

async function runClause<Bench>(
  one: Clause<Bench>,
  bench: Bench,
  before: readonly ClauseResult[],
): Promise<ClauseResult> {
  const { clause, rule, restsOn = [] } = one
  const unmet = restsOn.find((name) => before.every((result) => result.clause !== name || result.state !== 'passed'))
  if (unmet !== undefined) return notRun(clause, `It rests on ${unmet}, which did not pass.`)
  const lacking = one.lacks?.(bench) ?? null
  if (lacking !== null) return notRun(clause, lacking)
  try {
    await one.run(bench)
    return { clause, state: 'passed', code: null, sentence: rule }
  } catch (error) {
    if (!(error instanceof ClauseFailure)) throw error
    return { clause, state: 'failed', code: error.code, sentence: error.message }
  }
}

function notRun(clause: string, sentence: string): ClauseResult {
  return { clause, state: 'not_run', code: null, sentence }
}

/** Fails the clause unless the condition holds. */
export function demand(condition: boolean, code: string, sentence: string): asserts condition {
  if (!condition) throw new ClauseFailure(code, sentence)
}
