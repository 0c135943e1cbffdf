// The host's authentication: asked once, believed only in the right form, and never with two credentials.
import { describe, expect, it } from 'vitest'
import { type Authenticate, sessionOf } from '../../../src/http/auth/session.ts'
import { AuthenticationUnavailable, MalformedRequest, Unauthenticated } from '../../../src/http/wire/http-refusals.ts'
import { problemOf } from '../../../src/http/wire/problem.ts'
import type { Session } from '../../../src/proposal/session.ts'

const ALICE: Session = { tenant: 'acme', principal: { kind: 'user', id: 'u-alice' }, roles: [], assurance: [] }
const request = new Request('http://localhost/')

function withAuthorization(value: string): Request {
  return new Request('http://localhost/', { headers: { Authorization: value } })
}

describe('the session of a request', () => {
  it('is what the host says, now or later', async () => {
    expect(await sessionOf(() => ALICE, request)).toBe(ALICE)
    expect(await sessionOf(async () => ALICE, request)).toBe(ALICE)
  })

  it('is none if the host knows nobody', async () => {
    await expect(sessionOf(() => null, request)).rejects.toThrow(Unauthenticated)
  })

  it('passes on what the host refuses with', async () => {
    const unavailable: Authenticate = async () => {
      throw new AuthenticationUnavailable()
    }
    await expect(sessionOf(unavailable, request)).rejects.toThrow(AuthenticationUnavailable)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['true', true],
    ['a name', 'u-alice'],
    ['an empty object', {}],
    ['no tenant', { ...ALICE, tenant: '' }],
    ['a kind that nobody knows', { ...ALICE, principal: { kind: 'admin', id: 'u-alice' } }],
    ['an owner that is null', { ...ALICE, owner: null }],
    ['roles in one text', { ...ALICE, roles: 'finance' }],
    ['no assurance', { ...ALICE, assurance: undefined }],
  ])('of the wrong form is a fault of the host and not of the caller: %s', async (_, session) => {
    const error: unknown = await sessionOf(() => session as Session, request).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect(problemOf(error, 'r-1')).toMatchObject({ status: 500, body: { code: 'internal' } })
  })

  it.each([
    'Bearer a, Bearer b',
    'Bearer a,Bearer b',
    'Bearer a, b',
    'Bearer a,',
    'Bearer a, , b',
    'Basic a, Bearer b',
    'Digest username="a", Bearer b',
    'Bearer a, Digest username="b"',
  ])('evidence F17: is not asked for with %s', async (value) => {
    let asked = 0
    const authenticate: Authenticate = () => {
      asked += 1
      return ALICE
    }
    await expect(sessionOf(authenticate, withAuthorization(value))).rejects.toThrow(MalformedRequest)
    expect(asked).toBe(0)
  })

  it.each(['Bearer a', 'Digest username="a", realm="b", uri="/"', 'Signed-By keyId=a, Headers=b;c, Signature=d=='])(
    'is asked for with one credential of any scheme: %s',
    async (value) => {
      expect(await sessionOf(() => ALICE, withAuthorization(value))).toBe(ALICE)
    },
  )
})
