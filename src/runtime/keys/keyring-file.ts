// The key file as a keyring: it is read when it is opened, and again when it has changed or a version is asked for anew.
import { sameBytes } from '../../effect/hash.ts'
import { createKeyFile, readKeyFile, stampOf } from './key-file.ts'
import { KeyringError, localKeyring } from './local-keyring.ts'
import type { KeyEncryptionKey, Keyring } from '../ports.ts'
import { KeyUnavailable } from './sealing.ts'

/**
 * The keyring of a file. With `create`, a file that is missing is made with fresh keys; it is never overwritten. Keep it
 * apart from the database's backups: together they open everything. A key that is added to the file later is used from
 * then on, so that keys can be rotated beside running servers.
 * @throws KeyringError when the file is missing, readable for others, or not a keyring.
 */
export async function keyringFile(path: string, options: { readonly create?: boolean } = {}): Promise<Keyring> {
  if (options.create === true) await createKeyFile(path, { keep: true })
  const stamp = await stampOf(path)
  return new FileKeyring(path, { stamp, keyring: localKeyring(await readKeyFile(path)) })
}

interface Loaded {
  /** What the file looked like before it was read. */
  readonly stamp: string
  readonly keyring: Keyring
}

class FileKeyring implements Keyring {
  readonly #path: string
  #loaded: Loaded

  constructor(path: string, loaded: Loaded) {
    this.#path = path
    this.#loaded = loaded
  }

  async current(): Promise<KeyEncryptionKey> {
    // What was read before still holds if the file cannot be read now.
    await this.#reload().catch(() => {})
    return this.#loaded.keyring.current()
  }

  async resolve(version: string): Promise<KeyEncryptionKey | null> {
    const known = await this.#loaded.keyring.resolve(version)
    if (known !== null) return known
    try {
      await this.#reload()
    } catch (cause) {
      // Only a file that was read says that a key does not exist.
      throw new KeyUnavailable('unavailable', { cause })
    }
    return this.#loaded.keyring.resolve(version)
  }

  async referenceKey(): Promise<Uint8Array> {
    return this.#loaded.keyring.referenceKey()
  }

  async #reload(): Promise<void> {
    const stamp = await stampOf(this.#path)
    if (stamp === this.#loaded.stamp) return
    const keyring = localKeyring(await readKeyFile(this.#path))
    if (!sameBytes(await keyring.referenceKey(), await this.referenceKey())) {
      throw new KeyringError(`The key file ${this.#path} has another reference key, which never rotates.`)
    }
    this.#loaded = { stamp, keyring }
  }
}
