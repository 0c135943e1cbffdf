// Claims contested effects through proposals of its own, together with other processes, and says which it won.
import process from 'node:process'
import { parseReference } from '../../../src/effect/reference.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { updating } from '../../../src/testing/store-conformance/sample-changes.ts'
import { claiming } from '../../../src/testing/store-conformance/sample-effects.ts'
import { inStatus, SAMPLE_TENANT } from '../../../src/testing/store-conformance/sample-proposals.ts'
import { liveOf } from '../../../src/testing/store-conformance/steps.ts'
import { startBarrier } from './barrier.ts'

const [path = '', ...refs] = process.argv.slice(2)
const store = await sqliteStore(path, { busyTimeoutMs: 60_000 })
const changes = []
for (const ref of refs) {
  const live = await liveOf(store, { tenant: SAMPLE_TENANT, ref: parseReference(ref, '') })
  const effect = claiming(live.proposal, null)
  const change = updating(live, inStatus(live.proposal, 'executing'), { effect })
  changes.push({ ...change, changeId: `${process.pid}-${ref}` })
}
await startBarrier()
for (const change of changes) {
  const answer = await store.commit(change)
  process.stdout.write(`${answer.kind === 'conflict' ? answer.on : answer.kind}\n`)
}
await store.close()
