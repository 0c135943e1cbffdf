// Check: would the proposal still stand? Resolves only, and writes nothing.
import { canonicalJson, type JsonValue } from '../effect/canonical-json.ts'
import { drift } from '../proposal/content/drift.ts'
import { ContentUnavailable } from '../proposal/errors.ts'
import type { Resolution } from '../proposal/answers/resolution.ts'
import type { CallerSession } from '../proposal/session.ts'
import { shownPaths } from '../proposal/content/shown-drift.ts'
import { demand } from './authority.ts'
import { openContent } from './content.ts'
import type { Core } from './core.ts'
import { previewOf } from './prepare/draft.ts'
import { load } from './load.ts'
import type { Registered } from './registry.ts'
import { resolve } from './execute/resolve.ts'

/** At which revision to check. */
export interface CheckInput {
  readonly ifRevision?: number
}

/** What a check found. `drifted` is null when the business state could not be resolved. */
export interface CheckResult {
  readonly outcome: 'checked'
  readonly drifted: boolean | null
  /** The paths that moved, of those that the preview shows: a check must not watch what is private (rules R14). */
  readonly paths: readonly string[]
}

/**
 * Only the very definition that the proposal was made under can say whether it still stands. Spec: lifecycle 8.
 * @throws NotFound, RevisionMismatch, NotPermitted, AuthorizationUnavailable, ContentUnavailable
 */
export async function check(
  core: Core,
  session: CallerSession,
  ref: string,
  input: CheckInput = {},
): Promise<CheckResult> {
  const { stored, registered: permitting } = await load(core, session, ref, input.ifRevision)
  const { proposal } = stored
  await demand(core, permitting.definition, 'check', session, { proposal })
  const { snapshot, committed } = await openContent(core, stored)
  if (!committed) throw new ContentUnavailable('damaged')
  const registered = core.registry.exact(proposal.action)
  if (registered === null || registered.definition.digest !== proposal.definitionDigest) return UNKNOWN
  const resolution = await resolve(core, registered, proposal, snapshot)
  if (resolution === null) return UNKNOWN
  return { outcome: 'checked', drifted: resolution.drift !== null, paths: pathsShown(registered, snapshot, resolution) }
}

const UNKNOWN: CheckResult = { outcome: 'checked', drifted: null, paths: [] }

function pathsShown(
  { definition }: Registered,
  snapshot: JsonValue,
  { current, drift: found }: Resolution,
): readonly string[] {
  if (current === null || found === null) return []
  return shownPaths(snapshot, drift(snapshot, current, definition.materiality), (state) => {
    try {
      return canonicalJson(previewOf(definition, state), { numbers: 'integers' })
    } catch {
      return null // The action has no preview of a state that never was whole.
    }
  })
}
