// If-Match: the revision that a caller has seen.
import { MalformedRequest } from './http-refusals.ts'
import { singletonHeader } from './singleton-header.ts'

/** What {@link parseIfMatch} answers for a strong tag that was never one of ours: a revision that no proposal has. */
export const NEVER_A_REVISION = -1

const STRONG_TAG = /^"[!#-~]*"$/
const REVISION_TAG = /^"(0|[1-9]\d{0,15})"$/

/**
 * The revision that the request expects, or null if it does not say. The header is optional everywhere; the mismatch
 * itself, 412, is the runtime's to find. Spec: http "Rules", reliability 5.2.
 * @throws MalformedRequest unless it is exactly one strong tag: a weak one never matches, and `*` or a list does not say
 * what was seen
 */
export function parseIfMatch(headers: Headers): number | null {
  const value = singletonHeader(headers, 'If-Match')
  if (value === null) return null
  if (!STRONG_TAG.test(value)) throw new MalformedRequest('The header If-Match must be one strong entity tag.')
  const revision = Number(REVISION_TAG.exec(value)?.[1] ?? NEVER_A_REVISION)
  return Number.isSafeInteger(revision) ? revision : NEVER_A_REVISION
}
