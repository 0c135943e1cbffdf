// Reads what stands where a change would write an effect: its version, its open attempt, and the lease of a guarded call.
import type { Kysely } from 'kysely'
import type { Change } from '../../runtime/ports.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Found } from '../conflicts.ts'
import { firstOf, type Operation } from '../operation.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

type FoundEffect = Pick<Found, 'effectVersion' | 'isFormerKeyTaken' | 'openAttempt' | 'leaseUntil'>

interface EffectIdentity {
  readonly tenant: string
  readonly domain: string
  readonly reference: string
}

/** The look at the effect of a change, over the statements of one database. */
export function effectFinder(
  db: Kysely<Tables>,
  { locksRows }: Capabilities,
): (change: Change) => Operation<FoundEffect> {
  const version = (key: EffectIdentity) => {
    return db
      .selectFrom('effects')
      .select('version')
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
  }
  const effectVersion = statement(version)
  const lockEffect = statement((key: EffectIdentity) => version(key).forNoKeyUpdate())
  const openAttempt = statement((key: EffectIdentity) => {
    return db
      .selectFrom('attempts')
      .select(['number', 'token'])
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
      .where('ended_at', 'is', null)
  })

  const callLease = statement((key: EffectIdentity) => {
    return db
      .selectFrom('calls')
      .select('lease_until')
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
  })

  return function* findEffect(change) {
    const { effect: write, call } = change
    if (locksRows) for (const key of touched(change)) yield* firstOf(lockEffect(key))
    const nothing = { effectVersion: null, isFormerKeyTaken: false, openAttempt: null, leaseUntil: null }
    if (write === null) {
      if (call?.kind !== 'release') return nothing
      const released = yield* firstOf(effectVersion(call.key))
      return { ...nothing, effectVersion: released?.version ?? null }
    }
    const lease = call?.kind === 'take_over' ? yield* firstOf(callLease(write.row.key)) : null
    const stored = yield* firstOf(effectVersion(write.row.key))
    let isFormerKeyTaken = false
    for (const key of write.formerKeys) isFormerKeyTaken ||= (yield* firstOf(effectVersion(key))) !== null
    const open = write.ended === null ? null : yield* firstOf(openAttempt(write.row.key))
    return {
      effectVersion: stored?.version ?? null,
      isFormerKeyTaken,
      openAttempt: open,
      leaseUntil: lease?.lease_until ?? null,
    }
  }
}

// The effect that is written, and those of which an erasure takes something along, in the order of all changes.
function touched({ tenant, proposals, effect, call }: Change): readonly EffectIdentity[] {
  const keys = proposals.flatMap((write) => (write.kind === 'erase' ? [write.tombstone.effect] : []))
  if (effect !== null) keys.push(effect.row.key)
  if (call?.kind === 'release') keys.push(call.key)
  const distinct = new Map(keys.map(({ domain, reference }) => [`${domain} ${reference}`, { domain, reference }]))
  return [...distinct]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { domain, reference }]) => ({ tenant, domain, reference }))
}
