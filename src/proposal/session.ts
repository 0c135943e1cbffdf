// The session: who is calling, as the host's authentication established it.
import { isReference, type Reference } from '../effect/reference.ts'
import { MalformedReference } from './errors.ts'
import type { Principal, PrincipalKind } from './principal.ts'

/**
 * What a host hands in with every operation. `owner` is the person or service on whose behalf an agent acts; roles and
 * assurance are those of this moment. Nothing of it may come from a request body or from a model. Spec: http "Rules",
 * design D13.
 */
export interface Session {
  readonly tenant: string
  readonly principal: { readonly kind: PrincipalKind; readonly id: string }
  /** For whom an agent acts; like the requester, the owner does not approve what the agent proposed. */
  readonly owner?: { readonly kind: PrincipalKind; readonly id: string }
  readonly roles: readonly string[]
  /** What the session's authentication established; policies ask for `authenticated_session` unless they say otherwise. */
  readonly assurance: readonly string[]
}

/** A session whose references have been checked. */
export interface CallerSession {
  readonly tenant: Reference
  readonly principal: Principal
  readonly owner: Principal | null
  readonly roles: readonly string[]
  readonly assurance: readonly string[]
}

const KINDS: readonly string[] = ['user', 'service', 'agent'] satisfies PrincipalKind[]

/**
 * Checks a session and copies it, so that nothing of it changes during an operation.
 * @throws MalformedReference
 */
export function parseSession(session: Session): CallerSession {
  // What a host hands in is not checked by a compiler when its language has none.
  if (!isObject(session)) throw new MalformedReference('/session')
  const { tenant, principal, owner, roles, assurance } = session
  if (!isReference(tenant)) throw new MalformedReference('/session/tenant')
  return {
    tenant,
    principal: parsePrincipal(principal, '/session/principal'),
    owner: owner === undefined ? null : parsePrincipal(owner, '/session/owner'),
    roles: parseNames(roles, '/session/roles'),
    assurance: parseNames(assurance, '/session/assurance'),
  }
}

function parsePrincipal(principal: unknown, path: string): Principal {
  if (!isObject(principal)) throw new MalformedReference(path)
  const { kind, id } = principal as Session['principal']
  if (!KINDS.includes(kind)) throw new MalformedReference(`${path}/kind`)
  if (!isReference(id)) throw new MalformedReference(`${path}/id`)
  return { kind, id }
}

function parseNames(names: unknown, path: string): readonly string[] {
  if (!Array.isArray(names)) throw new MalformedReference(path)
  return names.map((name: unknown, index) => {
    if (!isReference(name)) throw new MalformedReference(`${path}/${index}`)
    return name
  })
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
