// Rotation: every proposal's key is wrapped anew under the current key-encryption key; resumable, and never a resurrection.
import { limits } from '../../effect/limits.ts'
import type { Reference } from '../../effect/reference.ts'
import { ContentUnavailable } from '../../proposal/errors.ts'
import type { Clock, KeyEncryptionKey, Keyring, Store, StoredKey } from '../ports.ts'
import { ProposalKeys } from './sealing.ts'
import { systemClock } from '../system-clock.ts'

/** What a rotation did. */
export interface Rotation {
  /** The version under which everything is wrapped now, apart from what is `stillUnder` older ones. */
  readonly version: string
  readonly rewrapped: number
  /** Proposals whose key could not be opened or wrapped, and what the keyring answered. */
  readonly failed: readonly FailedRewrap[]
  /**
   * Older versions that keys are still wrapped under: of `failed` ones, and of proposals that a server prepared meanwhile
   * which does not know the new version yet. Any other version may leave the keyring.
   */
  readonly stillUnder: readonly string[]
}

/** A key that stays as it was; a repeated rotation tries it again. */
export interface FailedRewrap {
  readonly tenant: Reference
  readonly proposal: Reference
  readonly kekVersion: string
  readonly answer: ContentUnavailable['answer']
}

/** How often everything is looked through for keys that were wrapped under an older version in between. */
const PASSES_MAX = 5

/**
 * Wraps anew whatever is not under the keyring's current version. Safe to interrupt and to repeat, and beside running
 * servers that know the new version: a key is replaced only if it is still the one that was read. Content, commitments and
 * references do not change; the reference key never rotates. Spec: policy-and-protection 4.
 * @throws ContentUnavailable when the keyring is out of reach; what was done until then is done.
 */
export async function rotateKeys(options: {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock?: Clock
}): Promise<Rotation> {
  const { store } = options
  const keys = new ProposalKeys(options.keyring, options.clock ?? systemClock)
  const rotation = { store, keys, kek: await keys.current(), answers: new Map<string, ContentUnavailable['answer']>() }
  let rewrapped = 0
  for (let passes = 0; passes < PASSES_MAX; passes += 1) {
    const moved = await pass(rotation)
    rewrapped += moved
    if (moved === 0) break
  }
  return { version: rotation.kek.version, rewrapped, ...(await leftBy(rotation)) }
}

interface Rotating {
  readonly store: Store
  readonly keys: ProposalKeys
  readonly kek: KeyEncryptionKey
  /** Why a key could not be wrapped anew; it is not tried twice. */
  readonly answers: Map<string, ContentUnavailable['answer']>
}

/** Looks at every key once, and answers how many it wrapped anew. */
async function pass(rotation: Rotating): Promise<number> {
  const { store, answers } = rotation
  let rewrapped = 0
  for await (const { tenant, key } of keysToWrap(rotation)) {
    const { proposal, ...old } = key
    if (answers.has(nameOf(tenant, proposal))) continue
    const renewed = await renewedKey(rotation, tenant, key)
    // Somebody else may have wrapped it meanwhile, or erased it: then it is not touched.
    if (renewed !== null && (await store.rewrap(tenant, proposal, old, renewed))) rewrapped += 1
  }
  return rewrapped
}

async function renewedKey({ keys, kek, answers }: Rotating, tenant: Reference, { proposal, ...old }: StoredKey) {
  try {
    return await keys.rewrap({ tenant, proposal }, old, kek)
  } catch (error) {
    if (!(error instanceof ContentUnavailable) || error.answer === 'unavailable') throw error
    answers.set(nameOf(tenant, proposal), error.answer)
    return null
  }
}

async function leftBy(rotation: Rotating): Promise<Pick<Rotation, 'failed' | 'stillUnder'>> {
  const failed: FailedRewrap[] = []
  const versions = new Set<string>()
  for await (const { tenant, key } of keysToWrap(rotation)) {
    const { proposal, kekVersion } = key
    const answer = rotation.answers.get(nameOf(tenant, proposal))
    versions.add(kekVersion)
    if (answer !== undefined) failed.push({ tenant, proposal, kekVersion, answer })
  }
  return { failed, stillUnder: [...versions].sort() }
}

async function* keysToWrap({
  store,
  kek,
}: Rotating): AsyncGenerator<{ readonly tenant: Reference; readonly key: StoredKey }> {
  for (const tenant of await store.tenants()) {
    for (let after: Reference | null = null; ; ) {
      const page: readonly StoredKey[] = await store.keysNotUnder(tenant, kek.version, after, limits.pageItems)
      for (const key of page) yield { tenant, key }
      after = page.at(-1)?.proposal ?? null
      if (page.length < limits.pageItems) break
    }
  }
}

function nameOf(tenant: Reference, proposal: Reference): string {
  return JSON.stringify([tenant, proposal])
}
