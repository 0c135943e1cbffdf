// Canonical JSON as an answer instead of an exception: the text, or why there is none.
import assert from 'node:assert/strict'
import { canonicalJson, CanonicalJsonError } from '../../effect/canonical-json.ts'
import type { LimitName } from '../../effect/limits.ts'

/** The limits that there are on the bytes of a text. */
export type BytesLimit = Extract<LimitName, `${string}Bytes`>

/** The canonical text of plain data with whole numbers, or the error that says where it is not. */
export function canonicalText(value: unknown, bytesLimit: BytesLimit): string | CanonicalJsonError {
  try {
    return canonicalJson(value, { numbers: 'integers', bytesLimit })
  } catch (error) {
    assert(error instanceof CanonicalJsonError)
    return error
  }
}
