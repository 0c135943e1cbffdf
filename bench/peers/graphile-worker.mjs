// graphile-worker: a job for the execution and one for the look afterwards.
import { Logger, run as runWorker } from 'graphile-worker'
import { effects, NOTE } from './effects.mjs'

export const peer = {
  name: 'graphile-worker',
  durableOn: 'PostgreSQL',
  durability: 'synchronous_commit=on',
  lacks:
    'keeps nothing once it is done; no approval, no unique effect, no evidence: a job whose worker died is run again',
}

const LANES = 32

export async function open({ url }) {
  const { next, book, isBooked, done, assertOnce } = effects()
  const waiting = new Map()
  const runner = await runWorker({
    connectionString: url,
    concurrency: LANES,
    maxPoolSize: 10,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: {
      async execute({ id }, { addJob }) {
        book(id)
        await addJob('verify', { id })
      },
      async verify({ id }) {
        if (!isBooked(id)) throw new Error('Not found')
        waiting.get(id)()
        waiting.delete(id)
      },
    },
  })
  return {
    async run() {
      const id = next()
      const verified = new Promise((resolve) => {
        waiting.set(id, resolve)
      })
      await runner.addJob('execute', { id, note: NOTE })
      await verified
      done()
    },
    assertOnce,
    close: () => runner.stop(),
  }
}
