// Authenticated encryption: AES-256-GCM with a random nonce and a full tag, for content and for wrapped keys alike.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const FORMAT = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + NONCE_BYTES

/** Format byte, nonce, ciphertext, tag. The context is authenticated and not stored. Spec: policy-and-protection 4. */
export function encrypt(key: Uint8Array, context: Uint8Array, plain: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(context)
  const encrypted = [cipher.update(plain), cipher.final()]
  return new Uint8Array(Buffer.concat([Buffer.from([FORMAT]), nonce, ...encrypted, cipher.getAuthTag()]))
}

/** The plain bytes, or null when anything differs: key, context, format, a bit, the length. Spec: reliability F13. */
export function decrypt(key: Uint8Array, context: Uint8Array, encrypted: Uint8Array): Uint8Array | null {
  if (encrypted[0] !== FORMAT || encrypted.length < HEAD_BYTES + TAG_BYTES) return null
  const nonce = encrypted.subarray(1, HEAD_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(context)
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES))
  try {
    const plain = [decipher.update(encrypted.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]
    return new Uint8Array(Buffer.concat(plain))
  } catch {
    return null // The tag does not fit, which is all that there is to know.
  }
}
