// Seeded bugs in key services: keys that show, that open elsewhere, and answers that would pass for an erasure.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { type KeyEncryptionKey, KeyUnavailable } from '../../../src/index.ts'
import type { KeyringUnderTest } from '../../../src/testing.ts'
import { KeyMaterial, KeyService, underTest } from '../kits/key-service.ts'
import type { SeededBug } from './seeded-bug.ts'

type Seal = (key: Uint8Array, plain: Uint8Array, context: Uint8Array) => Uint8Array

/** A service that seals and unseals in another way. */
function sealing(seal: Seal, unseal: Seal): () => KeyringUnderTest {
  return () =>
    underTest(
      class extends KeyService {
        protected override seal(...input: Parameters<Seal>): Uint8Array {
          return seal(...input)
        }
        protected override unseal(...input: Parameters<Seal>): Uint8Array {
          return unseal(...input)
        }
      },
    )
}

/** A service that does something around the correct unsealing. */
function unsealing(around: (unseal: Seal, ...input: Parameters<Seal>) => Uint8Array): () => KeyringUnderTest {
  return () =>
    underTest(
      class extends KeyService {
        protected override unseal(...input: Parameters<Seal>): Uint8Array {
          return around((...altered) => super.unseal(...altered), ...input)
        }
      },
    )
}

/** A service that finds keys in another way. */
function resolving(
  resolve: (honest: () => Promise<KeyEncryptionKey | null>, service: KeyService) => Promise<KeyEncryptionKey | null>,
): () => KeyringUnderTest {
  return () =>
    underTest(
      class extends KeyService {
        override async resolve(version: string): Promise<KeyEncryptionKey | null> {
          return resolve(async () => super.resolve(version), this)
        }
      },
    )
}

function mac(key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer {
  return createHmac('sha256', key).update(Buffer.concat(parts)).digest()
}

/** A keystream of its own for each nonce and context, and nothing that tells a changed byte. */
function stream(key: Uint8Array, nonce: Uint8Array, context: Uint8Array, bytes: Uint8Array): Buffer {
  return createCipheriv('aes-256-ctr', mac(key, nonce, context), Buffer.alloc(16)).update(bytes)
}

const opened = new Map<string, Uint8Array>()

export const keyServiceBugs: readonly SeededBug<() => KeyringUnderTest>[] = [
  {
    title: 'names its keys with a space',
    code: 'key_version_malformed',
    subject: () =>
      underTest(
        class extends KeyService {
          override async current(): Promise<KeyEncryptionKey> {
            return { ...(await super.current()), version: 'Key 1' }
          }
        },
      ),
  },
  {
    title: 'does not find its current key',
    code: 'current_not_resolved',
    subject: () =>
      underTest(
        class extends KeyService {
          override async current(): Promise<KeyEncryptionKey> {
            return { ...(await super.current()), version: 'alias.current' }
          }
        },
      ),
  },
  {
    title: 'cuts what it unwraps',
    code: 'unwrapped_differs',
    subject: unsealing((unseal, ...input) => unseal(...input).slice(1)),
  },
  {
    title: 'signs keys instead of encrypting them',
    code: 'wrapped_in_the_clear',
    subject: sealing(
      (key, plain, context) => {
        const nonce = randomBytes(12)
        return new Uint8Array([...nonce, ...plain, ...mac(key, nonce, plain, context)])
      },
      (key, wrapped, context) => {
        const [nonce, plain] = [wrapped.slice(0, 12), wrapped.slice(12, -32)]
        if (!mac(key, nonce, plain, context).equals(wrapped.slice(-32))) throw new KeyUnavailable('damaged')
        return plain
      },
    ),
  },
  {
    title: 'uses one nonce',
    code: 'wrap_repeats',
    subject: () =>
      underTest(
        class extends KeyService {
          protected override nonce(): Uint8Array {
            return new Uint8Array(12)
          }
        },
      ),
  },
  {
    title: 'ignores the context',
    code: 'context_ignored',
    subject: () =>
      underTest(
        class extends KeyService {
          protected override seal(key: Uint8Array, plain: Uint8Array): Uint8Array {
            return super.seal(key, plain, new Uint8Array(0))
          }
          protected override unseal(key: Uint8Array, wrapped: Uint8Array): Uint8Array {
            return super.unseal(key, wrapped, new Uint8Array(0))
          }
        },
      ),
  },
  {
    title: 'encrypts without authenticating',
    code: 'alteration_unwrapped',
    subject: sealing(
      (key, plain, context) => {
        const nonce = randomBytes(12)
        return new Uint8Array([...nonce, ...stream(key, nonce, context, Buffer.concat([Buffer.from('KEY1'), plain]))])
      },
      (key, wrapped, context) => {
        const plain = stream(key, wrapped.slice(0, 12), context, wrapped.slice(12))
        if (plain.subarray(0, 4).toString() !== 'KEY1') throw new KeyUnavailable('damaged')
        return new Uint8Array(plain.subarray(4))
      },
    ),
  },
  {
    title: 'throws whatever its library throws',
    code: 'damage_not_told',
    subject: unsealing((unseal, ...input) => {
      try {
        return unseal(...input)
      } catch {
        throw new Error('Unsupported state or unable to authenticate data')
      }
    }),
  },
  {
    title: 'tells in its error what it had decrypted',
    code: 'key_error_leaks',
    subject: unsealing((unseal, key, wrapped, context) => {
      try {
        return unseal(key, wrapped, context)
      } catch {
        const decipher = createDecipheriv(
          'aes-256-gcm',
          key,
          wrapped.slice(0, 12).length === 12 ? wrapped.slice(0, 12) : new Uint8Array(12),
        )
        const plain = decipher.update(wrapped.slice(12, 44)).toString('base64')
        throw new KeyUnavailable('damaged', { cause: new Error(`not authenticated: ${plain}`) })
      }
    }),
  },
  {
    title: 'hands out the key that it keeps',
    code: 'key_aliased',
    subject: unsealing((unseal, ...input) => {
      const name = Buffer.from(input[1]).toString('hex') + Buffer.from(input[2]).toString('hex')
      const kept = opened.get(name) ?? unseal(...input)
      opened.set(name, kept)
      return kept
    }),
  },
  {
    title: 'answers an unknown version with its current key',
    code: 'missing_key_invented',
    subject: resolving(async (honest, service) => (await honest()) ?? service.current()),
  },
  {
    title: 'throws for an unknown version',
    code: 'missing_key_not_told',
    subject: resolving(async (honest) => {
      const found = await honest()
      if (found === null) throw new KeyUnavailable('unavailable')
      return found
    }),
  },
  {
    title: 'has a reference key of zeros',
    code: 'reference_key_weak',
    subject: () =>
      underTest(
        class extends KeyService {
          override async referenceKey(): Promise<Uint8Array> {
            return new Uint8Array(32)
          }
        },
      ),
  },
  {
    title: 'draws a reference key each time',
    code: 'reference_key_changes',
    subject: () =>
      underTest(
        class extends KeyService {
          override async referenceKey(): Promise<Uint8Array> {
            return new Uint8Array(randomBytes(32))
          }
        },
      ),
  },
  {
    title: 'keeps its keys in memory',
    code: 'key_lost_on_reopen',
    subject: () => underTest(KeyService, () => new KeyMaterial()),
  },
  {
    title: 'opens with another reference key',
    code: 'reference_key_lost_on_reopen',
    subject: () =>
      underTest(KeyService, ({ keys, current }) => {
        const other = new KeyMaterial()
        for (const [version, key] of keys) other.keys.set(version, key)
        other.current = current
        return other
      }),
  },
  {
    title: 'rotates in name only',
    code: 'rotation_changes_nothing',
    subject: () =>
      underTest(
        class extends KeyService {
          override rotate(): void {
            if (this.material.keys.size === 0) super.rotate()
          }
        },
      ),
  },
  {
    title: 'drops the older key when it rotates',
    code: 'rotation_loses_keys',
    subject: () =>
      underTest(
        class extends KeyService {
          override rotate(): void {
            const old = this.material.current
            super.rotate()
            // The version that comes next is counted from those that there are.
            this.material.keys.set(old, new Uint8Array(randomBytes(32)))
          }
        },
      ),
  },
  {
    title: 'rotates the reference key too',
    code: 'reference_key_rotated',
    subject: () =>
      underTest(
        class extends KeyService {
          override rotate(): void {
            super.rotate()
            this.material.reference.set(randomBytes(32))
          }
        },
      ),
  },
  {
    title: 'calls an outage a missing key',
    code: 'outage_called_missing',
    subject: resolving(async (honest, { material }) => (material.isDown ? null : honest())),
  },
  {
    title: 'calls a denial a missing key',
    code: 'denial_called_missing',
    subject: resolving(async (honest, { material }) => (material.isDenied ? null : honest())),
  },
  {
    title: 'calls a denial an outage',
    code: 'denied_not_told',
    subject: resolving(async (honest, { material }) => {
      if (material.isDenied) throw new KeyUnavailable('unavailable')
      return honest()
    }),
  },
  {
    title: 'calls a destroyed key out of reach',
    code: 'forgotten_key_not_told',
    subject: resolving(async (honest, { material }) => {
      if (!material.keys.has(material.current)) throw new KeyUnavailable('unavailable')
      return honest()
    }),
  },
  {
    title: 'keeps what it was told to destroy',
    code: 'forgotten_key_kept',
    subject: () =>
      underTest(
        class extends KeyService {
          override forget(): void {}
        },
      ),
  },
]
