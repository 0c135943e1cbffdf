// pg-boss: a job that waits for approval and one that executes; each is sent, fetched and completed in a transaction.
import { PgBoss } from 'pg-boss'
import { effects, NOTE } from './effects.mjs'

export const peer = {
  name: 'pg-boss',
  durableOn: 'PostgreSQL',
  durability: 'synchronous_commit=on, six transactions',
  lacks: 'no unique effect, no authority, no verification, no evidence: a job whose worker died is run again',
}

export async function open({ url }) {
  const { next, book, done, assertOnce } = effects()
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false })
  boss.on('error', (error) => {
    throw error
  })
  await boss.start()
  for (const queue of ['approvals', 'executions']) await boss.createQueue(queue)
  const taken = async (queue) => {
    const [job] = await boss.fetch(queue)
    if (job === undefined) throw new Error(`Nothing is in the queue ${queue}`)
    await boss.complete(queue, job.id)
    return job
  }
  return {
    async run() {
      await boss.send('approvals', { id: next(), note: NOTE })
      const { data } = await taken('approvals')
      await boss.send('executions', data)
      const [job] = await boss.fetch('executions')
      book(job.data.id)
      await boss.complete('executions', job.id)
      done()
    },
    assertOnce,
    close: () => boss.stop({ graceful: false }),
  }
}
