// A process that does what it is told on a database that others use at the same moment, and writes down every host call.
import { writeSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { Refusal } from '../../../src/proposal/errors.ts'
import { localKeyring } from '../../../src/runtime/keys/local-keyring.ts'
import type { Clock } from '../../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../../src/runtime/runtime.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { postgresStore } from '../../../src/store/postgres-store.ts'
import { sqliteStore } from '../../../src/store/sqlite-store.ts'
import { InterceptedStore } from '../../../src/testing/intercepted-store.ts'
import { watch } from '../../runtime/call-log.ts'
import { endsAttempt, opensAttempt } from '../../runtime/execution-world.ts'
import { TestAction } from '../../runtime/refund.ts'
import { finance1, requester, service } from '../../runtime/sessions.ts'
import { bookedMethods } from '../books.ts'
import type { Order, RacerSetup } from '../racers.ts'
import { WrittenLog } from '../written-log.ts'

const {
  database,
  schema,
  keys,
  books,
  log: file,
  contract,
  offsetMs,
  stopAt,
} = JSON.parse(process.argv[2] ?? '') as RacerSetup

/** Stands still here, once, until somebody lets it go on. */
let isAwake = true
function stop(at: RacerSetup['stopAt']): void {
  if (stopAt !== at || !isAwake) return
  isAwake = false
  writeSync(1, `"stopped"\n`)
  process.kill(process.pid, 'SIGSTOP')
}

const clock: Clock = { ...systemClock, now: () => Date.now() + offsetMs }
const bare = database.startsWith('postgres:')
  ? await postgresStore({ url: database, schema, connectionsMax: 4 })
  : await sqliteStore(database, { busyTimeoutMs: 60_000, clock })
const store = new InterceptedStore(bare, async (_name, call, change) => {
  if (endsAttempt(change)) stop('before it records')
  const answer = await call()
  if (opensAttempt(change)) stop('before the call')
  return answer
})
const log = new WrittenLog(file)
const action = new TestAction({ contract, now: () => clock.now(), methods: bookedMethods(books) })
const { execute } = action.methods
action.methods.execute = async (input) => {
  const answer = await execute(input)
  stop('during the call')
  return answer
}
watch(action, { log, store: bare, clock: { now: () => Date.now() } })
const runtime = await ProposalRuntime.open({ store, keyring: localKeyring(keys), actions: [action], clock })

/** What became of one thing, in a word. */
async function obey({ act }: Order, name: string): Promise<string> {
  try {
    if (act === 'prepare') {
      const [intent = ''] = name.split('#')
      const command = { orderReference: 'ORD-1001', intent, amount: { amount: '10.00', currency: 'EUR' } }
      const prepared = await runtime.prepare(requester, { action: action.contract.type, command })
      const { proposal, commitment } = prepared
      await runtime.approve(finance1, proposal, { commitment })
      return proposal
    }
    const { outcome, reason } =
      act === 'execute' ? await runtime.execute(requester, name) : await runtime.reconcile(service, name)
    return reason === null ? outcome : `${outcome} ${reason}`
  } catch (error) {
    return error instanceof Refusal ? error.code : String(error)
  }
}

const AT_ONCE = 4

process.stdout.write('"ready"\n')
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order
  const told: string[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let at = next++; at < order.names.length; at = next++) told[at] = await obey(order, order.names[at] ?? '')
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  process.stdout.write(`${JSON.stringify(told)}\n`)
}
await store.close()
