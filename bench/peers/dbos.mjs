// DBOS: a workflow that waits for a message of approval, with its calls as steps.
import { DBOS } from '@dbos-inc/dbos-sdk'
import { effects, NOTE } from './effects.mjs'

export const peer = {
  name: 'DBOS',
  durableOn: 'PostgreSQL',
  durability: 'synchronous_commit=on',
  lacks: 'no unique effect, no authority over one exact content, no evidence: a step that was interrupted runs again',
}

export async function open({ url }) {
  const { next, book, isBooked, done, assertOnce } = effects()
  const transfer = DBOS.registerWorkflow(
    async (id) => {
      const approved = await DBOS.recv('approval', 60)
      if (approved !== true) return 'rejected'
      await DBOS.runStep(async () => book(id), { name: 'execute' })
      return DBOS.runStep(async () => (isBooked(id) ? 'verified' : 'unknown'), { name: 'verify' })
    },
    { name: 'transfer' },
  )
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error' })
  await DBOS.launch()
  return {
    async run() {
      const handle = await DBOS.startWorkflow(transfer)(next(), NOTE)
      await DBOS.send(handle.workflowID, true, 'approval')
      const status = await handle.getResult()
      if (status !== 'verified') throw new Error(`It is ${status}`)
      done()
    },
    assertOnce,
    close: () => DBOS.shutdown(),
  }
}
