// Acknowledging a restore: an act of the deployment, like a rotation of keys, since it opens the store for all tenants.
import { parseReasonCode, parseReference } from '../effect/reference.ts'
import type { Restore, Store } from './ports.ts'

/**
 * Opens a store to admissions again that was put back, changed, or lost its witness. Whoever does it knows what was done to
 * the store, has stopped everybody who still used the one before, and has told those whose approvals, revocations and
 * withdrawals are gone. Who and why stay in the store's book of restores. From then on the target is asked before a first
 * call. Null if nothing was to be acknowledged. Spec: rules R15.
 *
 * @param options.by names who acknowledges, such as `user:olga`: the deployment's word, as no session stands behind it
 * @param options.reason a code, `[a-z0-9_.-]{1,64}`
 * @throws MalformedReference, StoreUnavailable, PersistenceOutcomeUnknown
 */
export async function acknowledgeRestore(options: {
  readonly store: Store
  readonly by: string
  readonly reason: string
}): Promise<Restore | null> {
  const by = parseReference(options.by, '/by')
  const reason = parseReasonCode(options.reason, '/reason')
  return options.store.acknowledgeRestore(by, reason)
}
