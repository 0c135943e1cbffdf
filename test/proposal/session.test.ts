// A session is checked part by part and copied, so that nothing of it changes during an operation.
import { describe, expect, it } from 'vitest'
import { MalformedReference } from '../../src/proposal/errors.ts'
import { parseSession, type Session } from '../../src/proposal/session.ts'

const session: Session = {
  tenant: 'acme',
  principal: { kind: 'agent', id: 'bot' },
  owner: { kind: 'user', id: 'olga' },
  roles: ['support'],
  assurance: ['authenticated_session', 'mfa'],
}

describe('parseSession', () => {
  it('copies what it was given', () => {
    const given = structuredClone(session)
    const parsed = parseSession(given)
    Object.assign(given.principal, { id: 'eve' })
    Object.assign(given.roles, { 0: 'director' })

    expect(parsed).toEqual(session)
  })

  it('says null where there is no owner, and drops what it does not know', () => {
    const { owner: _, ...without } = session

    expect(parseSession({ ...without, isAdmin: true } as Session)).toEqual({ ...without, owner: null })
  })

  it.each<[string, Partial<Record<keyof Session, unknown>>]>([
    ['/session/tenant', { tenant: ' acme' }],
    ['/session/principal', { principal: undefined }],
    ['/session/owner', { owner: null }],
    ['/session/roles', { roles: undefined }],
    ['/session/roles', { roles: 'support' }],
    ['/session/assurance', { assurance: null }],
    ['/session/principal/kind', { principal: { kind: 'root', id: 'x' } }],
    ['/session/principal/id', { principal: { kind: 'user', id: '' } }],
    ['/session/owner/kind', { owner: { kind: 'root', id: 'x' } }],
    ['/session/owner/id', { owner: { kind: 'user', id: 7 } }],
    ['/session/roles/0', { roles: [''] }],
    ['/session/assurance/1', { assurance: ['mfa', 'a\u0000'] }],
  ])('refuses what is malformed at %s', (path, fields) => {
    const parse = (): unknown => parseSession({ ...session, ...fields } as Session)

    expect(parse).toThrow(MalformedReference)
    expect(parse).toThrow(path)
  })

  it.each([null, undefined, 'user:rita'])('refuses %s in the place of a session', (given) => {
    const parse = (): unknown => parseSession(given as Session & string)

    expect(parse).toThrow(MalformedReference)
    expect(parse).toThrow('/session ')
  })
})
