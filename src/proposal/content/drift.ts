// Drift: which material fields of the business state are no longer what was approved.
import { canonicalJson, type JsonValue } from '../../effect/canonical-json.ts'
import { jsonPointer } from '../../effect/json-pointer.ts'

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

/** So many moved fields are named; whoever sees more of them knows enough. */
export const DRIFT_PATHS_MAX = 100

/**
 * The fields that moved, each at its deepest path, in the order of the snapshot's keys; at most {@link DRIFT_PATHS_MAX}.
 * Lists are compared by index, so an element that goes moves those after it. A list in `sets` is compared without order,
 * and how often an element is in it still counts: two equal refund lines are not one. `immaterial` wins over everything
 * below it. Spec: lifecycle 6.6, policy-and-protection 3.
 */
export function drift(approved: JsonValue, current: JsonValue, materiality: Materiality): readonly Drift[] {
  const comparison: Comparison = {
    immaterial: new Set(materiality.immaterial),
    sets: new Set(materiality.sets),
    moved: [],
  }
  compare(comparison, '', approved, current)
  return comparison.moved
}

/** The paths of the fields that moved; none is no drift. Paths may be stored and shown where values may not (rules R19). */
export function driftPaths(approved: JsonValue, current: JsonValue, materiality: Materiality): readonly string[] {
  return drift(approved, current, materiality).map(({ path }) => path)
}

interface Comparison {
  readonly immaterial: ReadonlySet<string>
  readonly sets: ReadonlySet<string>
  readonly moved: Drift[]
}

type Fields = { readonly [key: string]: JsonValue }

function compare(
  comparison: Comparison,
  path: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): void {
  if (comparison.immaterial.has(path) || comparison.moved.length === DRIFT_PATHS_MAX) return
  if (isList(before) && isList(after)) {
    if (!comparison.sets.has(path)) compareLists(comparison, path, before, after)
    else if (withoutOrder(before) !== withoutOrder(after)) comparison.moved.push({ path, before, after })
  } else if (isFields(before) && isFields(after)) compareFields(comparison, path, before, after)
  else if (before !== after) {
    comparison.moved.push({ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) })
  }
}

function compareLists(
  comparison: Comparison,
  path: string,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): void {
  const longer = before.length > after.length ? before : after
  for (const index of longer.keys()) compare(comparison, `${path}/${index}`, before[index], after[index])
}

function compareFields(comparison: Comparison, path: string, before: Fields, after: Fields): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compare(comparison, path + jsonPointer([key]), field(before, key), field(after, key))
  }
}

function withoutOrder(list: readonly JsonValue[]): string {
  return list
    .map((element) => canonicalJson(element, { numbers: 'integers', bytesLimit: 'snapshotBytes' }))
    .sort()
    .join('\n')
}

function field(fields: Fields, key: string): JsonValue | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function isFields(value: JsonValue | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
