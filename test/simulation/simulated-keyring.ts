// The keyring as a machine sees it: fixed keys, so that references are the same in every run, behind a service that may be away.
import type { KeyEncryptionKey, Keyring } from '../../src/runtime/ports.ts'
import { localKeyring } from '../../src/runtime/keys/local-keyring.ts'
import { KeyUnavailable } from '../../src/runtime/keys/sealing.ts'
import type { Machine } from './machine.ts'
import type { Trouble } from './trouble.ts'

/** Keys of no value: they were drawn once, and stand here for everybody to read. */
export const KEYS: Keyring = localKeyring(
  'reference=q0Jx0y3sQp8m1nZ6vK9rT4wL7aD2eH5uB8cF1gN3oVI,k1=Y7tR2kPw9sXe4bLm6QzA1vUj8dHc3fGn5oViT0rKyWM',
)

export function simulatedKeyring(machine: Machine, trouble: Trouble): Keyring {
  const served = (key: KeyEncryptionKey): KeyEncryptionKey => ({
    version: key.version,
    wrap: async (...input) => {
      await machine.pause('wraps')
      return key.wrap(...input)
    },
    unwrap: async (...input) => {
      await machine.pause('unwraps')
      if (trouble.strikes('keys unavailable')) throw new KeyUnavailable('unavailable')
      return key.unwrap(...input)
    },
  })
  return {
    current: async () => served(await KEYS.current()),
    resolve: async (version) => {
      const key = await KEYS.resolve(version)
      return key === null ? null : served(key)
    },
    referenceKey: async () => KEYS.referenceKey(),
  }
}
