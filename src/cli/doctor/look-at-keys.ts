// Looks at the keys of a store: whether they are those that it was first used with, and whether none is missing.
import { limits } from '../../effect/limits.ts'
import type { Reference } from '../../effect/reference.ts'
import { referenceKeyCheck } from '../../proposal/content/fingerprint.ts'
import type { Keyring, Store } from '../../runtime/ports.ts'
import { type Check, check } from './check.ts'

/** Nothing is unwrapped and nothing is written. A store without proposals says nothing about its keys yet. */
export async function lookAtKeys(store: Store, keyring: Keyring): Promise<Check> {
  const tenants = await store.tenants()
  const { version } = await keyring.current()
  if (tenants.length === 0) return check('keys', true, `The current key is ${version}; the store has used none yet.`)
  // Nothing is new in this claim, so nothing of it is remembered.
  const referenceKey = referenceKeyCheck(await keyring.referenceKey())
  const known = await store.adopt({ referenceKeyCheck: referenceKey, domains: {} })
  if (known.referenceKeyCheck !== referenceKey) {
    return check('keys', false, 'The store was first used with another reference key.')
  }
  const missing: string[] = []
  for (const older of await olderVersions(store, tenants, version)) {
    if ((await keyring.resolve(older)) === null) missing.push(older)
  }
  if (missing.length > 0)
    return check('keys', false, `Content is sealed under keys that are missing: ${missing.join(', ')}.`)
  return check('keys', true, `The current key is ${version}, and no key is missing.`)
}

async function olderVersions(store: Store, tenants: readonly Reference[], current: string): Promise<Set<string>> {
  const versions = new Set<string>()
  for (const tenant of tenants) {
    let after: Reference | null = null
    for (;;) {
      const page = await store.keysNotUnder(tenant, current, after, limits.pageItems)
      for (const { kekVersion } of page) versions.add(kekVersion)
      after = page.at(-1)?.proposal ?? null
      if (after === null || page.length < limits.pageItems) break
    }
  }
  return versions
}
