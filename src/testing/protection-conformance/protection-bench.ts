// What is under test where content is protected: a codec or a keyring, and what may be done around it.
import type { Keyring } from '../../runtime/ports.ts'

/** Where sealed content belongs; in another place it must not open. */
export interface SealedPlace {
  readonly tenant: string
  readonly proposal: string
  /** Such as `snapshot`, `preview`, `comment:1`. */
  readonly purpose: string
}

/** Seals text for a place and opens it there again. */
export interface ContentCodec {
  seal(place: SealedPlace, text: string): Promise<Uint8Array>
  /** Rejects whatever was altered, cut, moved, or sealed under another key. */
  open(place: SealedPlace, sealed: Uint8Array): Promise<string>
}

/** A keyring, and what can be done to the keys behind it; clauses that need what is missing are not run. */
export interface KeyringUnderTest {
  readonly keyring: Keyring
  /** The same keys as another process would open them. */
  reopen?(): Promise<Keyring>
  /** Makes another key-encryption key the current one. */
  rotate?(): Promise<void>
  /** Destroys the key of a version for good. */
  forget?(version: string): Promise<void>
  /** Nobody can reach the keys, or everybody can again. */
  outage?(isDown: boolean): Promise<void>
  /** Everybody is refused, or nobody any more. */
  deny?(isDenied: boolean): Promise<void>
}

/** Thirty-two bytes that can be found in a text. */
export const CANARY_KEY = 'canary-data-key-32-bytes-long-ok'

/** The bytes with one of them changed, for every position. */
export function alterations(bytes: Uint8Array): readonly Uint8Array[] {
  return [...bytes.keys()].map((position) => bytes.map((byte, index) => (index === position ? byte ^ 1 : byte)))
}

/** Every beginning of the bytes but the whole, and the whole with one byte more. */
export function truncations(bytes: Uint8Array): readonly Uint8Array[] {
  return [...[...bytes.keys()].map((length) => bytes.slice(0, length)), new Uint8Array([...bytes, 0])]
}

/** What an attempt threw; null if it did not. */
export async function thrownBy(attempt: () => Promise<unknown>): Promise<{ readonly error: unknown } | null> {
  try {
    await attempt()
    return null
  } catch (error) {
    return { error }
  }
}

/** Whether the bytes contain the text, as it is or encoded. */
export function holds(bytes: Uint8Array, text: string): boolean {
  const written = Buffer.from(bytes)
  const encodings = ['utf8', 'utf16le', 'hex', 'base64', 'base64url'] as const
  const plain = Buffer.from(text, 'utf8')
  return encodings.some((encoding) => {
    const needle = encoding === 'utf16le' ? Buffer.from(text, encoding) : Buffer.from(plain.toString(encoding))
    return written.includes(needle)
  })
}
