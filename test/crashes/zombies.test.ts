// Zombies: a process is stopped within an execution until its lease is over and another one has found out; then it wakes up.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
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
import { Racer, type RacerSetup } from './racers.ts'
import { readLogs } from './written-log.ts'

/** The shortest lease there is: a call of at most a second, and the time in which its end is recorded. */
const contract = { executeTimeout: '1s', inFlight: '1s' }

const ZOMBIES = [
  { stopAt: 'before the call', calls: 0, status: 'failed_known' },
  { stopAt: 'during the call', calls: 1, status: 'verified' },
] as const

// All of them sleep at the same time; the lease is one of real time, by the clocks that judge it in earnest.
describe.concurrent.each(['SQLite file', 'PostgreSQL database'] as const)('threat T10: on one %s', (kind) => {
  it.each(ZOMBIES)(
    'trace S4: a process that was stopped $stopAt, past its lease, calls $calls times in all and decides nothing',
    { timeout: 240_000 },
    async ({ stopAt, calls, status }) => {
      const folder = mkdtempSync(join(tmpdir(), 'countersign-zombie-'))
      const [books, keys] = [await startBooks(), newKeyringText()]
      const postgres = kind === 'SQLite file' ? null : await openPostgres()
      const path = join(folder, 'store.db')
      const store = postgres?.store ?? (await sqliteStore(path, { busyTimeoutMs: 60_000 }))
      const log = join(folder, 'calls')
      const zombie = await Racer.start({
        database: postgres?.url ?? path,
        schema: postgres?.schema ?? '',
        keys,
        books: books.url,
        log,
        contract,
        offsetMs: 0,
        stopAt: stopAt satisfies RacerSetup['stopAt'],
      })
      onTestFinished(async () => {
        zombie.goOn()
        await zombie.end()
        await (postgres ?? store).close()
        await books.stop()
        rmSync(folder, { recursive: true, force: true })
      })
      const action = new TestAction({ contract, now: () => Date.now(), methods: bookedMethods(books.url) })
      const keyring = localKeyring(keys)
      const runtime = await ProposalRuntime.open({ store, keyring, actions: [action] })
      const [ref = ''] = await zombie.tell({ act: 'prepare', names: ['the one of the zombie'] })

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

      expect([early.outcome, found.status]).toEqual(['in_progress', status])
      expect(readLogs([log]).executed).toHaveLength(calls)
      expect([...(await books.counts()).values()]).toEqual(calls === 0 ? [] : [1])
      // What it says comes late: it is kept, and the status stays what others found out.
      const receipts = await store.receipts(reference(TENANT), reference(ref))
      const later = receipts.slice(before.length).map(({ body }) => [body?.type, body?.status])
      expect([said, later]).toEqual([status, [['execution.late', status]]])
      const remains = { store, keyring, log: readLogs([log]), definitions: [define(action)] }
      expect(await faultsIn({ ...remains, booked: await books.counts(), acknowledged: [] })).toEqual([])
    },
  )
})
