// JSON Pointers (RFC 6901): how a place in a JSON document is written, read and looked up.
import type { JsonValue } from './canonical-json.ts'

/** The pointer to the place that the segments lead to; no segments are the whole document, the empty string. */
export function jsonPointer(segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The segments of a pointer, unescaped, or null if the text is no JSON Pointer. */
export function parseJsonPointer(text: string): readonly string[] | null {
  if (text === '') return []
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return null
  return text
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * The value at the place, or undefined if the document has no such place. Only own properties count, so `/constructor`
 * finds nothing that the document does not hold.
 * @throws TypeError if the text is no JSON Pointer.
 */
export function valueAt(json: JsonValue, pointer: string): JsonValue | undefined {
  const segments = parseJsonPointer(pointer)
  if (segments === null) throw new TypeError('Not a JSON Pointer')
  return segments.reduce<JsonValue | undefined>(child, json)
}

function child(parent: JsonValue | undefined, segment: string): JsonValue | undefined {
  if (typeof parent !== 'object' || parent === null) return undefined
  if (isArray(parent)) return /^(0|[1-9]\d*)$/.test(segment) ? parent[Number(segment)] : undefined
  return Object.hasOwn(parent, segment) ? parent[segment] : undefined
}

/** `Array.isArray` does not narrow to a readonly array. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
