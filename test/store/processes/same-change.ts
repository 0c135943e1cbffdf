// Commits changes that other processes commit too, the same ones under the same ids, and says what was answered.
import process from 'node:process'
import { sqliteStore } from '../../../src/sqlite.ts'
import { inserting } from '../../../src/testing/store-conformance/sample-changes.ts'
import { reference, sampleProposal } from '../../../src/testing/store-conformance/sample-proposals.ts'
import { startBarrier } from './barrier.ts'

const [path = '', count = '0'] = process.argv.slice(2)
const store = await sqliteStore(path, { busyTimeoutMs: 60_000 })
await startBarrier()
for (let index = 0; index < Number(count); index += 1) {
  const ref = reference(`01SHARED${String(index).padStart(18, '0')}`)
  const change = {
    ...inserting(sampleProposal({ ref }), { requestKeyHash: `hash-${index}` }),
    changeId: `shared-${index}`,
  }
  process.stdout.write(`${JSON.stringify(await store.commit(change))}\n`)
}
await store.close()
