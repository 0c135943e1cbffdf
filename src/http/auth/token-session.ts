// From the claims of a verified token to the session of its caller.
import { deepFreeze, type JsonValue } from '../../effect/canonical-json.ts'
import type { PrincipalKind } from '../../proposal/principal.ts'
import { parseSession, type Session } from '../../proposal/session.ts'
import { Unauthenticated } from '../wire/http-refusals.ts'

/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>

/** A claim by its name, or a function that finds the value in the claims; one that throws refuses the token. */
export type ClaimSource = string | ((claims: Claims) => unknown)

/**
 * Which claims say who calls. The caller is the token's `sub`, of the kind that `kind` names. A token with an `act` claim
 * (RFC 8693) is an agent's: the caller is the actor, and its owner is `sub`. Spec: http "Rules", traces S23.
 */
export interface ClaimMapping {
  readonly tenant: ClaimSource
  /** `user`, `service` or `agent`. */
  readonly kind: ClaimSource
  /** Who an agent acts for: `{ kind, id }` or `kind:id`, a user or a service. An agent without one is refused. */
  readonly owner: ClaimSource
  /** A list of strings, or strings with spaces between them. Without the claim there are none. */
  readonly roles: ClaimSource
  /** What the token says of how its holder was authenticated, like roles; `authenticated_session` comes by itself. */
  readonly assurance: ClaimSource
}

type Principal = Session['principal']

const OWNER_NAME = /^(user|service):(.+)$/s

/**
 * The session that the claims make.
 * @throws Unauthenticated or MalformedReference if they make none, and whatever a mapping throws
 */
export function tokenSession(claims: Claims, mapping: ClaimMapping): Session {
  deepFreeze(claims as { readonly [name: string]: JsonValue })
  const { principal, owner } = parties(claims, mapping)
  // An owner that is itself an agent would hide the person whom the exclusions are about.
  if (owner?.kind === 'agent' || (principal.kind === 'agent' && owner === null)) throw new Unauthenticated('refused')
  const session: Session = {
    tenant: textOf(claimed(claims, mapping.tenant)),
    principal,
    ...(owner === null ? {} : { owner }),
    roles: namesOf(claimed(claims, mapping.roles)),
    assurance: [...new Set(['authenticated_session', ...namesOf(claimed(claims, mapping.assurance))])],
  }
  parseSession(session)
  return session
}

function parties(claims: Claims, mapping: ClaimMapping): { principal: Principal; owner: Principal | null } {
  const subject: Principal = { kind: kindOf(claimed(claims, mapping.kind)), id: textOf(claimed(claims, 'sub')) }
  const owner = ownerOf(claimed(claims, mapping.owner))
  if (!Object.hasOwn(claims, 'act')) return { principal: subject, owner }
  const { act } = claims
  const actor: Principal = { kind: 'agent', id: textOf(isObject(act) ? claimed(act, 'sub') : null) }
  return { principal: actor, owner: subject.kind === 'agent' ? owner : subject }
}

/** Own claims only, so that no name finds what every object has. */
function claimed(claims: Claims, source: ClaimSource): unknown {
  if (typeof source === 'function') return source(claims)
  return Object.hasOwn(claims, source) ? claims[source] : undefined
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Unauthenticated('refused')
  return value
}

function kindOf(value: unknown): PrincipalKind {
  if (value !== 'user' && value !== 'service' && value !== 'agent') throw new Unauthenticated('refused')
  return value
}

function ownerOf(value: unknown): Principal | null {
  if (value === undefined) return null
  if (isObject(value)) return { kind: kindOf(value['kind']), id: textOf(value['id']) }
  const [, kind, id] = OWNER_NAME.exec(textOf(value)) ?? []
  return { kind: kindOf(kind), id: textOf(id) }
}

function namesOf(value: unknown): readonly string[] {
  if (value === undefined) return []
  if (typeof value === 'string') return value.split(' ').filter((name) => name !== '')
  if (!Array.isArray(value)) throw new Unauthenticated('refused')
  return value.map(textOf)
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
