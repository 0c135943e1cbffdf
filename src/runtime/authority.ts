// Authority: whether a caller may do something, as the action says; refused unless it clearly says yes.
import type { JsonValue } from '../effect/canonical-json.ts'
import type { Reference } from '../effect/reference.ts'
import type { Caller, CanView } from '../proposal/action.ts'
import type { Approval } from '../proposal/approval.ts'
import type { Act, Contract } from '../proposal/contract.ts'
import type { Definition } from '../proposal/definition/definition.ts'
import { AuthorizationUnavailable, NotPermitted } from '../proposal/errors.ts'
import type { CallerSession } from '../proposal/session.ts'
import type { Proposal } from '../proposal/proposal.ts'
import type { Core } from './core.ts'
import { callHost } from './host-call.ts'
import { hostTrouble, troubleUnlessReturned } from './host-trouble.ts'

/** What the act is about, as far as it is open. */
export interface About {
  readonly proposal?: Proposal
  readonly command?: JsonValue
  readonly snapshot?: JsonValue
}

/**
 * Whether the action lets the caller do this. Only an exact `true` does.
 * @throws AuthorizationUnavailable when the host throws or takes too long. Spec: rules R14, R18.
 */
export async function may(
  core: Core,
  definition: Definition,
  act: Act,
  caller: Caller,
  about: About,
): Promise<boolean> {
  const call = await callHost(core.clock, definition.hostTimeoutMs, () => {
    return definition.action.can(act, caller, canView(about))
  })
  const asked = { method: 'can', proposal: about.proposal?.ref ?? null }
  troubleUnlessReturned(core, asked, call)
  if (call.kind === 'threw') throw new AuthorizationUnavailable({ cause: call.error })
  if (call.kind === 'timed_out') throw new AuthorizationUnavailable()
  // What the host answers is not checked by a compiler: a text or an object would be as good as a yes.
  const answer: unknown = call.value
  if (typeof answer !== 'boolean') hostTrouble(core, asked, { kind: 'malformed' })
  return answer === true
}

/** @throws NotPermitted, AuthorizationUnavailable */
export async function demand(
  core: Core,
  definition: Definition,
  act: Act,
  session: CallerSession,
  about: About,
): Promise<void> {
  if (!(await may(core, definition, act, callerOf(session), about))) throw new NotPermitted(act)
}

/** The caller of an operation, as the session established it. */
export function callerOf(session: CallerSession): Caller {
  const { tenant, principal, owner, roles, assurance } = session
  return { tenant, principal, owner, roles, assurance }
}

/** An approver whose right is asked again, with the roles that were frozen at the decision. */
export function approverOf(tenant: Reference, approval: Approval): Caller {
  const { approver, rolesAtDecision, assurance } = approval
  return { tenant, principal: approver, owner: null, roles: rolesAtDecision, assurance }
}

function canView({ proposal, command, snapshot }: About): CanView<Contract> {
  return {
    proposal: proposal === undefined ? null : summary(proposal),
    // What is handed in was read through the schemas of this very definition.
    command: (command ?? null) as CanView<Contract>['command'],
    snapshot: (snapshot ?? null) as CanView<Contract>['snapshot'],
  }
}

function summary({ ref, status, requester, agent, subject }: Proposal): NonNullable<CanView<Contract>['proposal']> {
  return { ref, status, requester, agent, subject }
}
