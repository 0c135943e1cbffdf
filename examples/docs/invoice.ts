// The invoice: paid by two, a large one by three, and not paid when the supplier's account was changed and changed back.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keyringFile, type OperationResult, ProposalRuntime, type Session } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'
import { PayablesClient, startBusinessSystem } from 'countersign/testing'
import { InvoicePaymentAction } from './invoice-action.ts'

const folder = await mkdtemp(join(tmpdir(), 'countersign-'))
const business = await startBusinessSystem({ file: join(folder, 'business.db') })
const store = await sqliteStore(join(folder, 'countersign.db'))
const keyring = await keyringFile(join(folder, 'countersign.keys'), { create: true })
const runtime = await ProposalRuntime.open({ store, keyring, actions: [new InvoicePaymentAction(business.url)] })

const agent = session('agent', 'payables-bot', 'payables')
const fiona = session('user', 'fiona', 'finance-manager')
const felix = session('user', 'felix', 'finance-manager')
const dora = session('user', 'dora', 'director')

// #region story
console.log('1250.00 EUR: two finance managers')
const small = await propose('INV-2001')
await approve(small, fiona)
await approve(small, felix)
await execute(small)

console.log('12500.00 EUR: a director too')
const large = await propose('INV-2051')
await approve(large, fiona)
await approve(large, felix)
await approve(large, dora)
await execute(large)

console.log("1250.00 EUR: the supplier's account is changed after the approval, and changed back")
const redirected = await propose('INV-2002')
await approve(redirected, fiona)
await approve(redirected, felix)
const { supplierReference, iban } = await new PayablesClient(business.url).readInvoice('INV-2002')
await business.changeBankAccount(supplierReference, 'GB82WEST12345698765432')
await business.changeBankAccount(supplierReference, iban)
await execute(redirected)

console.log('payments booked:', (await business.effects()).length)
// #endregion

await store.close()
await business.stop()
await rm(folder, { recursive: true })

async function propose(invoiceReference: string): Promise<OperationResult> {
  const command = { invoiceReference }
  return runtime.prepare(agent, { action: 'example.payables/invoice-payment@1', command })
}

async function approve({ proposal, commitment }: OperationResult, approver: Session): Promise<void> {
  const { status } = await runtime.approve(approver, proposal, { commitment })
  console.log(`  ${approver.principal.id} approves: ${status}`)
}

async function execute({ proposal }: OperationResult): Promise<void> {
  const executed = await runtime.execute(agent, proposal)
  console.log(`  executed: ${executed.status}`)
  if (executed.status === 'stale') {
    const view = await runtime.read(fiona, proposal)
    if (view.kind === 'proposal') console.log(`  what moved: ${view.driftPaths.join(', ')}`)
    return
  }
  await sleep((executed.waitUntil ?? 0) - Date.now())
  const { status } = await runtime.reconcile(agent, proposal)
  console.log(`  reconciled: ${status}`)
}

function session(kind: 'user' | 'agent', name: string, role: string): Session {
  return {
    tenant: 'acme',
    principal: { kind, id: name },
    roles: [role],
    assurance: ['authenticated_session'],
  }
}
