// One of several processes that share a PostgreSQL database: it runs a lifecycle whenever it is asked to.
import process from 'node:process'
import { localKeyring } from 'countersign'
import { postgresStore } from 'countersign/postgres'
import { lifecycles } from '../lifecycles.ts'
import { ownCpuMs, serveParent } from './parent.ts'

const [, , url = '', keyring = ''] = process.argv
const loop = await lifecycles(await postgresStore({ url }), {
  keyring: localKeyring(keyring),
  prefix: `of ${process.pid}, `,
})
await serveParent(null, async (question) => {
  if (question === 'cpu') return ownCpuMs()
  if (question === 'once') return loop.assertOnce()
  return loop.run()
})
await loop.close()
