// Plain data as text: the one form in which lists and records stand in a column.
import { canonicalJson } from '../effect/canonical-json.ts'

/**
 * Canonical JSON without a limit of its own: what arrives here was limited when it came in, and a store never refuses
 * evidence for its size (guarantee 12).
 */
export function canonicalText(value: unknown): string {
  return canonicalJson(value, { numbers: 'integers', bytesMax: Number.MAX_SAFE_INTEGER })
}
