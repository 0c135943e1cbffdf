// Webhooks from end to end on one machine: an event is committed, delivered, and verified by whoever receives it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ephemeralKeyring, memoryStore, ProposalRuntime, type Store } from 'countersign'
import { webhooks } from 'countersign/http'
import { startBusinessSystem } from 'countersign/testing'
import { RefundAction } from './refund-action.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const store = memoryStore()

// #region receive
interface WebhookHeaders {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
}

/** Whether a message comes from whoever has the secret, and is not an old one that somebody sends again. */
function isGenuine({ id, timestamp, signature }: WebhookHeaders, body: string): boolean {
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  return signature.split(' ').some((one) => {
    const given = Buffer.from(one.replace('v1,', ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
// #endregion

const seen = new Set<string>()
async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const header = (name: string): string => String(request.headers[`webhook-${name}`])
  const headers = { id: header('id'), timestamp: header('timestamp'), signature: header('signature') }
  if (!isGenuine(headers, body)) {
    response.writeHead(401).end()
    return
  }
  if (!seen.has(headers.id)) {
    seen.add(headers.id)
    const { type, data } = JSON.parse(body) as { type: string; data: { status: string } }
    console.log(`${type}: ${data.status}`)
  }
  response.writeHead(204).end()
}
const receiver = createServer((request, response) => void take(request, response))
await once(receiver.listen(0, '127.0.0.1'), 'listening')
const address = receiver.address()
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/countersign`

const folder = await mkdtemp(join(tmpdir(), 'countersign-'))
const business = await startBusinessSystem({ file: join(folder, 'business.db') })
const runtime = await ProposalRuntime.open({
  store,
  keyring: ephemeralKeyring(),
  actions: [new RefundAction(business.url)],
})
await runtime.prepare(
  {
    tenant: 'acme',
    principal: { kind: 'agent', id: 'support-bot' },
    roles: ['support'],
    assurance: ['authenticated_session'],
  },
  {
    action: 'example.payments/refund@1',
    command: { orderReference: 'ORD-1001', intent: 'damaged item', amount: { amount: '10.00', currency: 'EUR' } },
  },
)
// As a worker does, again and again.
for (const tenant of await store.tenants()) await outbox(store, url).deliverDue(tenant)

receiver.close()
await business.stop()
await rm(folder, { recursive: true })

// #region send
function outbox(events: Store, ledgerUrl: string) {
  return webhooks({
    store: events,
    endpoints: [{ id: 'ledger', url: ledgerUrl, secrets: [secret], tenants: ['acme'] }],
    // For this machine only. Without it an address must be https and public.
    allowLoopback: true,
  })
}
// #endregion
