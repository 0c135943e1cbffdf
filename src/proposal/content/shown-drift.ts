// Shown drift: on which of the fields that moved a preview depends, so that these may be named to whoever sees the preview.
import assert from 'node:assert/strict'
import { deepFreeze, type JsonValue } from '../../effect/canonical-json.ts'
import { parseJsonPointer } from '../../effect/json-pointer.ts'
import type { Drift } from './drift.ts'

/**
 * The paths of the moved fields that a preview shows: with that one field as it is now, the preview is another. What only
 * happens to be equal to something shown is not named, and what is summed up in it is. `preview` answers a text, or null
 * for a state of which the action has none. Spec: rules R14.
 */
export function shownPaths(
  approved: JsonValue,
  moved: readonly Drift[],
  preview: (snapshot: JsonValue) => string | null,
): readonly string[] {
  const before = preview(approved)
  if (before === null) return []
  const isShown = (one: Drift): boolean => {
    const segments = parseJsonPointer(one.path)
    assert(segments !== null)
    const after = preview(deepFreeze(withMoved(approved, segments, one.after)))
    return after !== null && after !== before
  }
  return moved.filter(isShown).map(({ path }) => path)
}

// A copy with one field as it is now; undefined where it is no more. The path is one that drift found.
function withMoved(value: JsonValue, [segment, ...rest]: readonly string[], after: JsonValue | undefined): JsonValue {
  if (segment === undefined) {
    assert(after !== undefined, 'there is something at every root')
    return after
  }
  const inner = rest.length === 0 ? after : withMoved(child(value, segment), rest, after)
  if (isList(value)) return value.toSpliced(Number(segment), 1, ...(inner === undefined ? [] : [inner]))
  const { [segment]: _before, ...others } = value as Fields
  return inner === undefined ? others : { ...others, [segment]: inner }
}

type Fields = { readonly [key: string]: JsonValue }

function child(value: JsonValue, segment: string): JsonValue {
  const inner = (value as Fields)[segment]
  assert(inner !== undefined, 'the path leads through what was there')
  return inner
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
