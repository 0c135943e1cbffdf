// Digests as text: the lower-case hex of a hash over framed parts.
import { framed, hmacSha256, sha256 } from '../../effect/hash.ts'

/** SHA-256 over the framed parts, as 64 lower-case hex digits. The first part is a label with a version. */
export function digestHex(parts: readonly (string | Uint8Array)[]): string {
  return hex(sha256(framed(parts)))
}

/** HMAC-SHA-256 over the framed parts, as 64 lower-case hex digits. The first part is a label with a version. */
export function keyedDigestHex(key: Uint8Array, parts: readonly (string | Uint8Array)[]): string {
  return hex(hmacSha256(key, framed(parts)))
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
