// Tokens: what a good one says of its caller, and every bad one, really signed, that is refused like all the others.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { bearerJwt } from '../../../src/http/auth/bearer-jwt.ts'
import type { BearerJwtOptions } from '../../../src/http/auth/bearer-jwt-options.ts'
import { type Authenticate, sessionOf } from '../../../src/http/auth/session.ts'
import { AuthenticationUnavailable, Unauthenticated } from '../../../src/http/wire/http-refusals.ts'
import { problemOf } from '../../../src/http/wire/problem.ts'
import type { Session } from '../../../src/proposal/session.ts'
import {
  AUDIENCE,
  type Claims,
  confused,
  foreign,
  goodClaims,
  hmacSigned,
  ISSUER,
  jwks,
  keys,
  NOW,
  options,
  reclaimed,
  reheaded,
  secret,
  selfIntroduced,
  signed,
  signedText,
  signingKey,
  unsigned,
} from './issuer.ts'

function requestWith(authorization?: string, url = 'http://localhost/v1/proposals'): Request {
  return new Request(url, authorization === undefined ? {} : { headers: { Authorization: authorization } })
}

async function sessionWith(token: string, more: Partial<BearerJwtOptions> = {}): Promise<Session | null> {
  return bearerJwt({ ...options, ...more })(requestWith(`Bearer ${token}`))
}

async function errorOf(authenticate: Authenticate, authorization?: string): Promise<unknown> {
  return sessionOf(authenticate, requestWith(authorization)).then(
    () => null,
    (error: unknown) => error,
  )
}

const ALICE = {
  tenant: 'acme',
  principal: { kind: 'user', id: 'u-alice' },
  roles: ['finance'],
  assurance: ['authenticated_session', 'mfa'],
}

describe('a good token', () => {
  it.each([keys.ed, keys.ec, keys.rsa])('signed with $alg says who calls', async (key) => {
    expect(await sessionWith(await signed({}, {}, key))).toStrictEqual(ALICE)
  })

  it.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('stands behind the scheme "%s"', async (scheme) => {
    const authenticate = bearerJwt(options)
    expect(await authenticate(requestWith(`${scheme} ${await signed()}`))).toStrictEqual(ALICE)
  })

  it.each<[string, Claims, Claims, Partial<BearerJwtOptions>]>([
    ['of several audiences', { aud: ['https://other.example/', AUDIENCE] }, {}, {}],
    ['one of several audiences of ours', {}, {}, { audience: ['https://old.example/', AUDIENCE] }],
    ['at the edge of its age', { iat: NOW - 3_600 - 30 }, {}, {}],
    ['at the edge of its end', { exp: NOW - 29 }, {}, {}],
    ['at the edge of its beginning', { nbf: NOW + 30 }, {}, {}],
    ['with the long form of its type', {}, { typ: 'application/at+jwt' }, {}],
    ['of another type that was asked for', {}, { typ: 'JWT' }, { type: 'JWT' }],
    ['with members in its header that say nothing here', {}, { jku: 'https://evil.example/', cty: 'x' }, {}],
  ])('may be %s', async (_, claims, header, more) => {
    expect(await sessionWith(await signed(claims, header), more)).toStrictEqual(ALICE)
  })

  it.each<[string, Claims, object]>([
    ['roles as a text', { roles: 'finance  director' }, { roles: ['finance', 'director'] }],
    ['no roles', { roles: undefined }, { roles: [] }],
    ['no assurance but its own', { amr: undefined }, { assurance: ['authenticated_session'] }],
    ['an assurance twice', { amr: ['mfa', 'authenticated_session'] }, { assurance: ['authenticated_session', 'mfa'] }],
    ['a service', { kind: 'service', sub: 's-batch' }, { principal: { kind: 'service', id: 's-batch' } }],
    [
      'an agent and its owner in one word',
      { kind: 'agent', sub: 'a-1', owner: 'user:u-alice' },
      { principal: { kind: 'agent', id: 'a-1' }, owner: { kind: 'user', id: 'u-alice' } },
    ],
    [
      'an agent and its owner in two',
      { kind: 'agent', sub: 'a-1', owner: { kind: 'service', id: 's:1', more: true } },
      { principal: { kind: 'agent', id: 'a-1' }, owner: { kind: 'service', id: 's:1' } },
    ],
    [
      'trace S23: an actor, who is an agent of whom the token is about, whatever its kind says',
      { act: { sub: 'a-1' } },
      { principal: { kind: 'agent', id: 'a-1' }, owner: { kind: 'user', id: 'u-alice' } },
    ],
    [
      'trace S23: the last of several actors',
      { act: { sub: 'a-2', act: { sub: 'a-1' } } },
      { principal: { kind: 'agent', id: 'a-2' }, owner: { kind: 'user', id: 'u-alice' } },
    ],
    [
      'trace S23: the actor for a person whom the token names as owner of somebody else',
      { act: { sub: 'a-1' }, owner: 'user:u-bob' },
      { principal: { kind: 'agent', id: 'a-1' }, owner: { kind: 'user', id: 'u-alice' } },
    ],
    [
      'trace S23: an agent that acts for an agent, for a person',
      { kind: 'agent', sub: 'a-1', act: { sub: 'a-2' }, owner: 'user:u-alice' },
      { principal: { kind: 'agent', id: 'a-2' }, owner: { kind: 'user', id: 'u-alice' } },
    ],
  ])('may name %s', async (_, claims, says) => {
    expect(await sessionWith(await signed(claims))).toMatchObject(says)
  })

  it('may be read by functions', async () => {
    const claims: BearerJwtOptions['claims'] = {
      tenant: ({ org }) => (org as { id: string }).id,
      kind: () => 'agent',
      owner: ({ org }) => ({ kind: 'user', id: (org as { admin: string }).admin }),
      roles: ({ scope }) => scope,
      assurance: () => ['mfa'],
    }
    const token = await signed({ org: { id: 'globex', admin: 'u-hank' }, scope: 'propose execute' })
    expect(await sessionWith(token, { claims })).toStrictEqual({
      tenant: 'globex',
      principal: { kind: 'agent', id: 'u-alice' },
      owner: { kind: 'user', id: 'u-hank' },
      roles: ['propose', 'execute'],
      assurance: ['authenticated_session', 'mfa'],
    })
  })
})

const tamperedSignature = async (): Promise<string> => {
  const token = await signed()
  const at = token.lastIndexOf('.') + 10
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`
}

/** Each differs from a good token in one thing. */
const BAD: readonly (readonly [string, () => Promise<string> | string])[] = [
  ['not signed, alg none', () => unsigned('none')],
  ['not signed, alg None', () => unsigned('None')],
  ['not signed, alg NONE', () => unsigned('NONE')],
  ['a good token whose header now says none', async () => reheaded({ alg: 'none', typ: 'at+jwt' })],
  ['signed with the public key as a secret', confused],
  ['signed with a secret of 4 bytes', () => hmacSigned(secret(4))],
  ['signed with the empty secret', () => hmacSigned('')],
  ['signed with a secret of 64 bytes', () => hmacSigned(secret(64))],
  ['signed with a key of the issuer whose algorithm is not allowed', async () => signed({}, {}, keys.es384)],
  ['signed by somebody else under the name of a key of the issuer', async () => signed({}, {}, foreign)],
  ['signed with a key that nobody knows', async () => signed({}, {}, await signingKey('ES256', 'nobody'))],
  ['signed with one key under the name of another', async () => signed({}, { kid: 'rsa' })],
  ['signed with EdDSA, while its header says ES256', async () => reheaded({ alg: 'ES256', kid: 'ec', typ: 'at+jwt' })],
  ['with its own key in its header', async () => selfIntroduced('jwk', foreign.jwk)],
  ['with the address of its own key set', async () => selfIntroduced('jku', 'https://evil.example/jwks')],
  ['with the address of its own certificate', async () => selfIntroduced('x5u', 'https://evil.example/cert')],
  ['with a kid that is a path', async () => signed({}, { kid: '../../dev/null' }, foreign)],
  ['with a critical extension that nobody knows', async () => signed({}, { crit: ['urn:own'], 'urn:own': 1 })],
  ['with one character of its signature changed', tamperedSignature],
  ['without its signature', async () => (await signed()).replace(/[^.]+$/, '')],
  ['with other claims under its signature', async () => reclaimed({ sub: 'u-mallory' })],
  ['with another role under its signature', async () => reclaimed({ roles: ['director'] })],
  ['with four parts', async () => `${await signed()}.x`],
  ['with two parts', async () => (await signed()).replace(/\.[^.]+$/, '')],
  ['no token at all', () => 'not-a-token'],
  ['of type JWT, such as an identity token', async () => signed({}, { typ: 'JWT' })],
  ['of type logout+jwt', async () => signed({}, { typ: 'logout+jwt' })],
  ['without a type', async () => signed({}, { typ: undefined })],
  ['of another issuer', async () => signed({ iss: 'https://evil.example/' })],
  ['of the issuer without its last slash', async () => signed({ iss: ISSUER.slice(0, -1) })],
  ['of two issuers', async () => signed({ iss: [ISSUER] })],
  ['without an issuer', async () => signed({ iss: undefined })],
  ['for another audience', async () => signed({ aud: 'https://other.example/' })],
  ['for nobody', async () => signed({ aud: [] })],
  ['without an audience', async () => signed({ aud: undefined })],
  ['that is over', async () => signed({ exp: NOW - 31 })],
  ['evidence F18: without an end', async () => signed({ exp: undefined })],
  ['whose end is a text', async () => signed({ exp: String(NOW + 600) })],
  ['whose end is null', async () => signed({ exp: null })],
  ['that is not valid yet', async () => signed({ nbf: NOW + 31 })],
  ['that is too old, although it has not ended', async () => signed({ iat: NOW - 3_600 - 31, exp: NOW + 600 })],
  ['issued in the future', async () => signed({ iat: NOW + 31 })],
  ['without the time of its issue', async () => signed({ iat: undefined })],
  ['without a subject', async () => signed({ sub: undefined })],
  ['without an id', async () => signed({ jti: undefined })],
  ['whose payload is a list', async () => signedText(JSON.stringify([goodClaims]))],
  ['whose payload is no JSON', async () => signedText('x')],
  ['whose subject is a number', async () => signed({ sub: 7 })],
  ['whose subject is empty', async () => signed({ sub: '' })],
  ['whose subject has a control character', async () => signed({ sub: 'u-alice\u0000' })],
  ['whose subject is not in NFC', async () => signed({ sub: 'e\u0301' })],
  ['without a tenant', async () => signed({ tenant: undefined })],
  ['of two tenants', async () => signed({ tenant: ['acme', 'globex'] })],
  ['whose tenant is empty', async () => signed({ tenant: '' })],
  ['trace S23: without a kind', async () => signed({ kind: undefined })],
  ['trace S23: of a kind that nobody knows', async () => signed({ kind: 'admin' })],
  ['trace S23: of kind User', async () => signed({ kind: 'User' })],
  ['trace S23: of an agent without an owner', async () => signed({ kind: 'agent' })],
  ['trace S23: of an agent whose owner is null', async () => signed({ kind: 'agent', owner: null })],
  ['trace S23: of an agent that is owned by an agent', async () => signed({ kind: 'agent', owner: 'agent:a-2' })],
  ['trace S23: the same in two words', async () => signed({ kind: 'agent', owner: { kind: 'agent', id: 'a-2' } })],
  ['trace S23: of an agent whose owner has no kind', async () => signed({ kind: 'agent', owner: 'u-alice' })],
  ['trace S23: of an agent whose owner has no name', async () => signed({ kind: 'agent', owner: 'user:' })],
  ['trace S23: with an actor that is null', async () => signed({ act: null })],
  ['trace S23: with an actor that is a text', async () => signed({ act: 'a-1' })],
  ['trace S23: with an actor without a name', async () => signed({ act: {} })],
  [
    'trace S23: with an actor for an agent without an owner',
    async () => signed({ kind: 'agent', act: { sub: 'a-2' } }),
  ],
  ['whose roles are an object', async () => signed({ roles: { finance: true } })],
  ['one of whose roles is a number', async () => signed({ roles: ['finance', 1] })],
  ['one of whose roles is empty', async () => signed({ roles: [''] })],
  ['whose assurance is true', async () => signed({ amr: true })],
]

describe('threat T37: a bad token is refused like every other one', () => {
  const authenticate = bearerJwt(options)

  it.each(BAD)('%s', async (_, make) => {
    const error = await errorOf(authenticate, `Bearer ${await make()}`)
    expect(error).toBeInstanceOf(Unauthenticated)
    expect(problemOf(error, 'r-1')).toStrictEqual(problemOf(new Unauthenticated('refused'), 'r-1'))
  })

  it.each<[string, string | undefined]>([
    ['no header', undefined],
    ['an empty header', ''],
    ['another scheme', 'Basic dTpw'],
    ['the scheme alone', 'Bearer'],
    ['no scheme', 'eyJhbGciOiJub25lIn0.e30.'],
    ['two words', 'Bearer a b'],
    ['a token in quotes', 'Bearer "a"'],
    ['a token of nine thousand characters', `Bearer ${'a'.repeat(9_000)}`],
    ['the scheme within another word', 'XBearer a'],
  ])('%s is no token', async (_, authorization) => {
    const error = await errorOf(authenticate, authorization)
    expect(problemOf(error, 'r-1')).toStrictEqual(problemOf(new Unauthenticated('none'), 'r-1'))
  })

  it('evidence F17: a good token beside another one is refused with 400', async () => {
    const good = `Bearer ${await signed()}`
    for (const joined of [
      `${good}, Bearer evil`,
      `Bearer evil, ${good}`,
      `${good}, ${good}`,
      `${good}, x`,
      `${good},`,
    ]) {
      expect(problemOf(await errorOf(authenticate, joined), 'r-1')).toMatchObject({ status: 400 })
    }
  })

  it('threat T35: neither another header nor the query says who calls', async () => {
    const token = await signed()
    const request = new Request(`http://localhost/?access_token=${token}&tenant=globex`, {
      headers: {
        'X-Authorization': `Bearer ${token}`,
        'Proxy-Authorization': `Bearer ${token}`,
        Cookie: `token=${token}`,
      },
    })
    expect(await authenticate(request)).toBeNull()
    const headers = {
      Authorization: `Bearer ${token}`,
      'X-Tenant': 'globex',
      'X-User': 'u-mallory',
      'X-Forwarded-User': 'x',
    }
    expect(await authenticate(new Request('http://localhost/?tenant=globex', { headers }))).toStrictEqual(ALICE)
  })

  it('a mapping that fails refuses the token', async () => {
    const claims: BearerJwtOptions['claims'] = {
      ...options.claims,
      tenant: ({ org }) => (org as { id: string }).id,
    }
    const error = await errorOf(bearerJwt({ ...options, claims }), `Bearer ${await signed()}`)
    expect(error).toBeInstanceOf(Unauthenticated)
  })

  it('a mapping finds no claim in what every object has', async () => {
    const claims: BearerJwtOptions['claims'] = { ...options.claims, roles: 'constructor', assurance: 'toString' }
    expect(await sessionWith(await signed(), { claims })).toMatchObject({
      roles: [],
      assurance: ['authenticated_session'],
    })
  })
})

describe('options that cannot be safe are refused', () => {
  const { jwk } = keys.rsa
  it.each<[string, object]>([
    ['no issuer', { issuer: '' }],
    ['no issuer at all', { issuer: undefined }],
    ['no audience', { audience: '' }],
    ['no audience at all', { audience: undefined }],
    ['an empty list of audiences', { audience: [] }],
    ['an audience that is empty', { audience: ['a', ''] }],
    ['no algorithms', { algorithms: [] }],
    ['none', { algorithms: ['none'] }],
    ['evidence F18: a symmetric algorithm', { algorithms: ['EdDSA', 'HS256'] }],
    ['no type', { type: '' }],
    ['no claims', { claims: undefined }],
    ['no claim for the kind', { claims: { ...options.claims, kind: undefined } }],
    ['no claim for the owner', { claims: { ...options.claims, owner: '' } }],
    ['no key set', { jwks: undefined }],
    ['an address that is a text', { jwks: 'https://issuer.example/jwks' }],
    ['an empty key set', { jwks: { keys: [] } }],
    ['an address without encryption', { jwks: new URL('http://issuer.example/jwks') }],
    ['a file', { jwks: new URL('file:///etc/keys.json') }],
    ['a shared secret among the keys', { jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }],
    ['a private key among the keys', { jwks: { keys: [{ ...jwk, d: 'AAAA' }] } }],
    ['a short RSA key', { jwks: { keys: [{ ...jwk, n: Buffer.alloc(128, 1).toString('base64url') }] } }],
    ['an endless age', { maxAgeMs: Number.POSITIVE_INFINITY }],
    ['a negative tolerance', { clockToleranceMs: -1 }],
  ])('%s', (_, wrong) => {
    expect(() => bearerJwt({ ...options, ...wrong })).toThrow(TypeError)
  })
})

/** A key set that is served over HTTP, and how often it was asked for. */
class KeyServer {
  asked = 0
  readonly #server: Server
  constructor(answer: (asked: number) => { status: number; body: string } | null) {
    this.#server = createServer((_, response) => {
      this.asked += 1
      const given = answer(this.asked)
      if (given === null) return
      response.writeHead(given.status, { 'Content-Type': 'application/json' }).end(given.body)
    })
  }

  async url(): Promise<URL> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve)
    })
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/jwks`)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }
}

describe('a key set at an address', () => {
  const open: KeyServer[] = []
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close()
  })

  const served = (answer: (asked: number) => { status: number; body: string } | null): KeyServer => {
    const server = new KeyServer(answer)
    open.push(server)
    return server
  }
  const good = { status: 200, body: JSON.stringify(jwks) }

  it('is read once and believed for a while', async () => {
    const server = served(() => good)
    const authenticate = bearerJwt({ ...options, jwks: await server.url() })
    for (const key of [keys.ed, keys.ec, keys.rsa]) {
      expect(await authenticate(requestWith(`Bearer ${await signed({}, {}, key)}`))).toStrictEqual(ALICE)
    }
    expect(server.asked).toBe(1)
  })

  it('is not read for a token whose algorithm is not allowed', async () => {
    const server = served(() => good)
    const authenticate = bearerJwt({ ...options, jwks: await server.url() })
    for (const token of [unsigned('none'), hmacSigned(secret(32)), await signed({}, {}, keys.es384)]) {
      expect(await errorOf(authenticate, `Bearer ${token}`)).toBeInstanceOf(Unauthenticated)
    }
    expect(server.asked).toBe(0)
  })

  it('is not read again for every unknown key', async () => {
    const server = served(() => good)
    const authenticate = bearerJwt({ ...options, jwks: await server.url() })
    for (const kid of ['x', 'y', 'z']) {
      expect(await errorOf(authenticate, `Bearer ${await signed({}, { kid })}`)).toBeInstanceOf(Unauthenticated)
    }
    expect(server.asked).toBe(1)
  })

  it('is read again for a new key, once the last read is long enough ago', async () => {
    const { ed, ...others } = keys
    const before = { status: 200, body: JSON.stringify({ keys: Object.values(others).map(({ jwk }) => jwk) }) }
    const server = served((asked) => (asked === 1 ? before : good))
    const authenticate = bearerJwt({ ...options, jwks: await server.url(), remote: { cooldownMs: 0 } })
    expect(await sessionOf(authenticate, requestWith(`Bearer ${await signed({}, {}, keys.ec)}`))).toStrictEqual(ALICE)
    expect(await sessionOf(authenticate, requestWith(`Bearer ${await signed({}, {}, ed)}`))).toStrictEqual(ALICE)
    expect(server.asked).toBe(2)
  })

  it.each<[string, { status: number; body: string } | null]>([
    ['answers 500', { status: 500, body: '{}' }],
    ['answers 404', { status: 404, body: '{}' }],
    ['answers no JSON', { status: 200, body: 'canary' }],
    ['answers no key set', { status: 200, body: '{"keys":"none"}' }],
    ['does not answer', null],
  ])('that %s is a matter of 503 and not of the token', async (_, answer) => {
    const server = served(() => answer)
    const authenticate = bearerJwt({ ...options, jwks: await server.url(), remote: { timeoutMs: 50 } })
    const error = await errorOf(authenticate, `Bearer ${await signed()}`)
    expect(error).toBeInstanceOf(AuthenticationUnavailable)
    expect(problemOf(error, 'r-1')).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } })
  })

  it('that nobody serves is one too', async () => {
    const server = served(() => good)
    const url = await server.url()
    await server.close()
    const error = await errorOf(bearerJwt({ ...options, jwks: url }), `Bearer ${await signed()}`)
    expect(error).toBeInstanceOf(AuthenticationUnavailable)
  })

  it('is asked for nothing if there is no token', async () => {
    const server = served(() => good)
    const authenticate = bearerJwt({ ...options, jwks: await server.url() })
    expect(await authenticate(requestWith())).toBeNull()
    expect(server.asked).toBe(0)
  })
})
