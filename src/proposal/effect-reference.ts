// Effect references: derived ones, which say nothing, and the refusal of those that would outlive erasure and say something.
import type { JsonValue } from '../effect/canonical-json.ts'
import { base32, framed, hmacSha256 } from '../effect/hash.ts'
import type { Reference } from '../effect/reference.ts'

/**
 * An opaque reference: equal parts name the same effect, for ever, and nobody reads the parts out of it.
 *
 * @throws TypeError if there are no parts, or one is no NFC string.
 */
export function deriveEffectReference(
  referenceKey: Uint8Array,
  tenant: Reference,
  domain: string,
  parts: readonly string[],
): Reference {
  const digest = hmacSha256(referenceKey, framed(['countersign/effect-reference/v1', tenant, domain, ...parts]))
  return `er_${base32(digest)}` as Reference
}

/** Whether a reference that the host made names private things. Derived ones need not be asked about. Spec: lifecycle 1. */
export function isIdentifying(reference: Reference, contents: readonly JsonValue[]): boolean {
  throw new TypeError(String([reference, contents]))
}
