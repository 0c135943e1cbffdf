// The resolution: what an action's resolve answers, and whether it means that the business state has drifted.
import { z } from 'zod'
import type { JsonValue } from '../../effect/canonical-json.ts'
import { isReference, type Reference } from '../../effect/reference.ts'
import { parseAnswer } from '../content/boundary.ts'
import { driftPaths, type Materiality } from '../content/drift.ts'
import type { HostCall } from './executor-word.ts'
import { takenApart, withoutUndefined } from './host-answer.ts'
import type { Drift } from '../lifecycle/execute.ts'

/** The state as it was just resolved. */
export interface Resolution {
  /** Null when the thing is gone. */
  readonly current: JsonValue | null
  readonly precondition: Reference
  readonly drift: Pick<Drift, 'reason' | 'paths'> | null
  /** The snapshot of a fresh proposal, as the host offered it; it is judged before it is used. */
  readonly replacement: unknown
}

/** The shape of what resolve answers; a replacement is judged apart, since a bad one must not hide the drift. */
export function resolvedSchema(snapshot: z.ZodObject): z.ZodType {
  return z.strictObject({
    current: snapshot.nullable(),
    precondition: z.string().refine(isReference),
    materiallyDrifted: z.boolean().exactOptional(),
  })
}

/**
 * Judges a resolution; null when the host did not give a valid one. A host can add drift that the fields do not show,
 * and can never take it away. Spec: lifecycle 6.6, rules R10.
 */
export function judgeResolution(
  call: HostCall,
  schema: z.ZodType,
  approved: JsonValue,
  materiality: Materiality,
): Resolution | null {
  if (call.kind !== 'returned') return null
  const { value: replacement, rest } = takenApart(withoutUndefined(call.value), 'replacement')
  const parsed = parseAnswer(schema, rest, 'snapshotBytes', { current: 'snapshotBytes' })
  if (!parsed.ok) return null
  const { current, precondition, materiallyDrifted } = parsed.value as {
    readonly current: JsonValue | null
    readonly precondition: Reference
    readonly materiallyDrifted?: boolean
  }
  return { current, precondition, replacement, drift: judgeDrift(approved, current, materiality, materiallyDrifted) }
}

function judgeDrift(
  approved: JsonValue,
  current: JsonValue | null,
  materiality: Materiality,
  reported: boolean | undefined,
): Resolution['drift'] {
  if (current === null) return { reason: 'subject_gone', paths: [] }
  const paths = driftPaths(approved, current, materiality)
  if (paths.length > 0) return { reason: 'material_drift', paths }
  return reported === true ? { reason: 'host_reports_drift', paths: [] } : null
}
