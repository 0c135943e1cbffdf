// Check: would the proposal still stand? Resolves only, and writes nothing.
import type { JsonValue } from '../effect/canonical-json.ts'
import { valueAt } from '../effect/json-pointer.ts'
import { judgeResolution } from '../proposal/resolution.ts'
import type { CallerSession } from '../proposal/session.ts'
import { demand } from './authority.ts'
import { openContent } from './content.ts'
import type { Core } from './core.ts'
import { callHost } from './host-call.ts'
import { load } from './load.ts'

/** What a check found. `drifted` is null when the business state could not be resolved. */
export interface CheckResult {
  readonly outcome: 'checked'
  readonly drifted: boolean | null
  /** The paths that moved, of those that the preview shows: a check must not watch what is private (rules R14). */
  readonly paths: readonly string[]
}

/** Spec: lifecycle 8. */
export async function check(core: Core, session: CallerSession, ref: string): Promise<CheckResult> {
  const { stored, registered } = await load(core, session, ref)
  const { definition } = registered
  await demand(core, definition, 'check', session, { proposal: stored.proposal })
  const { snapshot, preview } = await openContent(core, stored)
  const { tenant, requester, agent } = stored.proposal
  const context = { tenant, proposal: stored.proposal.ref, requester, agent }
  const { action, hostTimeoutMs, materiality } = definition
  const call = await callHost(core.clock, hostTimeoutMs, (signal) => {
    // The bytes were committed to under this action's schema.
    return action.resolve({ snapshot: snapshot as Parameters<typeof action.resolve>[0]['snapshot'], context, signal })
  })
  const resolution = judgeResolution(call, registered.resolved, snapshot, materiality)
  if (resolution === null) return { outcome: 'checked', drifted: null, paths: [] }
  const paths = resolution.drift?.paths ?? []
  return {
    outcome: 'checked',
    drifted: resolution.drift !== null,
    paths: paths.filter((path) => isShown(snapshot, preview, path)),
  }
}

// A field is shown if the preview has its very value somewhere: the viewer knows it already.
function isShown(snapshot: JsonValue, preview: JsonValue, path: string): boolean {
  const value = valueAt(snapshot, path)
  return value !== undefined && contains(preview, JSON.stringify(value))
}

function contains(shown: JsonValue, text: string): boolean {
  if (JSON.stringify(shown) === text) return true
  if (typeof shown !== 'object' || shown === null) return false
  return Object.values(shown).some((part: JsonValue) => contains(part, text))
}
