// A key service in process: keys that can be rotated, destroyed, denied and out of reach; seeded bugs are what is changed about it.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { type KeyEncryptionKey, type Keyring, KeyUnavailable } from '../../../src/index.ts'
import type { KeyringUnderTest } from '../../../src/testing.ts'

/** What stays when a process ends. */
export class KeyMaterial {
  readonly keys = new Map<string, Uint8Array>()
  readonly reference: Uint8Array = new Uint8Array(randomBytes(32))
  current = ''
  isDown = false
  isDenied = false
}

export class KeyService implements Keyring {
  readonly material: KeyMaterial

  constructor(material: KeyMaterial) {
    this.material = material
    if (material.keys.size === 0) this.rotate()
  }

  rotate(): void {
    const version = `v${this.material.keys.size + 1}`
    this.material.keys.set(version, new Uint8Array(randomBytes(32)))
    this.material.current = version
  }

  forget(version: string): void {
    this.material.keys.delete(version)
  }

  async current(): Promise<KeyEncryptionKey> {
    const found = await this.resolve(this.material.current)
    if (found === null) throw new KeyUnavailable('missing')
    return found
  }

  async resolve(version: string): Promise<KeyEncryptionKey | null> {
    this.admit()
    const key = this.material.keys.get(version)
    return key === undefined ? null : this.wrapping(version, key)
  }

  async referenceKey(): Promise<Uint8Array> {
    return this.material.reference
  }

  protected admit(): void {
    if (this.material.isDown) throw new KeyUnavailable('unavailable')
    if (this.material.isDenied) throw new KeyUnavailable('denied')
  }

  protected wrapping(version: string, key: Uint8Array): KeyEncryptionKey {
    return {
      version,
      wrap: async (dataKey, context) => this.seal(key, dataKey, context),
      unwrap: async (wrapped, context) => this.unseal(key, wrapped, context),
    }
  }

  protected nonce(): Uint8Array {
    return new Uint8Array(randomBytes(12))
  }

  protected seal(key: Uint8Array, plain: Uint8Array, context: Uint8Array): Uint8Array {
    const nonce = this.nonce()
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 })
    cipher.setAAD(context)
    return new Uint8Array([...nonce, ...cipher.update(plain), ...cipher.final(), ...cipher.getAuthTag()])
  }

  protected unseal(key: Uint8Array, wrapped: Uint8Array, context: Uint8Array): Uint8Array {
    if (wrapped.length < 28) throw new KeyUnavailable('damaged')
    const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, 12), { authTagLength: 16 })
    decipher.setAAD(context)
    decipher.setAuthTag(wrapped.subarray(-16))
    try {
      return new Uint8Array([...decipher.update(wrapped.subarray(12, -16)), ...decipher.final()])
    } catch {
      throw new KeyUnavailable('damaged')
    }
  }
}

/** The service with everything that can be done to it. */
export function underTest(
  Service: new (material: KeyMaterial) => KeyService = KeyService,
  reopened: (material: KeyMaterial) => KeyMaterial = (material) => material,
): KeyringUnderTest {
  const service = new Service(new KeyMaterial())
  return {
    keyring: service,
    reopen: async () => new Service(reopened(service.material)),
    rotate: async () => service.rotate(),
    forget: async (version) => service.forget(version),
    async outage(isDown) {
      service.material.isDown = isDown
    },
    async deny(isDenied) {
      service.material.isDenied = isDenied
    },
  }
}
