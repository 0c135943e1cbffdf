// The commitment: a keyed digest over the manifest, in the short form that an approver sees and sends back.
import { framed, fromBase64Url, hmacSha256, sameBytes, toBase64Url } from '../../effect/hash.ts'

const PREFIX = 'c1_'
const DIGEST_BYTES = 32

/**
 * The commitment to a manifest under a key of its proposal, as `c1_` and base64url. Without the key nobody can try out
 * contents until one fits. Spec: policy-and-protection 3.
 */
export function commitment(key: Uint8Array, manifestText: string): string {
  return PREFIX + toBase64Url(hmacSha256(key, framed(['countersign/commitment/v1', manifestText])))
}

/** The 32 bytes of a commitment, or null if it is not a text of exactly its form. Spec: reliability F14. */
export function parseCommitment(text: unknown): Uint8Array | null {
  return typeof text === 'string' && text.startsWith(PREFIX)
    ? fromBase64Url(text.slice(PREFIX.length), DIGEST_BYTES)
    : null
}

/** Whether two commitments are the same, in constant time. What cannot be parsed is the same as nothing (threat T42). */
export function sameCommitment(a: string, b: string): boolean {
  const [left, right] = [parseCommitment(a), parseCommitment(b)]
  return left !== null && right !== null && sameBytes(left, right)
}
