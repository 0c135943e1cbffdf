// Sealing: content is encrypted under a key of its proposal, and that key is wrapped by the keyring.
import { hkdfSync, randomBytes } from 'node:crypto'
import { framed, sameBytes } from '../../effect/hash.ts'
import type { Reference } from '../../effect/reference.ts'
import { ContentUnavailable } from '../../proposal/errors.ts'
import { decrypt, encrypt } from './aead.ts'
import { callHost } from '../host-call.ts'
import type { Clock, KeyEncryptionKey, Keyring, Sealed, WrappedKey } from '../ports.ts'

const KEY_BYTES = 32
const KEYRING_LIMIT_MS = 10_000
const KEY_VERSION = /^[a-z0-9_.-]{1,64}$/

/** Whose key it is; part of everything that is sealed or wrapped, so that nothing opens in another place. */
export interface Owner {
  readonly tenant: Reference
  readonly proposal: Reference
}

/** What the bytes are; sealed as one thing they do not open as another. */
export type Purpose = 'snapshot' | 'preview' | 'result' | `comment:${string}` | `attempt:${number}` | `facts:${number}`

/**
 * A key service that said no. `missing` is authoritative: such a key does not exist any more. `denied` and `unavailable`
 * may pass; `damaged` says that what was wrapped has been altered. A `Keyring` throws it; anything else that it throws counts as unavailable. Spec: policy-and-protection 4.
 */
export class KeyUnavailable extends Error {
  readonly answer: 'missing' | 'denied' | 'unavailable' | 'damaged'
  constructor(answer: KeyUnavailable['answer'], options?: ErrorOptions) {
    super(`The key is ${answer}.`, options)
    this.name = 'KeyUnavailable'
    this.answer = answer
  }
}

/** The opened key of one proposal, kept for the length of one operation only. */
export class ProposalKey {
  readonly #owner: Owner
  readonly #sealingKey: Uint8Array
  /** The key of the proposal's commitment. */
  readonly commitmentKey: Uint8Array

  constructor(owner: Owner, dataKey: Uint8Array) {
    this.#owner = owner
    this.#sealingKey = derive(dataKey, 'countersign/sealing-key/v1')
    this.commitmentKey = derive(dataKey, 'countersign/commitment-key/v1')
  }

  seal(purpose: Purpose, text: string): Sealed {
    return encrypt(this.#sealingKey, this.#context(purpose), Buffer.from(text, 'utf8'))
  }

  /**
   * The text that was sealed for this purpose.
   * @throws ContentUnavailable when the bytes were altered, truncated, moved, or sealed under another key.
   */
  open(purpose: Purpose, sealed: Sealed): string {
    const bytes = decrypt(this.#sealingKey, this.#context(purpose), sealed)
    if (bytes === null) throw new ContentUnavailable('damaged')
    return Buffer.from(bytes).toString('utf8')
  }

  #context(purpose: Purpose): Uint8Array {
    return framed(['countersign/seal/v1', this.#owner.tenant, this.#owner.proposal, purpose])
  }
}

/** The keyring as the runtime asks it: with a limit on every call, and each failure told apart. */
export class ProposalKeys {
  readonly #keyring: Keyring
  readonly #clock: Clock

  constructor(keyring: Keyring, clock: Clock) {
    this.#keyring = keyring
    this.#clock = clock
  }

  /** A fresh key for a proposal, and the same key wrapped, as it is stored. */
  async create(owner: Owner): Promise<{ readonly key: ProposalKey; readonly wrapped: WrappedKey }> {
    const dataKey = randomBytes(KEY_BYTES)
    const wrapped = await this.#wrap(owner, await this.current(), dataKey)
    return { key: new ProposalKey(owner, dataKey), wrapped }
  }

  /** The key-encryption key under which keys are wrapped now. @throws ContentUnavailable */
  async current(): Promise<KeyEncryptionKey> {
    const kek = await this.#ask(() => this.#keyring.current())
    if (!isVersion(kek.version)) throw new ContentUnavailable('damaged')
    return kek
  }

  /**
   * Opens the stored key of a proposal.
   * @throws ContentUnavailable saying whether the key is missing, denied, unavailable or damaged.
   */
  async open(owner: Owner, stored: WrappedKey): Promise<ProposalKey> {
    const kek = await this.#ask(() => this.#keyring.resolve(stored.kekVersion))
    return new ProposalKey(owner, await this.#unwrap(owner, kek, stored))
  }

  /**
   * The same key wrapped under another key-encryption key. It has been opened again before it is answered, since it takes
   * the place of the only copy.
   * @throws ContentUnavailable
   */
  async rewrap(owner: Owner, stored: WrappedKey, kek: KeyEncryptionKey): Promise<WrappedKey> {
    const old = await this.#ask(() => this.#keyring.resolve(stored.kekVersion))
    const dataKey = await this.#unwrap(owner, old, stored)
    const renewed = await this.#wrap(owner, kek, dataKey)
    if (!sameBytes(await this.#unwrap(owner, kek, renewed), dataKey)) throw new ContentUnavailable('damaged')
    return renewed
  }

  /** A copy of it. @throws ContentUnavailable also for one that is not 32 bytes: an empty key would hide nothing. */
  async referenceKey(): Promise<Uint8Array> {
    return new Uint8Array(keyBytes(await this.#ask(() => this.#keyring.referenceKey())))
  }

  async #wrap(owner: Owner, kek: KeyEncryptionKey, dataKey: Uint8Array): Promise<WrappedKey> {
    const { version } = kek
    const wrapped: unknown = await this.#ask(() => kek.wrap(dataKey, wrapContext(owner, version)))
    // What could never be unwrapped again must not be stored.
    if (!(wrapped instanceof Uint8Array) || wrapped.length < KEY_BYTES) throw new ContentUnavailable('damaged')
    return { kekVersion: version, wrapped }
  }

  async #unwrap(owner: Owner, kek: KeyEncryptionKey | null, stored: WrappedKey): Promise<Uint8Array> {
    if (kek === null) throw new ContentUnavailable('missing')
    return keyBytes(await this.#ask(() => kek.unwrap(stored.wrapped, wrapContext(owner, stored.kekVersion))))
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    const call = await callHost(this.#clock, KEYRING_LIMIT_MS, ask)
    if (call.kind === 'returned') return call.value
    if (call.kind === 'timed_out') throw new ContentUnavailable('unavailable')
    const answer = call.error instanceof KeyUnavailable ? call.error.answer : 'unavailable'
    throw new ContentUnavailable(answer, { cause: call.error })
  }
}

function isVersion(version: unknown): boolean {
  return typeof version === 'string' && KEY_VERSION.test(version)
}

// A keyring is written by others; what it answers is looked at before it is used.
function keyBytes(key: unknown): Uint8Array {
  if (!(key instanceof Uint8Array) || key.length !== KEY_BYTES) throw new ContentUnavailable('damaged')
  return key
}

function wrapContext(owner: Owner, kekVersion: string): Uint8Array {
  return framed(['countersign/wrap/v1', owner.tenant, owner.proposal, kekVersion])
}

function derive(dataKey: Uint8Array, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', dataKey, new Uint8Array(0), label, KEY_BYTES))
}
