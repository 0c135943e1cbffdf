// Zombies: a process is stopped within an execution until its lease is over and another one has found out; then it wakes up.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { define } from '../../src/proposal/definition/definition.ts'
import { isInDoubt } from '../../src/proposal/status.ts'
import { localKeyring, newKeyringText } from '../../src/runtime/keys/local-keyring.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { sqliteStore } from '../../src/sqlite.ts'
import { reference } from '../runtime/harness.ts'
import { TestAction } from '../runtime/refund.ts'
import { service, TENANT } from '../runtime/sessions.ts'
import { openPostgres } from '../store/postgres-fixture.ts'
import { faultsIn } from './audit.ts'
import { bookedMethods, startBooks } from './books.ts'
import { Racer } from './racers.ts'
import { readLogs } from './written-log.ts'

/** The shortest lease there is: a call of a few seconds, and the time in which its end is recorded. */
const contract = { executeTimeout: '3s', inFlight: '1s' }

const ZOMBIES = [
  { stopAt: 'before the call', calls: 0, status: 'failed_known' },
  { stopAt: 'during the call', calls: 1, status: 'verified' },
  { stopAt: 'before it records', calls: 1, status: 'verified' },
] as const

// All of them sleep at the same time; the lease is one of real time, by the clocks that judge it in earnest. What is to be
// cleaned up is told to the context of its test: the hook of the module would give it to whichever test is at work.
describe.concurrent('threat T10: processes that are stopped past their lease and go on', () => {
  it.for(['SQLite file', 'PostgreSQL database'] as const)(
    'trace S4: on one %s call no more, and decide nothing over what others have found out',
    { timeout: 240_000 },
    async (kind, { expect, onTestFinished }) => {
      const folder = mkdtempSync(join(tmpdir(), 'countersign-zombies-'))
      const [books, keys] = [await startBooks(), newKeyringText()]
      const postgres = kind === 'SQLite file' ? null : await openPostgres()
      const path = join(folder, 'store.db')
      const store = postgres?.store ?? (await sqliteStore(path, { busyTimeoutMs: 60_000 }))
      const zombies: Racer[] = []
      onTestFinished(async () => {
        for (const zombie of zombies) {
          zombie.goOn()
          await zombie.end()
        }
        await (postgres ?? store).close()
        await books.stop()
        rmSync(folder, { recursive: true, force: true })
      })
      const action = new TestAction({ contract, now: () => Date.now(), methods: bookedMethods(books.url) })
      const keyring = localKeyring(keys)
      const runtime = await ProposalRuntime.open({ store, keyring, actions: [action] })
      const logOf = (stopAt: string): string => join(folder, stopAt)

      const lived = async ({ stopAt }: (typeof ZOMBIES)[number]): Promise<unknown> => {
        const zombie = await Racer.start({
          database: postgres?.url ?? path,
          schema: postgres?.schema ?? '',
          keys,
          books: books.url,
          log: logOf(stopAt),
          contract,
          offsetMs: 0,
          stopAt,
        })
        zombies.push(zombie)
        const [ref = ''] = await zombie.tell({ act: 'prepare', names: [`of who stops ${stopAt}`] })
        zombie.say({ act: 'execute', names: [ref] })
        await zombie.stopped()
        const early = await runtime.reconcile(service, ref)
        let found = early
        while (isInDoubt(found.status)) {
          await pause(Math.max(0, (found.waitUntil ?? 0) - Date.now()))
          found = await runtime.reconcile(service, ref)
        }
        const before = await store.receipts(reference(TENANT), reference(ref))
        zombie.goOn()
        const [said] = await zombie.told()
        const receipts = await store.receipts(reference(TENANT), reference(ref))
        return {
          stopAt,
          early: early.outcome,
          found: found.status,
          calls: readLogs([logOf(stopAt)]).executed.length,
          said,
          // What it says comes late: it is kept, and the status stays what others found out.
          later: receipts.slice(before.length).map(({ body }) => [body?.type, body?.status]),
        }
      }

      expect(await Promise.all(ZOMBIES.map(lived))).toEqual(
        ZOMBIES.map(({ stopAt, calls, status }) => {
          const later = [['execution.late', status]]
          return { stopAt, early: 'in_progress', found: status, calls, said: status, later }
        }),
      )
      const booked = await books.counts()
      expect([...booked.values()]).toEqual([1, 1])
      const log = readLogs(ZOMBIES.map(({ stopAt }) => logOf(stopAt)))
      const remains = { store, keyring, log, definitions: [define(action)], booked, acknowledged: [] }
      expect(await faultsIn(remains)).toEqual([])
    },
  )
})
