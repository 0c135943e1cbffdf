// Stores proposals one after the other until it is killed, and names each once its commit was acknowledged.
import { writeSync } from 'node:fs'
import process from 'node:process'
import { sqliteStore } from '../../../src/sqlite.ts'
import { inserting, sealed } from '../../../src/testing/store-conformance/sample-changes.ts'
import { reference, sampleProposal } from '../../../src/testing/store-conformance/sample-proposals.ts'

const [path = '', run = ''] = process.argv.slice(2)
const store = await sqliteStore(path)
for (let index = 0; ; index += 1) {
  const ref = reference(`01RUN${run.padStart(3, '0')}${String(index).padStart(18, '0')}`)
  const content = { snapshot: sealed('s'.repeat(1_000 * (1 + (index % 20)))), preview: sealed('preview') }
  const answer = await store.commit({ ...inserting(sampleProposal({ ref }), { content }), changeId: ref })
  if (answer.kind === 'committed') writeSync(1, `${ref}\n`)
}
