// The invoice that pays itself: once it is approved a worker executes the payment, and reads it back.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keyringFile, ProposalRuntime, type Session, Worker } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'
import { startBusinessSystem } from 'countersign/testing'
import { type InvoicePayment, InvoicePaymentAction, invoicePayment } from './invoice-action.ts'

// #region action
class PaidWhenApproved extends InvoicePaymentAction {
  override readonly contract: InvoicePayment = {
    ...invoicePayment,
    execution: 'when_approved',
    retention: { settled: '3650d', closed: '90d' },
    permissions: {
      ...invoicePayment.permissions,
      read: ['payables', 'finance-manager', 'director', 'worker'],
      execute: 'worker',
      reconcile: 'worker',
      erase: 'worker',
    },
  }
}
// #endregion

const folder = await mkdtemp(join(tmpdir(), 'countersign-'))
const business = await startBusinessSystem({ file: join(folder, 'business.db') })
const store = await sqliteStore(join(folder, 'countersign.db'))
const keyring = await keyringFile(join(folder, 'countersign.keys'), { create: true })
const runtime = await ProposalRuntime.open({ store, keyring, actions: [new PaidWhenApproved(business.url)] })

const agent = session('agent', 'payables-bot', 'payables')
const fiona = session('user', 'fiona', 'finance-manager')
const felix = session('user', 'felix', 'finance-manager')

// #region worker
const worker = new Worker({ runtime, principal: { kind: 'service', id: 'worker' }, roles: ['worker'] })
worker.start()
// #endregion

// #region story
const command = { invoiceReference: 'INV-2001' }
const { proposal, commitment } = await runtime.prepare(agent, { action: invoicePayment.type, command })
for (const approver of [fiona, felix]) await runtime.approve(approver, proposal, { commitment })

// Nobody executes, and nobody reconciles.
for (;;) {
  const view = await runtime.read(fiona, proposal)
  if (view.kind === 'proposal' && view.status === 'verified') break
  await sleep(100)
}
console.log(`${command.invoiceReference}: verified, payments booked: ${(await business.effects()).length}`)
// #endregion

// #region stop
await worker.stop({ limitMs: 30_000 })
// #endregion
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
