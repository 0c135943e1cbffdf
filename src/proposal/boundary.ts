// The boundary: how content of a host or caller becomes a checked, frozen copy, or a list of problems without a value in it.
import type { z } from 'zod'
import type { LimitName } from '../effect/limits.ts'
import type { Problem } from './errors.ts'

/** The limits that content is read under. */
export type ContentLimit = 'commandBytes' | 'snapshotBytes' | 'previewBytes' | 'resultBytes'

/** Content that fits, as its canonical text and as a deeply frozen copy; or what is wrong, and the limit that was exceeded. */
export type Content<T> =
  | { readonly ok: true; readonly text: string; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly limit: LimitName | null }

/**
 * Reads content through its schema. The value is copied once, as canonical JSON; the schema, storage and the host see
 * only that copy. Problems name a path and a rule, never a value and never the name of a key that the schema does not
 * know. Spec: policy-and-protection 3, lifecycle 4.
 */
export function parseContent<S extends z.ZodObject>(
  schema: S,
  value: unknown,
  limit: ContentLimit,
): Content<z.output<S>> {
  throw new TypeError(String([schema, value, limit]))
}
