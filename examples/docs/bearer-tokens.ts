// Callers known by the signed tokens of an issuer: an agent that acts for a person, somebody who may decide, and a stranger.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ephemeralKeyring, memoryStore, ProposalRuntime } from 'countersign'
import { CountersignClient, HttpRefusal } from 'countersign/client'
import { bearerJwt, createApp } from 'countersign/http'
import { startBusinessSystem } from 'countersign/testing'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { RefundAction } from './refund-action.ts'

const folder = await mkdtemp(join(tmpdir(), 'countersign-'))
const business = await startBusinessSystem({ file: join(folder, 'business.db') })
const runtime = await ProposalRuntime.open({
  store: memoryStore(),
  keyring: ephemeralKeyring(),
  actions: [new RefundAction(business.url)],
})
const { publicKey, privateKey } = await generateKeyPair('EdDSA')
const publicJwk = { ...(await exportJWK(publicKey)), alg: 'EdDSA', use: 'sig', kid: 'login-1' }

// #region authenticate
const authenticate = bearerJwt({
  issuer: 'https://login.acme.example',
  audience: 'https://approvals.acme.example',
  // Elsewhere: the address of the issuer's set, such as new URL('https://login.acme.example/jwks.json').
  jwks: { keys: [publicJwk] },
  // Which claims say who calls; the caller is `sub`, or `act.sub` where an agent acts for `sub`.
  claims: { tenant: 'tenant', kind: 'kind', owner: 'owner', roles: 'roles', assurance: 'assurance' },
})
const app = createApp({ runtime, authenticate })
// #endregion

// #region callers
const agent = await clientOf({ sub: 'olaf', kind: 'user', act: { sub: 'support-bot' }, roles: ['support'] })
const fiona = await clientOf({ sub: 'fiona', kind: 'user', roles: ['finance-manager'] })
const stranger = await clientOf({
  sub: 'fiona',
  kind: 'user',
  roles: ['finance-manager'],
  aud: 'https://elsewhere.example',
})

const { proposal, commitment } = await agent.prepare({
  action: 'example.payments/refund@1',
  command: { orderReference: 'ORD-1001', intent: 'damaged item', amount: { amount: '10.00', currency: 'EUR' } },
})
const seen = await fiona.read(proposal)
if (seen.kind === 'proposal') console.log('the agent', seen.agent?.id, 'acts for', seen.agentOwner?.id)
console.log('fiona approves:', (await fiona.approve(proposal, { commitment })).status)
await stranger.read(proposal).catch((error: unknown) => {
  if (!(error instanceof HttpRefusal)) throw error
  console.log('a token for somebody else:', error.code)
})
// #endregion

await business.stop()
await rm(folder, { recursive: true })

/** A client in this process; over a network it takes the address and the token alone. */
async function clientOf(claims: JWTPayload): Promise<CountersignClient> {
  const token = await new SignJWT({
    iss: 'https://login.acme.example',
    aud: 'https://approvals.acme.example',
    tenant: 'acme',
    jti: crypto.randomUUID(),
    ...claims,
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'login-1' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)
  return new CountersignClient({
    url: 'https://approvals.acme.example',
    token,
    fetch: async (request) => app.fetch(request),
  })
}
