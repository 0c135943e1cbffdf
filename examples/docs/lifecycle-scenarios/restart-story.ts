// The story of a restart: the process that called the executor is gone, and what it was told went with it.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RefundAction } from '../refund-action.ts'
import { tell } from './narrator.ts'
import { approvedRefund } from './refunds.ts'
import type { Report, Task } from './runtime-process.ts'
import type { Stage } from './stage.ts'

/** A naive system finds "executing" after a crash, and does what it was about to do: the customer is paid twice. */
export async function restart(stage: Stage): Promise<string> {
  const order = stage.newOrder()
  const proposal = await approvedRefund(await stage.runtime(new RefundAction(stage.business.url)), order)

  tell('Another process executes it. The business system books the refund and keeps its answer to itself.')
  await stage.business.faults('hang', 1)
  const executing = start(stage, 'execute', proposal)
  while ((await stage.attemptsOn(order)) === 0) {
    if (executing.exitCode !== null) throw new Error('the process ended before it called the executor')
    await sleep(10)
  }

  tell('That process is killed, wherever it is.')
  executing.kill('SIGKILL')
  await once(executing, 'exit')

  tell('A minute passes, which is the lease of the attempt; then a new process looks into it.')
  await stage.letPass(60_000)
  const { found, left } = await reportOf(start(stage, 'reconcile', proposal))
  return `${found} -> ${left}, refunds: ${await stage.refundsOf(order)}`
}

// Time goes on in the new process from where it stands on the stage.
function start({ business, files, clock }: Stage, step: Task['step'], proposal: string): ChildProcess {
  const child = fork(fileURLToPath(new URL('runtime-process.ts', import.meta.url)))
  const task: Task = { step, proposal, businessUrl: business.url, files, clock: clock.state() }
  child.send(task)
  return child
}

async function reportOf(child: ChildProcess): Promise<Report> {
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as Report))
    child.once('exit', (code, signal) => reject(new Error(`the process said nothing (${signal ?? code})`)))
  })
}
