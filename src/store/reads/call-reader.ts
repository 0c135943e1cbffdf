// Reads guarded calls, each with its effect.
import type { Kysely } from 'kysely'
import type { GuardedCall } from '../../effect/calls/guarded-call.ts'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { Reference } from '../../effect/reference.ts'
import { StoredDataCorrupt } from '../../proposal/errors.ts'
import { firstOf, type Operation, rowsOf, together } from '../operation.ts'
import { parseCall, parseCallAttempt } from '../rows/call-row.ts'
import { RowReader } from '../rows/row-reader.ts'
import { statement } from '../statement.ts'
import type { CallsTable, Tables } from '../tables.ts'
import type { EffectReader } from './effect-reader.ts'

/** The operations that read one guarded call. */
export interface CallReader {
  call(key: EffectKey): Operation<GuardedCall | null>
  byId(tenant: Reference, actionId: Reference): Operation<EffectKey | null>
}

type Identity = Pick<CallsTable, 'tenant' | 'domain' | 'reference'>

/** The reads of calls over the statements of one database. */
export function callReader(db: Kysely<Tables>, effects: EffectReader): CallReader {
  const callRow = statement((key: Identity) => {
    return db
      .selectFrom('calls')
      .selectAll()
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
  })
  const attemptRows = statement((key: Identity) => {
    return db
      .selectFrom('call_attempts')
      .selectAll()
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
      .orderBy('number')
  })
  const named = statement((call: { tenant: string; actionId: string }) => {
    return db
      .selectFrom('calls')
      .select(['domain', 'reference'])
      .where('tenant', '=', call.tenant)
      .where('action_id', '=', call.actionId)
  })

  return {
    *call({ tenant, domain, reference }) {
      const key = { tenant, domain, reference }
      const [stored, effect, ended] = yield* together([
        firstOf(callRow(key)),
        effects.effect(key),
        rowsOf(attemptRows(key)),
      ])
      if (stored === null) return null
      const claim = parseCall(stored)
      if (effect === null) throw new StoredDataCorrupt(['effects', tenant, domain, reference].join('/'))
      const attempts = ended.map(parseCallAttempt)
      const gap = attempts.findIndex(({ number }, index) => number !== index + 1)
      if (gap !== -1) throw new StoredDataCorrupt(['call_attempts', tenant, domain, reference, gap + 1].join('/'))
      return { claim, effect, attempts }
    },

    *byId(tenant, actionId) {
      const stored = yield* firstOf(named({ tenant, actionId }))
      if (stored === null) return null
      const row = new RowReader(stored, 'calls', [tenant, stored.domain, stored.reference])
      return { tenant, domain: row.text('domain'), reference: row.reference('reference') }
    },
  }
}
