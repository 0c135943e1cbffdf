// Erases a proposal in a process of its own, which is killed at one of its calls of the store.
import process from 'node:process'
import { localKeyring } from '../../../src/runtime/keys/local-keyring.ts'
import { ProposalRuntime } from '../../../src/runtime/runtime.ts'
import { sqliteStore } from '../../../src/sqlite.ts'
import { VirtualClock } from '../../../src/testing/virtual-clock.ts'
import { TestAction } from '../refund.ts'
import { privacy } from '../sessions.ts'
import { killedStore } from './killed-store.ts'

const [path = '', keys = '', now = '', proposal = '', nth = '', when = ''] = process.argv.slice(2)
const clock = new VirtualClock(Number(now))
const store = await sqliteStore(path, { clock })
const killed = killedStore(store)
const actions = [new TestAction({ now: () => clock.now() })]
const runtime = await ProposalRuntime.open({ store: killed.store, keyring: localKeyring(keys), actions, clock })
killed.arm(Number(nth), when === 'before' ? 'before' : 'after')
const { outcome } = await runtime.erase(privacy, proposal, { reason: 'asked_by_subject' })
process.stdout.write(`${outcome}\n`)
await store.close()
