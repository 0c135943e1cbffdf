// A process of its own that runs the runtime on the files of the stage: it is told one step, and may be killed in it.
import { once } from 'node:events'
import { keyringFile, ProposalRuntime } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'
import { VirtualClock, type VirtualClockState } from 'countersign/testing'
import { RefundAction } from '../refund-action.ts'
import { agent } from './cast.ts'
import type { Files } from './stage.ts'

/** What the process is told. */
export interface Task {
  readonly step: 'execute' | 'reconcile'
  readonly proposal: string
  readonly businessUrl: string
  readonly files: Files
  readonly clock: VirtualClockState
}

/** What it says at the end, if it comes to that: the status that it found, and the one that it left. */
export interface Report {
  readonly found: string
  readonly left: string
}

// Whoever starts it by hand has nothing to tell it.
if (process.send !== undefined) {
  const [task] = (await once(process, 'message')) as [Task]
  process.send(await carryOut(task))
  process.disconnect()
}

async function carryOut(task: Task): Promise<Report> {
  const clock = new VirtualClock(task.clock)
  const store = await sqliteStore(task.files.store, { clock })
  const keyring = await keyringFile(task.files.keyring)
  const runtime = await ProposalRuntime.open({ store, keyring, clock, actions: [new RefundAction(task.businessUrl)] })
  const view = await runtime.read(agent, task.proposal)
  const { status } = await runtime[task.step](agent, task.proposal)
  await store.close()
  return { found: view.kind === 'proposal' ? view.status : view.kind, left: status }
}
