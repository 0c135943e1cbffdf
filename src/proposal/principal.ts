// Who acts: principals, and when two of them are the same.
import type { Reference } from '../effect/reference.ts'

/** What kind of participant a principal is. An agent may propose and trigger; it never decides, settles, observes or erases. */
export type PrincipalKind = 'user' | 'service' | 'agent'

/** A participant, named by the host's session and never by a request body. Spec: lifecycle 1. */
export interface Principal {
  readonly kind: PrincipalKind
  readonly id: Reference
}

/** A principal in one word, `kind:id`, as policies and receipts spell it. The kind has no colon, so this is unambiguous. */
export function principalName(principal: Principal): string {
  return `${principal.kind}:${principal.id}`
}

/** The principal of a name that {@link principalName} made. */
export function principalOf(name: string): Principal {
  const colon = name.indexOf(':')
  return { kind: name.slice(0, colon) as PrincipalKind, id: name.slice(colon + 1) as Reference }
}

/** Whether two principals are the same one. Ids are compared byte for byte, never case-folded (threat T7). */
export function samePrincipal(a: Principal, b: Principal): boolean {
  return a.kind === b.kind && a.id === b.id
}
