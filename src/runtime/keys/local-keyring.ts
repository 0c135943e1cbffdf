// The local keyring: keys of this host, versioned, as one text that an environment variable or a file holds.
import { randomBytes } from 'node:crypto'
import { fromBase64Url, sameBytes, toBase64Url } from '../../effect/hash.ts'
import { decrypt, encrypt } from './aead.ts'
import type { KeyEncryptionKey, Keyring } from '../ports.ts'
import { KeyUnavailable } from './sealing.ts'

const KEY_BYTES = 32
/** Of 32 random bytes about 30 are distinct; fewer than this says that somebody typed or repeated them. */
const DISTINCT_BYTES_MIN = 20
const REFERENCE = 'reference'
const VERSION = /^[a-z0-9_.-]{1,64}$/
/** How this library names the versions that it makes. */
const NUMBERED = /^k(\d{1,9})$/

/** A keyring text that cannot be used; says which line and why, never what was there. */
export class KeyringError extends TypeError {
  readonly code = 'keyring_unusable'
  constructor(message: string) {
    super(message)
    this.name = 'KeyringError'
  }
}

/**
 * A keyring from its text: entries `name=key`, separated by commas or lines, each key 32 random bytes in base64url. The
 * entry `reference` is the reference key; the others are key-encryption keys, the last of them the current one. Older ones
 * stay until nothing is wrapped under them any more. Spec: policy-and-protection 4.
 * @throws KeyringError
 */
export function localKeyring(text: string): Keyring {
  const entries = entriesOf(text)
  const reference = entries.find(({ name }) => name === REFERENCE)
  if (reference === undefined) throw new KeyringError('A keyring needs an entry "reference=…".')
  const keys = new Map(
    entries.filter((entry) => entry !== reference).map(({ name, key }) => [name, localKey(name, key)]),
  )
  const current = [...keys.values()].at(-1)
  if (current === undefined) throw new KeyringError('A keyring needs a key-encryption key, such as "k1=…".')
  return {
    current: () => Promise.resolve(current),
    resolve: (version) => Promise.resolve(keys.get(version) ?? null),
    referenceKey: () => Promise.resolve(reference.key),
  }
}

/** A fresh keyring text, with a reference key and one key-encryption key. */
export function newKeyringText(): string {
  return `${REFERENCE}=${newKey()}\nk1=${newKey()}\n`
}

/**
 * The keyring text with one more key-encryption key, which is the current one; what was wrapped under the older ones still
 * opens.
 * @throws KeyringError
 */
export function withNewKey(text: string): { readonly text: string; readonly version: string } {
  localKeyring(text)
  const numbers = entriesOf(text).map(({ name }) => Number(NUMBERED.exec(name)?.[1] ?? 0))
  const version = `k${Math.max(...numbers) + 1}`
  return { text: `${text.trimEnd()}\n${version}=${newKey()}\n`, version }
}

/** A keyring that lasts as long as this process: for tests, and for nothing that is to be opened again. */
export function ephemeralKeyring(): Keyring {
  return localKeyring(newKeyringText())
}

interface Entry {
  readonly name: string
  readonly key: Uint8Array
}

function newKey(): string {
  return toBase64Url(randomBytes(KEY_BYTES))
}

function entriesOf(text: string): readonly Entry[] {
  const entries = text
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('#'))
    .map(parseEntry)
  refuseRepeated(entries)
  return entries
}

function parseEntry(entry: string, index: number): Entry {
  const where = `Entry ${index + 1} of the keyring`
  const [name = '', text = '', ...rest] = entry.split('=')
  if (!VERSION.test(name) || rest.length > 0) throw new KeyringError(`${where} is not of the form name=key.`)
  const key = fromBase64Url(text, KEY_BYTES)
  if (key === null) throw new KeyringError(`${where} is not 32 bytes in base64url.`)
  if (isWeak(key)) throw new KeyringError(`${where} is a weak key; make one with a random generator.`)
  return { name, key }
}

function refuseRepeated(entries: readonly Entry[]): void {
  for (const [index, { name, key }] of entries.entries()) {
    for (const other of entries.slice(0, index)) {
      if (other.name === name) throw new KeyringError(`Entry ${index + 1} of the keyring repeats a name.`)
      if (sameBytes(other.key, key)) throw new KeyringError(`Entry ${index + 1} of the keyring repeats a key.`)
    }
  }
}

// Typed text, repeated bytes and counting sequences are no random keys (threat T45).
function isWeak(key: Uint8Array): boolean {
  const steps = new Set(key.slice(1).map((byte, index) => byte - (key[index] ?? 0)))
  const typed = key.every((byte) => byte >= 0x20 && byte <= 0x7e)
  return typed || steps.size === 1 || new Set(key).size < DISTINCT_BYTES_MIN
}

function localKey(version: string, key: Uint8Array): KeyEncryptionKey {
  return {
    version,
    wrap: (dataKey, context) => Promise.resolve(encrypt(key, context, dataKey)),
    unwrap: (wrapped, context) => {
      const dataKey = decrypt(key, context, wrapped)
      return dataKey === null ? Promise.reject(new KeyUnavailable('damaged')) : Promise.resolve(dataKey)
    },
  }
}
