// A deliverer in a process of its own: delivers what is due, again and again, until it is killed.
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { webhooks } from '../../../../src/http.ts'
import { postgresStore } from '../../../../src/postgres.ts'
import { sqliteStore } from '../../../../src/sqlite.ts'
import { SAMPLE_TENANT } from '../../../../src/testing/store-conformance/sample-proposals.ts'

const [database = '', schema = '', url = '', secret = ''] = process.argv.slice(2)
const store = database.startsWith('postgres')
  ? await postgresStore({ url: database, schema, connectionsMax: 4 })
  : await sqliteStore(database, { busyTimeoutMs: 60_000 })
const outbox = webhooks({
  store,
  endpoints: [{ id: 'ledger', url, secrets: [secret], tenants: 'all' }],
  timeout: '1s',
  waits: Array.from({ length: 1_000 }, () => '50ms' as const),
  allowLoopback: true,
})
process.stdout.write('ready\n')
for (;;) {
  await outbox.deliverDue(SAMPLE_TENANT)
  await pause(20)
}
