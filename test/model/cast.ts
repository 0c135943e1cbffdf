// Everybody who calls the runtime in a model run, in the tenant of that run.
import type { Session } from '../../src/proposal/session.ts'

interface Part {
  readonly kind: Session['principal']['kind']
  readonly roles: readonly string[]
  readonly owner?: Person
}

/** What each role may do stands in `payment.ts`. */
const CAST = {
  rita: { kind: 'user', roles: ['support'] },
  /** Requests and approves, though never her own. */
  ruth: { kind: 'user', roles: ['support', 'finance-manager'] },
  bot: { kind: 'agent', roles: ['support'], owner: 'olga' },
  /** The person behind the agent. */
  olga: { kind: 'user', roles: ['support', 'finance-manager'] },
  fiona: { kind: 'user', roles: ['finance-manager'] },
  felix: { kind: 'user', roles: ['finance-manager'] },
  dora: { kind: 'user', roles: ['director'] },
  oscar: { kind: 'user', roles: ['operator'] },
  /** Operates and approves, though never settles what he approved. */
  otto: { kind: 'user', roles: ['operator', 'finance-manager'] },
  worker: { kind: 'service', roles: ['executor'] },
  gate: { kind: 'service', roles: ['announcer'] },
  pia: { kind: 'user', roles: ['privacy-officer'] },
  sam: { kind: 'user', roles: [] },
} as const satisfies Record<
  string,
  { readonly kind: string; readonly roles: readonly string[]; readonly owner?: string }
>

/** The roles of those who may read. */
export const READERS = ['support', 'finance-manager', 'director', 'operator', 'executor', 'privacy-officer'] as const

export type Person = keyof typeof CAST

/** The session of one of the cast. */
export function sessionOf(tenant: string, person: Person): Session {
  const { kind, roles, owner }: Part = CAST[person]
  return {
    tenant,
    principal: { kind, id: person },
    ...(owner === undefined ? {} : { owner: { kind: CAST[owner].kind, id: owner } }),
    roles: [...roles],
    assurance: ['authenticated_session'],
  }
}

/** Whether the contract lets somebody read at all. */
export function canRead(person: Person): boolean {
  return READERS.some((role) => hasRole(person, role))
}

export function hasRole(person: Person, role: string): boolean {
  const { roles }: Part = CAST[person]
  return roles.includes(role)
}

export function isAgent(person: Person): boolean {
  return CAST[person].kind === 'agent'
}

/** On whose behalf an agent acts. */
export function ownerOf(person: Person): Person | null {
  const { owner }: Part = CAST[person]
  return owner ?? null
}
