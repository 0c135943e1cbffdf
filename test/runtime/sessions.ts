// Everybody who calls the runtime in tests, as a host's authentication would establish them.
import type { Session } from '../../src/proposal/session.ts'

export const TENANT = 'acme'
export const OTHER_TENANT = 'globex'

/** A session of a principal written `kind:id`. */
export function session(principal: string, roles: readonly string[], fields: Partial<Session> = {}): Session {
  return {
    tenant: TENANT,
    principal: principalOf(principal),
    roles,
    assurance: ['authenticated_session'],
    ...fields,
  }
}

function principalOf(name: string): Session['principal'] {
  const [kind = '', id = ''] = name.split(':')
  return { kind: kind as Session['principal']['kind'], id }
}

/** The same person in another tenant. */
export function elsewhere(one: Session): Session {
  return { ...one, tenant: OTHER_TENANT }
}

/** The cast. What each role may do stands in `refund.ts`. */
export const requester: Session = session('user:rita', ['support'])
export const agent: Session = session('agent:bot', ['support'], { owner: { kind: 'user', id: 'olga' } })
/** The person on whose behalf the agent acts; she could decide, were she not excluded. */
export const agentOwner: Session = session('user:olga', ['finance-manager', 'support'])
export const finance1: Session = session('user:fiona', ['finance-manager'])
export const finance2: Session = session('user:felix', ['finance-manager'])
export const director: Session = session('user:dora', ['director'])
export const operator: Session = session('user:oscar', ['operator'])
/** The configured executor. */
export const service: Session = session('service:worker', ['executor'])
/** May read and list, and nothing else. */
export const reader: Session = session('user:ray', ['auditor'])
/** May erase, and neither read nor do anything else. */
export const privacy: Session = session('user:petra', ['privacy-officer'])
/** Is known, and has no role at all. */
export const stranger: Session = session('user:sam', [])
/** The requester's name and roles, in another tenant. */
export const foreigner: Session = elsewhere(requester)
