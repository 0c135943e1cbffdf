// Everybody who calls the fuzzed app, each with a token that no answer may repeat.
import { type Authenticate, staticTokens } from '../../../src/http.ts'
import type { Session } from '../../../src/proposal/session.ts'
import {
  agent,
  elsewhere,
  finance1,
  finance2,
  operator,
  reader,
  requester,
  service,
  session,
  stranger,
} from '../../runtime/sessions.ts'
import { httpPermissions } from '../world.ts'

/** What every token begins with: it is looked for in every answer. */
export const TOKEN_MARK = 'secret-token-of'

const everyRole = [...new Set(Object.values(httpPermissions).flat())].filter((role) => typeof role === 'string')
const withEveryRole = (one: Session): Session => ({ ...one, roles: everyRole })

/** By name. Whoever has every role is stopped by who they are alone. */
const SESSIONS: Readonly<Record<string, Session>> = {
  rita: withEveryRole(requester),
  fiona: withEveryRole(finance1),
  olivia: withEveryRole(session('user:olivia', [])),
  worker: withEveryRole(service),
  requester,
  agent,
  approver: finance1,
  finance: finance2,
  operator,
  executor: service,
  webhooks: session('service:webhooks', ['webhooks']),
  feed: session('service:feed', ['auditor', 'feed']),
  examiner: session('user:ella', ['auditor', 'examiner']),
  privacy: session('user:petra', ['privacy-officer', 'auditor']),
  reader,
  stranger,
  'rita-elsewhere': elsewhere(withEveryRole(requester)),
  'fiona-elsewhere': elsewhere(withEveryRole(finance1)),
  'worker-elsewhere': elsewhere(withEveryRole(service)),
}

/** Those who can do almost anything stand first. */
export const CALLERS: readonly string[] = Object.keys(SESSIONS)
export const POWERFUL: readonly string[] = ['rita', 'fiona', 'olivia', 'worker', 'rita-elsewhere', 'fiona-elsewhere']

/** The session behind a name. */
export function sessionOf(name: string): Session {
  const found = SESSIONS[name]
  if (found === undefined) throw new Error(`nobody is called ${name}`)
  return found
}

/** What a caller sends as credentials. */
export function tokenOf(name: string): string {
  return `${TOKEN_MARK}-${name}`
}

/** Knows exactly these callers. */
export const authenticate: Authenticate = staticTokens(
  CALLERS.map((name) => ({ token: tokenOf(name), session: sessionOf(name) })),
  { listeningOn: '127.0.0.1' },
)
