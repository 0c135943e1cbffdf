// People for actions of the host's own in development: two for every role that the actions name, and an agent.
import { ACTS } from '../../proposal/contract.ts'
import type { AnyAction } from '../../proposal/action.ts'
import type { Session } from '../../proposal/session.ts'
import type { Cast } from './development-tokens.ts'

/**
 * `support-1`, `support-2` and so on: two, since a policy may ask for two of a role, or exclude the one who asked. `agent`
 * has the roles that may prepare, for an owner who is nobody else.
 */
export function roleCast(actions: readonly AnyAction[]): Cast {
  const people = rolesOf(actions, ACTS).flatMap((role) =>
    [1, 2].map((number) => [`${role}-${number}`, member('user', `${role}-${number}`, [role])] as const),
  )
  const agent = {
    ...member('agent', 'agent', rolesOf(actions, ['prepare'])),
    owner: { kind: 'user', id: 'owner' },
  } as const
  return Object.fromEntries([...people, ['agent', agent]])
}

function rolesOf(actions: readonly AnyAction[], acts: readonly (typeof ACTS)[number][]): readonly string[] {
  const named = actions.flatMap(({ contract: { permissions } }) => acts.flatMap((act) => permissions[act] ?? []))
  return [...new Set(named)].sort()
}

function member(kind: 'user' | 'agent', id: string, roles: readonly string[]): Session {
  return { tenant: 'development', principal: { kind, id }, roles, assurance: ['authenticated_session'] }
}
