// Digests, framing and strict text forms of bytes: the only file of the pure rooms that imports node:crypto.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

const BASE32_ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const LENGTH_BYTES = 4

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest())
}

/** HMAC-SHA-256, 32 bytes. */
export function hmacSha256(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', key).update(bytes).digest())
}

/**
 * The parts one after the other, each behind its length in bytes (4 bytes, big-endian), so that no two lists of parts
 * have the same bytes. Strings are UTF-8; a lone surrogate throws, since it would be hashed like U+FFFD.
 * Spec: reliability F12.
 */
export function framed(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const encoded = parts.map((part) => (typeof part === 'string' ? utf8(part) : part))
  const bytes = new Uint8Array(encoded.reduce((size, part) => size + LENGTH_BYTES + part.length, 0))
  const view = new DataView(bytes.buffer)
  let offset = 0
  for (const part of encoded) {
    view.setUint32(offset, part.length)
    bytes.set(part, offset + LENGTH_BYTES)
    offset += LENGTH_BYTES + part.length
  }
  return bytes
}

/**
 * Whether two secrets are the same, in constant time for equal lengths. Nothing equals nothing: two empty values are
 * two failed parses, not a match. Spec: reliability F14.
 */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length > 0 && a.length === b.length && timingSafeEqual(a, b)
}

/** Base 32 of RFC 4648, in lower case and without padding. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let pending = 0
  for (const byte of bytes) {
    pending = (pending << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32_ALPHABET.charAt((pending >> bits) & 31)
    }
    pending &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + BASE32_ALPHABET.charAt((pending << (5 - bits)) & 31)
}

/** Base 64 of RFC 4648 with the URL alphabet, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

/**
 * The bytes of a base 64 text, or null unless it is exactly what {@link toBase64Url} writes for `length` bytes: no
 * other alphabet, no padding, no stray trailing bits. Spec: reliability F14.
 */
export function fromBase64Url(text: string, length: number): Uint8Array | null {
  if (text.length !== Math.ceil((length * 4) / 3)) return null
  const bytes = new Uint8Array(Buffer.from(text, 'base64url'))
  return bytes.length === length && toBase64Url(bytes) === text ? bytes : null
}

function utf8(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new TypeError('A string with a lone surrogate cannot be hashed')
  return Buffer.from(text, 'utf8')
}
