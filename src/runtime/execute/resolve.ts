// Resolving: the host is asked once for the state of the business as it is now.
import type { JsonValue } from '../../effect/canonical-json.ts'
import type { Proposal } from '../../proposal/proposal.ts'
import { judgeResolution, type Resolution } from '../../proposal/answers/resolution.ts'
import type { Core } from '../core.ts'
import { callHost } from '../host-call.ts'
import { hostTrouble, troubleUnlessReturned } from '../host-trouble.ts'
import type { Registered } from '../registry.ts'

/** What it is now, held against what was approved; null when the host throws, is too slow or answers anything else. */
export async function resolve(
  core: Core,
  { definition, resolved }: Registered,
  { tenant, ref, requester, agent }: Proposal,
  snapshot: JsonValue,
): Promise<Resolution | null> {
  const { action, hostTimeoutMs, materiality } = definition
  const context = { tenant, proposal: ref, requester, agent }
  const call = await callHost(core.clock, hostTimeoutMs, (signal) => {
    // The snapshot was committed to under this very definition.
    return action.resolve({ snapshot: snapshot as Parameters<typeof action.resolve>[0]['snapshot'], context, signal })
  })
  const asked = { method: 'resolve', proposal: ref }
  troubleUnlessReturned(core, asked, call)
  const resolution = judgeResolution(call, resolved, snapshot, materiality)
  if (call.kind === 'returned' && resolution === null) hostTrouble(core, asked, { kind: 'malformed' })
  return resolution
}
