// The conformance kit of actions: an adapter held against the world around it, clause by clause; its own word is never believed.
import type { Action, AnyAction } from '../proposal/action.ts'
import type { Contract } from '../proposal/contract.ts'
import { DefinitionError } from '../proposal/errors.ts'
import type { Clock } from '../runtime/ports.ts'
import { systemClock } from '../runtime/system-clock.ts'
import type { ActionWorld } from './action-conformance/action-world.ts'
import { Bench } from './action-conformance/bench.ts'
import { duringOutage, executeClauses, resendClause } from './action-conformance/executing-clauses.ts'
import {
  immaterialClause,
  lacksSecrets,
  prepareClauses,
  previewClauses,
  resolveClauses,
} from './action-conformance/preparing-clauses.ts'
import { raceClauses } from './action-conformance/race-clauses.ts'
import { removalClause, verifyClauses } from './action-conformance/verifying-clauses.ts'
import { type Clause, ClauseFailure, demand, runClauses } from './clause.ts'
import { type ClauseResult, type ConformanceReport, conformanceReport } from './conformance-report.ts'
import { findSensitive } from './find-sensitive.ts'

/** How an action is tested. */
export interface ActionConformanceOptions {
  /** Of everything that is drawn; a run with the same seed is the same run. Default 1. */
  readonly seed?: number
  /** On how many schedules another writer comes between resolve and mutation. Default 1,000. */
  readonly schedules?: number
  /** By which the limits of the contract are kept; the machine's by default. */
  readonly clock?: Clock
}

/**
 * Runs every clause for an action against its world and answers the report. The action is called as the runtime calls it,
 * with frozen copies and under its own limits; what it did is counted in the world. Spec: harness 3.
 *
 * ```ts
 * const report = await actionConformance(new RefundAction(url), world)
 * console.log(reportText(report))
 * ```
 *
 * @throws whatever the world throws: then nothing is known about the action.
 */
export async function actionConformance<C extends Contract>(
  action: Action<C>,
  world: ActionWorld<C>,
  { seed = 1, schedules = 1_000, clock = systemClock }: ActionConformanceOptions = {},
): Promise<ConformanceReport> {
  if (!Number.isSafeInteger(schedules) || schedules < 1) throw new TypeError('schedules are 1 or more')
  const bench = benchOf(action, world, { seed, clock })
  const clauses = bench instanceof Bench ? await runClauses(clausesFor(bench, schedules), bench) : [bench]
  return conformanceReport({ kit: 'actionConformance', subject: action.contract.type, seed, clauses })
}

function benchOf(
  action: AnyAction,
  world: ActionWorld,
  options: ConstructorParameters<typeof Bench>[2],
): Bench | ClauseResult {
  try {
    return new Bench(action, world, options)
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    return { clause: 'definition', state: 'failed', code: 'definition_refused', sentence: error.message }
  }
}

function clausesFor({ definition, world }: Bench, schedules: number): readonly Clause<Bench>[] {
  const { immaterial = [], target } = definition.action.contract
  const hasImmaterial = immaterial.length > 0
  return [
    ...prepareClauses,
    ...previewClauses,
    ...resolveClauses,
    ...(hasImmaterial ? [immaterialClause] : []),
    ...executeClauses,
    ...(target.idempotent === false ? [] : [resendClause]),
    ...raceClauses(schedules),
    ...verifyClauses,
    ...(world.removes ? [removalClause] : []),
    errorsClause,
  ]
}

/** Over everything that was thrown until here, and what an outage makes the action throw. */
const errorsClause: Clause<Bench> = {
  clause: 'errors.no_secrets',
  rule: 'No error that the action throws carries a seeded secret.',
  restsOn: ['execute.effect'],
  lacks(bench) {
    if (bench.world.faults.outage === undefined) return 'The world cannot set the fault outage.'
    return lacksSecrets(bench)
  },
  async run(bench) {
    const ready = await bench.fresh()
    const resolution = await bench.resolve(ready)
    await duringOutage(bench, async () => {
      // That these two throw is right; what they say is kept.
      await unlessFailed(async () => bench.prepared(ready.command))
      await unlessFailed(async () => bench.resolve(ready))
      await bench.execute(ready, resolution)
      await bench.verify(ready)
    })
    const [found] = findSensitive(bench.errors, bench.world.secrets)
    demand(found === undefined, 'error_leaks', `An error of the action carries a seeded secret, at ${found?.path}.`)
  },
}

async function unlessFailed(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof ClauseFailure)) throw error
  }
}
