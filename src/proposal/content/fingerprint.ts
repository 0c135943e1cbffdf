// Keyed digests under the reference key, which never rotates: command fingerprints, request keys and the key's check value.
import { framed, hmacSha256, toBase64Url } from '../../effect/hash.ts'
import type { Reference } from '../../effect/reference.ts'
import { keyedDigestHex } from './digest.ts'

/**
 * The key of one tenant: digests of two tenants never match, so nothing can be compared across the border.
 * Spec: policy-and-protection 3.
 */
export function deriveTenantKey(referenceKey: Uint8Array, tenant: Reference): Uint8Array {
  return hmacSha256(referenceKey, framed(['countersign/tenant-key/v1', tenant]))
}

/**
 * Says whether two commands are the same without keeping them: over the action's `namespace/name` (every version of an
 * action names the same effect) and the canonical command. Dropped at erasure. Spec: policy-and-protection 3.
 */
export function commandFingerprint(tenantKey: Uint8Array, actionName: string, commandText: string): string {
  const digest = hmacSha256(tenantKey, framed(['countersign/fingerprint/v1', actionName, commandText]))
  return `f1_${toBase64Url(digest)}`
}

/** What is kept of a request key, in hex: who used it (`kind:id`) and which it was, for no one to read. Spec: rules R16. */
export function requestKeyHash(tenantKey: Uint8Array, requesterName: string, key: string): string {
  return keyedDigestHex(tenantKey, ['countersign/request-key/v1', requesterName, key])
}

/**
 * A check value of the reference key, in hex. A store remembers it and refuses to open with another key, since that key
 * would name every effect anew. Spec: lifecycle 1.
 */
export function referenceKeyCheck(referenceKey: Uint8Array): string {
  return keyedDigestHex(referenceKey, ['countersign/reference-key-check/v1'])
}
