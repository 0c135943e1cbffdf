// A scenario: the script of one check, what must be counted when it is over, and how it becomes a verdict.
import type { ChargeFaultName, LookUpFaultName } from '../faults.ts'
import { quotable } from './report-words.ts'
import { type Counters, COUNTERS, SafetyCheck } from './safety-check.ts'
import { type OpenStore, Stage } from './stage.ts'

/** One script, and what is expected of it. */
export interface Scenario<Cast> {
  readonly id: string
  readonly title: string
  readonly clauses: readonly string[]
  readonly chargeFaults?: readonly ChargeFaultName[]
  readonly lookUpFaults?: readonly LookUpFaultName[]
  readonly expected: Counters
  /** Says on the stage what does not hold. */
  readonly script: (cast: Cast, stage: Stage) => Promise<void>
}

/** How the scenarios of a suite are run. */
export interface ScenarioRun<Cast> {
  readonly seed: number
  readonly openStore: OpenStore
  /** Brings the suite's own parts onto a stage. */
  readonly cast: (stage: Stage) => Cast | Promise<Cast>
}

/** Runs one scenario on a stage of its own. A script that throws has failed; so has one whose counters are not as expected. */
async function runScenario<Cast>(scenario: Scenario<Cast>, run: ScenarioRun<Cast>): Promise<SafetyCheck> {
  const { id, title, clauses, chargeFaults = [], lookUpFaults = [], expected } = scenario
  const stage = await Stage.open({ openStore: run.openStore, seed: run.seed, chargeFaults, lookUpFaults })
  try {
    const cast = await run.cast(stage)
    await stage.play(scenario.script(cast, stage))
  } catch (error) {
    stage.must(`the script ended with ${nameOf(error)}`, false)
  }
  const observed = stage.counted()
  const asCounted = COUNTERS.every((name) => expected[name] === undefined || expected[name] === observed[name])
  const durationMs = stage.clock.monotonic()
  await stage.bareStore.close()
  return new SafetyCheck({
    id,
    title,
    clauses,
    passed: asCounted && stage.failures.length === 0,
    failures: stage.failures,
    expected,
    observed,
    traceHash: stage.trace.hash(),
    durationMs,
  })
}

/** Runs scenarios one after the other, each on a stage of its own. */
export async function runScenarios<Cast>(
  scenarios: readonly Scenario<Cast>[],
  run: ScenarioRun<Cast>,
): Promise<readonly SafetyCheck[]> {
  const checks: SafetyCheck[] = []
  for (const scenario of scenarios) checks.push(await runScenario(scenario, run))
  return checks
}

// Errors of strangers are named and not quoted: a report may be published.
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error}`
  const name = quotable(error.name) ?? 'an error'
  const code = 'code' in error ? quotable(error.code) : null
  return code === null ? name : `${name} (${code})`
}
