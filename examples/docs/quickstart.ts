// The quickstart: one refund from prepare to verified, on a SQLite file, against a business system in a process of its own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keyringFile, ProposalRuntime, type Session } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'
import { startBusinessSystem } from 'countersign/testing'
import { RefundAction } from './refund-action.ts'

const folder = await mkdtemp(join(tmpdir(), 'countersign-'))
const business = await startBusinessSystem({ file: join(folder, 'business.db') })

const store = await sqliteStore(join(folder, 'countersign.db'))
const keyring = await keyringFile(join(folder, 'countersign.keys'), { create: true })
const runtime = await ProposalRuntime.open({ store, keyring, actions: [new RefundAction(business.url)] })

// Sessions come from your authentication; never from a request body, never from a model.
const support = session('agent', 'support-bot', 'support')
const finance = session('user', 'fiona', 'finance-manager')

const prepared = await runtime.prepare(support, {
  action: 'example.payments/refund@1',
  command: { orderReference: 'ORD-1001', intent: 'damaged item', amount: { amount: '10.00', currency: 'EUR' } },
})
console.log('prepared:', prepared.status)

const approved = await runtime.approve(finance, prepared.proposal, { commitment: prepared.commitment })
console.log('approved:', approved.status)

const executed = await runtime.execute(support, prepared.proposal)
console.log('executed:', executed.status)

// "Accepted" is not "done": the runtime reads back before it says so.
await sleep(Math.max(0, (executed.waitUntil ?? 0) - Date.now()))
const verified = await runtime.reconcile(support, prepared.proposal)
console.log('reconciled:', verified.status)

const again = await runtime.execute(support, prepared.proposal)
console.log('executed again:', again.status)
console.log('refunds booked:', (await business.effects()).length)

await store.close()
await business.stop()
await rm(folder, { recursive: true })

function session(kind: 'user' | 'agent', name: string, role: string): Session {
  return {
    tenant: 'acme',
    principal: { kind, id: name },
    roles: [role],
    assurance: ['authenticated_session'],
  }
}
