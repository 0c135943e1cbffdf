// A database file with proposals in several states, as the runtime leaves it, and ways to damage it.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createKeyFile } from '../../src/runtime/keys/key-file.ts'
import { keyringFile } from '../../src/runtime/keys/keyring-file.ts'
import { ProposalRuntime } from '../../src/runtime/runtime.ts'
import { sqliteStore } from '../../src/store/sqlite-store.ts'
import { VirtualClock } from '../../src/testing/virtual-clock.ts'
import { seededIds } from '../../src/testing/seeded-ids.ts'
import { TestAction } from '../runtime/refund.ts'
import { elsewhere, finance1, privacy, requester } from '../runtime/sessions.ts'
import { folder } from './run-countersign.ts'

/** A store on disk: closed, so that a process may open it. */
export interface StoredProposals {
  readonly cwd: string
  readonly db: string
  readonly keys: string
  /** Verified, with evidence. */
  readonly verified: string
  readonly waiting: string
  readonly erased: string
  /** Of another tenant. */
  readonly foreign: string
  /** Runs SQL on the file, past its triggers. */
  tamper(sql: string): void
}

/** Before every machine's clock. */
const START = Date.UTC(2024, 0, 1)

/** Makes one. `startAt` is when its proposals were prepared. */
export async function storedProposals(startAt: number = START): Promise<StoredProposals> {
  const cwd = folder()
  const db = join(cwd, 'store.db')
  const keys = `${db}.keys`
  await createKeyFile(keys)
  const clock = new VirtualClock(startAt)
  const store = await sqliteStore(db, { clock })
  const action = new TestAction({ contract: { lifetime: '10m' }, now: () => clock.now() })
  const keyring = await keyringFile(keys)
  const runtime = await ProposalRuntime.open({ store, keyring, actions: [action], clock, ids: seededIds(7) })
  let intents = 0
  const prepare = async (by = requester): Promise<{ readonly proposal: string; readonly commitment: string }> => {
    intents += 1
    const command = {
      orderReference: 'ORD-1001',
      intent: `damaged item, case ${intents}`,
      amount: { amount: '10.00', currency: 'EUR' },
    }
    return runtime.prepare(by, { action: action.contract.type, command })
  }
  const { proposal: verified, commitment } = await prepare()
  await runtime.approve(finance1, verified, { commitment })
  await runtime.execute(requester, verified)
  await clock.advance(5_000)
  await runtime.reconcile(requester, verified)
  const { proposal: erased } = await prepare()
  await runtime.erase(privacy, erased, { reason: 'subject_request' })
  const { proposal: waiting } = await prepare()
  const { proposal: foreign } = await prepare(elsewhere(requester))
  await store.close()
  return { cwd, db, keys, verified, waiting, erased, foreign, tamper: (sql) => tamper(db, sql) }
}

function tamper(path: string, sql: string): void {
  const database = new Database(path)
  try {
    const triggers = database
      .prepare<[], { name: string; sql: string }>(`select name, sql from sqlite_schema where type = 'trigger'`)
      .all()
    database.pragma('foreign_keys = off')
    database.pragma('ignore_check_constraints = on')
    for (const { name } of triggers) database.exec(`drop trigger "${name}"`)
    database.exec(sql)
    for (const trigger of triggers) database.exec(trigger.sql)
  } finally {
    database.close()
  }
}
