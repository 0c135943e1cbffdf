// Fixed tokens: whose they are, where they may be taken, and what is refused before a server starts.
import { describe, expect, it } from 'vitest'
import { isLoopback } from '../../../src/http/auth/loopback.ts'
import { type Authenticate, sessionOf } from '../../../src/http/auth/session.ts'
import { demandSuitableAddress, type StaticToken, staticTokens } from '../../../src/http/auth/static-tokens.ts'
import { MalformedRequest, Unauthenticated } from '../../../src/http/wire/http-refusals.ts'
import { problemOf } from '../../../src/http/wire/problem.ts'
import type { Session } from '../../../src/proposal/session.ts'

const ALICE: Session = { tenant: 'acme', principal: { kind: 'user', id: 'u-alice' }, roles: ['finance'], assurance: [] }
const AGENT: Session = {
  tenant: 'acme',
  principal: { kind: 'agent', id: 'a-1' },
  owner: ALICE.principal,
  roles: [],
  assurance: [],
}
const TOKENS: readonly StaticToken[] = [
  { token: 'token-of-alice-0001', session: ALICE },
  { token: 'token-of-agent-0001', session: AGENT },
]
const HERE = { listeningOn: '127.0.0.1' }

function requestWith(authorization?: string): Request {
  return new Request(
    'http://localhost/',
    authorization === undefined ? {} : { headers: { Authorization: authorization } },
  )
}

async function errorOf(authenticate: Authenticate, authorization?: string): Promise<unknown> {
  return sessionOf(authenticate, requestWith(authorization)).then(
    () => null,
    (error: unknown) => error,
  )
}

describe('static tokens', () => {
  const authenticate = staticTokens(TOKENS, HERE)

  it('say who calls', async () => {
    expect(await authenticate(requestWith('Bearer token-of-alice-0001'))).toStrictEqual(ALICE)
    expect(await authenticate(requestWith('bearer token-of-agent-0001'))).toStrictEqual(AGENT)
  })

  it.each([
    'Bearer token-of-alice-0002',
    'Bearer token-of-alice-000',
    'Bearer token-of-alice-00011',
    'Bearer TOKEN-OF-ALICE-0001',
    'Bearer x',
    'Bearer toString',
  ])('threat T37: %s is refused', async (authorization) => {
    const error = await errorOf(authenticate, authorization)
    expect(problemOf(error, 'r-1')).toStrictEqual(problemOf(new Unauthenticated('refused'), 'r-1'))
  })

  it.each([undefined, '', 'token-of-alice-0001', 'Basic token-of-alice-0001', 'Bearer'])(
    '%s is no token',
    async (authorization) => {
      const error = await errorOf(authenticate, authorization)
      expect(problemOf(error, 'r-1')).toStrictEqual(problemOf(new Unauthenticated('none'), 'r-1'))
    },
  )

  it('evidence F17: two of them are refused with 400', async () => {
    const error = await errorOf(authenticate, 'Bearer token-of-alice-0001, Bearer token-of-agent-0001')
    expect(error).toBeInstanceOf(MalformedRequest)
  })

  it('are copied: who a token speaks for cannot be changed afterwards', async () => {
    const roles = ['finance']
    const own = staticTokens([{ token: 'token-of-alice-0001', session: { ...ALICE, roles } }], HERE)
    roles.push('director')
    const session = await own(requestWith('Bearer token-of-alice-0001'))
    expect(session?.roles).toStrictEqual(['finance'])
    expect(Object.isFrozen(session?.roles)).toBe(true)
  })
})

const LOOPBACK = ['127.0.0.1', '127.1.2.3', 'localhost', '::1', '[::1]']
const REACHABLE = [
  '0.0.0.0',
  '::',
  '',
  '10.0.0.1',
  '192.168.1.2',
  '128.0.0.1',
  '127.0.0.1.example.com',
  'localhost.example.com',
  'xlocalhost',
  '1270.0.0.1',
  '127.0.0',
  '::2',
  'example.com',
  '127.0.0.1\n0.0.0.0',
]

describe('an address', () => {
  it.each(LOOPBACK)('%s is loopback', (address) => {
    expect(isLoopback(address)).toBe(true)
    const authenticate = staticTokens(TOKENS, { listeningOn: address })
    expect(() => demandSuitableAddress(authenticate, address)).not.toThrow()
  })

  it.each(REACHABLE)('%j is not, and static tokens are refused there unless somebody asks for them', (address) => {
    expect(isLoopback(address)).toBe(false)
    expect(() => staticTokens(TOKENS, { listeningOn: address })).toThrow('beyondLoopback')
    const asked = staticTokens(TOKENS, { listeningOn: address, beyondLoopback: true })
    expect(() => demandSuitableAddress(asked, address)).not.toThrow()
  })

  it('trace S55: that is another one than the tokens were made for is refused when the server starts', () => {
    const authenticate = staticTokens(TOKENS, HERE)
    expect(() => demandSuitableAddress(authenticate, '0.0.0.0')).toThrow(TypeError)
  })

  it('is of no interest to other authentication', () => {
    expect(() => demandSuitableAddress(() => null, '0.0.0.0')).not.toThrow()
  })
})

describe('tokens that cannot be safe are refused', () => {
  const [first] = TOKENS
  it.each<[string, readonly unknown[]]>([
    ['a short one', [{ token: 'x'.repeat(15), session: ALICE }]],
    ['an empty one', [{ token: '', session: ALICE }]],
    ['one that no header can have', [{ token: 'token of alice 0001', session: ALICE }]],
    ['one with a comma', [{ token: 'token,of,alice,0001', session: ALICE }]],
    ['the same one twice', [first, { token: 'token-of-alice-0001', session: AGENT }]],
    ['one that nobody holds', [{ token: 'token-of-nobody-001' }]],
    ['one of nobody in particular', [{ token: 'token-of-nobody-001', session: { ...ALICE, principal: null } }]],
    ['one of no tenant', [{ token: 'token-of-nobody-001', session: { ...ALICE, tenant: '' } }]],
    [
      'trace S23: one of an agent without an owner',
      [{ token: 'token-of-agent-0001', session: { ...ALICE, principal: AGENT.principal } }],
    ],
  ])('%s', (_, tokens) => {
    expect(() => staticTokens(tokens as readonly StaticToken[], HERE)).toThrow(TypeError)
  })

  it('and the sentence does not repeat them', () => {
    expect(() => staticTokens([{ token: 'canary 1', session: ALICE }], HERE)).toThrow(/^(?!.*canary).*$/)
  })
})
