// Plays the script on a database file in a process of its own, which may be killed or refused by its disk at any moment.
import process from 'node:process'
import { localKeyring } from '../../../src/runtime/keys/local-keyring.ts'
import { ProposalRuntime } from '../../../src/runtime/runtime.ts'
import { sqliteStore } from '../../../src/store/sqlite-store.ts'
import { seededIds } from '../../../src/testing/seeded-ids.ts'
import { VirtualClock } from '../../../src/testing/virtual-clock.ts'
import { Ledger } from '../ledger.ts'
import { refundDesk } from '../refund-desk.ts'
import { moodOf, play } from '../script.ts'

const [database = '', book = '', keys = '', start = '', seed = ''] = process.argv.slice(2)
const ledger = new Ledger(book)
ledger.append({ kind: 'started', at: Number(start) })
const clock = new VirtualClock(Number(start))
try {
  const store = await sqliteStore(database, { clock })
  const actions = [refundDesk({ ledger, store, clock, mood: moodOf })]
  const ids = seededIds(Number(seed))
  const runtime = await ProposalRuntime.open({ store, keyring: localKeyring(keys), actions, clock, ids })
  await play({ runtime, clock, ledger })
  await store.close()
} catch (error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  ledger.append({ kind: 'refused', step: 'open', code })
}
ledger.close()
