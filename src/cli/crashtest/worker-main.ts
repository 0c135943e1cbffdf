// The process of a worker under crash test: does its work, and ends by SIGKILL at the step that it was told.
import { once } from 'node:events'
import process from 'node:process'
import { CrashSteps, type CrashStep } from '../../testing/crash/crash-steps.ts'
import { type CrashMessage, crashMessageSchema, type CrashTask, crashTaskSchema } from './crash-message.ts'
import { loadScenario, sentenceOf } from './load-scenario.ts'

if (process.send !== undefined) {
  const [received] = (await once(process, 'message')) as [unknown]
  const message = await carriedOut(crashTaskSchema.parse(received))
  process.send(message, () => process.disconnect())
}

async function carriedOut({ file, setup, run, killAt }: CrashTask): Promise<CrashMessage> {
  const loaded = await loadScenario(file)
  if (loaded.kind === 'broken') return loaded
  const reached: CrashStep[] = []
  const steps = new CrashSteps((step) => {
    reached.push(step)
    // From here on nothing of this process runs any more, neither a handler nor a finally.
    if (step.name === killAt?.name && step.occurrence === killAt.occurrence) process.kill(process.pid, 'SIGKILL')
  })
  try {
    const told = await loaded.scenario.work({ setup, run, steps })
    const parsed = crashMessageSchema.safeParse({ kind: 'ended', told, steps: reached })
    if (parsed.success) return parsed.data
    return { kind: 'broken', problem: 'work answers something else than done, not_done or open for each effect' }
  } catch (error) {
    return { kind: 'broken', problem: `work threw: ${sentenceOf(error)}` }
  }
}
