// Rotation: every proposal's key is wrapped anew under the current key-encryption key; resumable, and never a resurrection.
import { limits } from '../effect/limits.ts'
import type { Reference } from '../effect/reference.ts'
import type { Clock, Keyring, Store } from './ports.ts'
import { ProposalKeys } from './sealing.ts'
import { systemClock } from './system-clock.ts'

/** What a rotation did. */
export interface Rotation {
  /** The version under which everything is wrapped now, apart from `failed`. */
  readonly version: string
  readonly rewrapped: number
  /** Proposals whose key could not be opened; an old key must stay in the keyring for each of them. */
  readonly failed: readonly { readonly tenant: Reference; readonly proposal: Reference }[]
}

/**
 * Wraps anew whatever is not under the keyring's current version. Safe to interrupt and to repeat, and beside running
 * servers: a key is replaced only if it is still the one that was read. Content, commitments and references do not change;
 * the reference key never rotates. Spec: policy-and-protection 4.
 */
export async function rotateKeys(options: {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock?: Clock
}): Promise<Rotation> {
  const { store, keyring } = options
  const keys = new ProposalKeys(keyring, options.clock ?? systemClock)
  const { version } = await keyring.current()
  const failed: { tenant: Reference; proposal: Reference }[] = []
  let rewrapped = 0
  for (const tenant of await store.tenants()) {
    const skipped = new Set<Reference>()
    for (;;) {
      const page = await store.keysNotUnder(tenant, version, limits.pageItems + skipped.size)
      const open = page.filter(({ proposal }) => !skipped.has(proposal))
      if (open.length === 0) break
      for (const { proposal, ...old } of open) {
        const renewed = await keys.rewrap({ tenant, proposal }, old)
        if (renewed !== null && (await store.rewrap(tenant, proposal, old, renewed))) rewrapped += 1
        else skipped.add(proposal)
        if (renewed === null) failed.push({ tenant, proposal })
      }
    }
  }
  return { version, rewrapped, failed }
}
