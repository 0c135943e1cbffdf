// Calls that were left behind: one with an open attempt, one that was never started.
import type { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import type { GuardedCallInput } from '../../src/runtime/calls/operation.ts'
import { type Bench, charge, errorOf, never } from './bench.ts'

/** A call that its worker left PENDING with one open attempt: the store did not take the end of it. */
export async function stranded(bench: Bench, more: Partial<GuardedCallInput<object>> = {}): Promise<string> {
  bench.faults.atStep('complete', 'refused')
  await errorOf(bench.runner.execute('charge', () => 1, charge(more)))
  return actionIdOf(bench.runner)
}

/** A call that was claimed and never started. */
export async function unstarted({ runner, faults }: Bench): Promise<string> {
  faults.atStep('start_attempt', 'refused')
  await errorOf(runner.execute('charge', never, charge()))
  return actionIdOf(runner)
}

/** The id of the call of the tables. */
export async function actionIdOf(runner: ActionRunner): Promise<string> {
  return (await runner.find('charge', 'order-123'))?.actionId ?? ''
}
