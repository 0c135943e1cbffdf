// A process that works through jobs on a database that may fail under it, and says at once whatever it was answered.
import { writeSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { ActionRunner } from '../../../src/runtime/calls/action-runner.ts'
import { localKeyring } from '../../../src/runtime/keys/local-keyring.ts'
import type { Store } from '../../../src/runtime/ports.ts'
import { ProposalRuntime } from '../../../src/runtime/runtime.ts'
import { postgresStore } from '../../../src/store/postgres-store.ts'
import { watch } from '../../runtime/call-log.ts'
import { TestAction } from '../../runtime/refund.ts'
import { TENANT } from '../../runtime/sessions.ts'
import { bookedMethods } from '../books.ts'
import { Job, STEPS } from '../job.ts'
import { JOB_CONTRACT, type JobberSetup, type JobberWord } from '../jobbers.ts'
import { WrittenLog } from '../written-log.ts'

const { url, schema, keys, books, log, jobs, atOnce } = JSON.parse(process.argv[2] ?? '') as JobberSetup

function say(word: JobberWord): void {
  writeSync(1, `${JSON.stringify(word)}\n`)
}

/** Until it works; whoever is answered by an error asks again. */
async function insistently<T>(attempt: () => Promise<T>, triesMax: number): Promise<T | null> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      say({ kind: 'heard', code: error instanceof Error && 'code' in error ? String(error.code) : String(error) })
      await pause(50)
    }
  }
  return null
}

const TRIES_MAX = 400
const store: Store | null = await insistently(() => postgresStore({ url, schema, connectionsMax: 3 }), TRIES_MAX)
if (store === null) throw new Error('The database did not come back')
const action = new TestAction({ contract: JOB_CONTRACT, now: () => Date.now(), methods: bookedMethods(books) })
watch(action, { log: new WrittenLog(log), store, clock: { now: () => Date.now() } })
const keyring = localKeyring(keys)
const runtime = await insistently(() => ProposalRuntime.open({ store, keyring, actions: [action] }), TRIES_MAX)
if (runtime === null) throw new Error('The database did not come back')
const hands = { runtime, runner: new ActionRunner({ store, tenant: TENANT }), books, waitUntil: async () => {} }

say({ kind: 'ready' })
const waiting = [...jobs]
const lane = async (): Promise<void> => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await workOn(name)
}
await Promise.all(Array.from({ length: atOnce }, lane))
await store.close()

async function workOn(name: string): Promise<void> {
  const job = new Job(name, (answer) => say({ kind: 'acknowledged', answer }))
  // What is in doubt afterwards is left to those who come once its lease is over.
  for (const step of STEPS) {
    if (step === 'prepare' || step === 'approve') await insistently(() => job.take(step, hands), TRIES_MAX)
    else if (step === 'execute' || step === 'call') await insistently(() => job.take(step, hands), 2)
  }
  say({ kind: 'done', name })
}
