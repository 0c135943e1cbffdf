// Approval over HTTP: a server on a socket, an agent who proposes, two people who approve, drift, and an answer that is lost.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import { keyringFile, type OperationResult, ProposalRuntime, Refusal, type Session } from 'countersign'
import { CountersignClient } from 'countersign/client'
import { createApp, serverLimits, staticTokens } from 'countersign/http'
import { sqliteStore } from 'countersign/sqlite'
import { startBusinessSystem } from 'countersign/testing'
import { InvoicePaymentAction } from './invoice-action.ts'

const folder = await mkdtemp(join(tmpdir(), 'countersign-'))
const business = await startBusinessSystem({ file: join(folder, 'business.db') })
const store = await sqliteStore(join(folder, 'countersign.db'))
const keyring = await keyringFile(join(folder, 'countersign.keys'), { create: true })

// #region server
const runtime = await ProposalRuntime.open({ store, keyring, actions: [new InvoicePaymentAction(business.url)] })

// For development. A host of your own says bearerJwt({ issuer, audience, … }), or whatever knows who sends a request.
const authenticate = staticTokens(
  [
    { token: 'development-token-of-the-payables-bot', session: session('agent', 'payables-bot', 'payables') },
    { token: 'development-token-of-fiona', session: session('user', 'fiona', 'finance-manager') },
    { token: 'development-token-of-felix', session: session('user', 'felix', 'finance-manager') },
  ],
  { listeningOn: '127.0.0.1' },
)
const app = createApp({ runtime, authenticate })
const server = createAdaptorServer({ fetch: app.fetch, serverOptions: serverLimits }).listen(0, '127.0.0.1')
// #endregion
await once(server, 'listening')
const address = server.address()
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
console.log('listening on', url)

// #region client
const agent = new CountersignClient({ url, token: 'development-token-of-the-payables-bot' })
const fiona = new CountersignClient({ url, token: 'development-token-of-fiona' })
const felix = new CountersignClient({ url, token: 'development-token-of-felix' })
// #endregion

// #region story
console.log('INV-2001: two people release it')
const plain = await propose('INV-2001')
await decide('the agent', agent, plain)
await decide('fiona', fiona, plain)
await decide('felix', felix, plain)
await execute(plain)

console.log("INV-2002: the supplier's account is changed after the approvals")
const redirected = await propose('INV-2002')
await decide('fiona', fiona, redirected)
await decide('felix', felix, redirected)
await business.changeBankAccount('SUP-302', 'GB82WEST12345698765432')
await execute(redirected)

console.log('INV-2003: the money moves, and the answer is lost')
const lost = await propose('INV-2003')
await decide('fiona', fiona, lost)
await decide('felix', felix, lost)
await business.faults('commit_then_drop', 1)
await execute(lost)

console.log('payments booked:', (await business.effects()).length)
// #endregion

server.close()
await store.close()
await business.stop()
await rm(folder, { recursive: true })

async function propose(invoiceReference: string): Promise<OperationResult> {
  const action = 'example.payables/invoice-payment@1'
  const prepared = await agent.prepare({ action, command: { invoiceReference } })
  console.log('  the agent prepares:', prepared.status)
  return prepared
}

async function decide(name: string, client: CountersignClient, prepared: OperationResult): Promise<void> {
  try {
    const { status } = await client.approve(prepared.proposal, { commitment: prepared.commitment })
    console.log(`  ${name} approves: ${status}`)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    console.log(`  ${name} approves: refused, ${error.code}`)
  }
}

async function execute({ proposal }: OperationResult): Promise<void> {
  const executed = await agent.execute(proposal)
  console.log('  the agent executes:', executed.status)
  if (executed.status === 'stale') {
    const view = await agent.read(proposal)
    if (view.kind === 'proposal') console.log('  what moved:', view.driftPaths?.join(', '))
    return
  }
  await sleep(Math.max(0, (executed.waitUntil ?? 0) - Date.now()))
  const { status, evidence } = await agent.reconcile(proposal)
  console.log(`  read back: ${status}, ${evidence?.status}`)
}

function session(kind: 'user' | 'agent', id: string, role: string): Session {
  const owner = kind === 'agent' ? { owner: { kind: 'user', id: 'olaf' } as const } : {}
  return { tenant: 'acme', principal: { kind, id }, ...owner, roles: [role], assurance: ['authenticated_session'] }
}
