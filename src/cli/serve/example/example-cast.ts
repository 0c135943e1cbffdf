// The people and programs of the example, in one tenant.
import type { Session } from '../../../proposal/session.ts'
import type { Cast } from '../development-tokens.ts'

const requester = { kind: 'user', id: 'requester' } as const

/** By the names that `--json` prints. What their roles may do stands in permissions.ts. Spec: http "countersign serve". */
export const exampleCast = {
  requester: member(requester, 'requester'),
  // Proposes on the requester's behalf, who is for that reason excluded from approving it.
  agent: { ...member({ kind: 'agent', id: 'agent' }, 'agent'), owner: requester },
  finance1: member({ kind: 'user', id: 'finance1' }, 'finance-manager'),
  finance2: member({ kind: 'user', id: 'finance2' }, 'finance-manager'),
  director: member({ kind: 'user', id: 'director' }, 'director'),
  operator: member({ kind: 'user', id: 'operator' }, 'operator'),
  reader: member({ kind: 'user', id: 'reader' }, 'evidence-reader'),
} as const satisfies Cast

function member(principal: Session['principal'], role: string): Session {
  return { tenant: 'example', principal, roles: [role], assurance: ['authenticated_session'] }
}
