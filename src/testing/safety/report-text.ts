// A safety report as text, for people: the comparison, a line for each check, and the classification.
import type { Comparison, SafetyReport } from './safety-report.ts'
import { COUNTERS, type SafetyCheck, type SafetyCheckState } from './safety-check.ts'

const words: Readonly<Record<SafetyCheckState, string>> = { passed: 'PASS', failed: 'FAIL', not_run: 'NOT RUN' }

/** The report as it is printed, without a line end at its end. What did not pass is explained below. Spec: harness H3. */
export function safetyReportText(report: SafetyReport): string {
  const { action, checks, comparison, classification, isSafe } = report
  const width = Math.max(...checks.map(({ title }) => title.length)) + 2
  return [
    ...(comparison === null ? [] : [...comparisonLines(comparison), '']),
    `Action: ${action}`,
    '',
    ...checks.map(({ title, state }) => `${title.padEnd(width)}${words[state]}`),
    '',
    'Final classification:',
    classification,
    ...(isSafe ? [] : ['', ...explanations(report)]),
  ].join('\n')
}

function comparisonLines({ title, naive, guarded }: Comparison): readonly string[] {
  const { execution, verification, final, calls, charges } = guarded
  return [
    title,
    `  Naive retry: calls=${naive.calls}, charges=${naive.charges}, total=${naive.totalCents} cents`,
    `  Countersign: execution=${execution}, verification=${verification}, final=${final}, calls=${calls}, charges=${charges}`,
  ]
}

function explanations({ checks, seed }: SafetyReport): readonly string[] {
  const open = checks.filter(({ state }) => state !== 'passed')
  return [`What did not pass (seed ${seed} repeats it):`, ...open.flatMap(explanation)]
}

function explanation({ title, notRun, failures, expected, observed }: SafetyCheck): readonly string[] {
  const counters = COUNTERS.filter((name) => name in expected && expected[name] !== observed[name]).map(
    (name) => `${name}: expected ${expected[name]}, was ${observed[name] ?? 'not counted'}`,
  )
  const reasons = notRun === null ? [...counters, ...failures] : [`not run: ${notRun}`]
  return [`  ${title}`, ...reasons.map((reason) => `    ${reason}`)]
}
