// What one real lifecycle leaves in the tables, commit by commit: the limit loops write the same rows again.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { sqliteStore } from 'countersign/sqlite'
import { inFolder } from '../folder.ts'
import { finance, openTransfers, support, transferNamed } from '../lifecycles.ts'
import { type OwnValue, ownValues, Recorder, type Step } from './recorder.ts'

/** The five commits of a lifecycle, and the values in them that are its own. */
export interface RecordedLifecycle {
  readonly steps: readonly Step[]
  /** What must be another value in every lifecycle, since something is unique on it. */
  readonly own: readonly OwnValue[]
}

/** Runs a real lifecycle on a real SQLite file and looks at the tables after each of its commits. */
export async function recordedLifecycle(): Promise<RecordedLifecycle> {
  return inFolder(async (folder) => {
    const file = join(folder, 'recorded.db')
    const store = await sqliteStore(file)
    const { runtime, action } = await openTransfers(store)
    const recorder = new Recorder(file)
    const steps: Step[] = []
    const committed = (): void => {
      steps.push(recorder.step())
    }
    const { proposal, commitment } = await runtime.prepare(support, transferNamed('transfer to record'))
    committed()
    await runtime.approve(finance, proposal, { commitment })
    committed()
    // It was admitted in one commit, and its outcome comes in another.
    action.onExecute = committed
    await runtime.execute(support, proposal)
    committed()
    const { status } = await runtime.reconcile(support, proposal, { now: true })
    committed()
    recorder.close()
    await store.close()
    assert.equal(status, 'verified')
    assert.deepEqual(
      steps.map((step) => step.filter(({ table }) => table === 'changes').length),
      [1, 1, 1, 1, 1],
    )
    return { steps, own: ownValues(steps) }
  })
}

/** The own values of the n-th lifecycle, each as long as the one that was recorded. */
export function ownValuesOf({ own }: RecordedLifecycle, n: number): readonly string[] {
  // Odd, so that no two numbers below 2 ** 32 are scattered to one place.
  const scattered = (Math.imul(n, 0x9e_37_79_b1) >>> 0).toString(36).padStart(7, '0')
  const growing = n.toString(36).padStart(7, '0')
  return own.map(({ value, order }) => {
    return order === 'growing' ? value.slice(0, -7) + growing : scattered + value.slice(7)
  })
}
