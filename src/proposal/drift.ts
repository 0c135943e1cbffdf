// Drift: which material fields of the business state are no longer what was approved.
import type { JsonValue } from '../effect/canonical-json.ts'

/** What of a snapshot is compared, by JSON Pointers: everything but `immaterial`; the lists in `sets` without order. */
export interface Materiality {
  readonly immaterial: readonly string[]
  readonly sets: readonly string[]
}

/** One field that moved. `before` or `after` is absent where there was, or is, nothing. */
export interface Drift {
  readonly path: string
  readonly before?: JsonValue
  readonly after?: JsonValue
}

/** So many moved fields are named; beyond that one knows enough. */
export const DRIFT_PATHS_MAX = 100

/** The fields that moved, with their values, for those who may read them. At most {@link DRIFT_PATHS_MAX}. */
export function drift(approved: JsonValue, current: JsonValue, materiality: Materiality): readonly Drift[] {
  throw new TypeError(String([approved, current, materiality]))
}

/** The pointers of the fields that moved; none is no drift. */
export function driftPaths(approved: JsonValue, current: JsonValue, materiality: Materiality): readonly string[] {
  return drift(approved, current, materiality).map(({ path }) => path)
}
