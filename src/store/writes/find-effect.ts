// Reads what stands where a change would write an effect: its version, its open attempt, and the lease of a guarded call.
import { type Kysely, sql } from 'kysely'
import type { Change } from '../../runtime/ports.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Found } from '../conflicts.ts'
import { firstOf, type Operation, rowsOf, together } from '../operation.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'
import { claimedNames, type EffectIdentity, nameOf, touchedEffects } from './touched.ts'

type FoundEffect = Pick<Found, 'effectVersion' | 'isFormerKeyTaken' | 'openAttempt' | 'leaseUntil'>

/** The look at the effect of a change, over the statements of one database. */
export function effectFinder(
  db: Kysely<Tables>,
  { locksRows, lockName }: Capabilities,
): (change: Change) => Operation<FoundEffect> {
  const version = (key: EffectIdentity) => {
    return db
      .selectFrom('effects')
      .select('version')
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
  }
  const formerVersion = statement(version)
  const lock =
    lockName && statement(({ name }: { name: string }) => db.selectNoFrom(lockName(sql<string>`${name}`).as('locked')))
  const lockedVersion = statement((key: EffectIdentity) => {
    return version(key).$if(locksRows, (select) => select.forNoKeyUpdate())
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

  return function* findEffect(change) {
    const { effect: write, call } = change
    const keys = touchedEffects(change)
    const [, versions, formers, leases, attempts] = yield* together([
      together(lock === null ? [] : claimedNames(change).map((name) => rowsOf(lock({ name })))),
      together(keys.map((key) => firstOf(lockedVersion(key)))),
      together((write?.formerKeys ?? []).map((key) => firstOf(formerVersion(key)))),
      together(write !== null && call?.kind === 'take_over' ? [firstOf(callLease(write.row.key))] : []),
      together(write === null || write.ended === null ? [] : [firstOf(openAttempt(write.row.key))]),
    ])
    const judged = write?.row.key ?? (call?.kind === 'release' ? call.key : null)
    const place = judged === null ? -1 : keys.findIndex((key) => nameOf(key) === nameOf(judged))
    return {
      effectVersion: versions[place]?.version ?? null,
      isFormerKeyTaken: formers.some((former) => former !== null),
      openAttempt: attempts[0] ?? null,
      leaseUntil: leases[0]?.lease_until ?? null,
    }
  }
}
