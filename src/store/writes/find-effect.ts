// Reads what stands where a change would write an effect: its version, its open attempt, and the lease of a guarded call.
import type { Kysely } from 'kysely'
import type { Change } from '../../runtime/ports.ts'
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
export function effectFinder(db: Kysely<Tables>): (change: Change) => Operation<FoundEffect> {
  const effectVersion = statement((key: EffectIdentity) => {
    return db
      .selectFrom('effects')
      .select('version')
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
  })
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

  return function* findEffect({ effect: write, call }) {
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
