// Reads what stands where a change would write: the facts from which its conflict is decided.
import type { Kysely } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import type { Change, EffectWrite } from '../../runtime/ports.ts'
import type { Found } from '../conflicts.ts'
import { firstOf, type Operation } from '../operation.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

type FoundEffect = Pick<Found, 'effectVersion' | 'isFormerKeyTaken' | 'openAttempt'>

interface EffectIdentity {
  readonly tenant: string
  readonly domain: string
  readonly reference: string
}

/** The look before the write, over the statements of one database. */
export function conflictFinder(db: Kysely<Tables>): (change: Change, now: number) => Operation<Found> {
  const proposalState = statement((key: { tenant: string; ref: string }) => {
    return db
      .selectFrom('proposals')
      .select(['revision', 'erasure'])
      .where('tenant', '=', key.tenant)
      .where('ref', '=', key.ref)
  })
  const requestKey = statement((key: { tenant: string; hash: string }) => {
    return db
      .selectFrom('request_keys')
      .select('proposal')
      .where('tenant', '=', key.tenant)
      .where('hash', '=', key.hash)
  })
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

  function* findEffect(write: EffectWrite | null): Operation<FoundEffect> {
    if (write === null) return { effectVersion: null, isFormerKeyTaken: false, openAttempt: null }
    const stored = yield* firstOf(effectVersion(write.row.key))
    let isFormerKeyTaken = false
    for (const key of write.formerKeys) isFormerKeyTaken ||= (yield* firstOf(effectVersion(key))) !== null
    const open = write.ended === null ? null : yield* firstOf(openAttempt(write.row.key))
    return { effectVersion: stored?.version ?? null, isFormerKeyTaken, openAttempt: open }
  }

  return function* find(change, now) {
    const { tenant } = change
    const proposals = new Map<Reference, { revision: number; isErased: boolean }>()
    let isRequestKeyTaken = false
    for (const write of change.proposals) {
      const { ref } = write.kind === 'erase' ? write.tombstone : write.proposal
      const stored = yield* firstOf(proposalState({ tenant, ref }))
      if (stored !== null) proposals.set(ref, { revision: stored.revision, isErased: stored.erasure === 'erased' })
      if (write.kind === 'insert' && write.requestKeyHash !== null) {
        isRequestKeyTaken ||= (yield* firstOf(requestKey({ tenant, hash: write.requestKeyHash }))) !== null
      }
    }
    return { now, proposals, isRequestKeyTaken, ...(yield* findEffect(change.effect)) }
  }
}
