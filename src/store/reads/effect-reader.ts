// Reads effects with all their attempts and observations: evidence is judged whole or not at all.
import type { Kysely } from 'kysely'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { Effect } from '../../effect/effect.ts'
import type { Reference } from '../../effect/reference.ts'
import { StoredDataCorrupt } from '../../proposal/errors.ts'
import type { Sealed } from '../../runtime/ports.ts'
import { firstOf, type Operation, rowsOf, together } from '../operation.ts'
import { parseAttempt } from '../rows/attempt-row.ts'
import { parseEffect } from '../rows/effect-row.ts'
import { parseObservation } from '../rows/observation-row.ts'
import { RowReader } from '../rows/row-reader.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

/** The operations that read one effect. One corrupt row of an effect makes the whole effect unreadable. */
export interface EffectReader {
  effect(key: EffectKey): Operation<Effect | null>
  attemptDetail(key: EffectKey, number: number): Operation<Sealed | null>
  byIdempotencyKey(tenant: Reference, idempotencyKey: string): Operation<EffectKey | null>
}

interface EffectIdentity {
  readonly tenant: string
  readonly domain: string
  readonly reference: string
}

/** The reads of effects over the statements of one database. */
export function effectReader(db: Kysely<Tables>): EffectReader {
  const effectRow = statement((key: EffectIdentity) => {
    return db
      .selectFrom('effects')
      .selectAll()
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
  })
  const attemptsOf = (key: EffectIdentity) => {
    return db
      .selectFrom('attempts')
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
  }
  const attemptRows = statement((key: EffectIdentity) => attemptsOf(key).selectAll().orderBy('number'))
  const observationRows = statement((key: EffectIdentity) => {
    return db
      .selectFrom('observations')
      .selectAll()
      .where('tenant', '=', key.tenant)
      .where('domain', '=', key.domain)
      .where('reference', '=', key.reference)
      .orderBy('sequence')
  })
  const detailOf = statement((key: EffectIdentity & { number: number }) => {
    return attemptsOf(key).select('detail').where('number', '=', key.number)
  })
  // A key is derived from its effect, so all attempts that carry it are of one.
  const keyedAttempt = statement((key: { tenant: string; idempotencyKey: string }) => {
    return db
      .selectFrom('attempts')
      .select(['tenant', 'domain', 'reference', 'number'])
      .where('tenant', '=', key.tenant)
      .where('idempotency_key', '=', key.idempotencyKey)
      .limit(1)
  })

  return {
    *effect(key) {
      const [stored, attempts, observations] = yield* together([
        firstOf(effectRow(key)),
        rowsOf(attemptRows(key)),
        rowsOf(observationRows(key)),
      ])
      if (stored === null) return null
      const effect: Effect = {
        ...parseEffect(stored),
        attempts: attempts.map(parseAttempt),
        observations: observations.map(parseObservation),
      }
      assertWhole(effect)
      return effect
    },

    *attemptDetail({ tenant, domain, reference }, number) {
      const stored = yield* firstOf(detailOf({ tenant, domain, reference, number }))
      if (stored === null) return null
      const row = new RowReader(stored, 'attempts', [tenant, domain, reference, number])
      return row.maybe('detail', (column) => row.bytes(column))
    },

    *byIdempotencyKey(tenant, idempotencyKey) {
      const stored = yield* firstOf(keyedAttempt({ tenant, idempotencyKey }))
      if (stored === null) return null
      const row = new RowReader(stored, 'attempts', [tenant, stored.domain, stored.reference, stored.number])
      return { tenant, domain: row.text('domain'), reference: row.reference('reference') }
    },
  }
}

// A row that is missing would read as something that never happened. The last observation alone can vanish unseen.
function assertWhole({ key, owner, attempts, observations }: Effect): void {
  const numbers = attempts.map(({ number }) => number)
  const covered = Math.max(0, ...observations.map(({ covers }) => covers.to))
  assertGapFree('attempts', key, covered > attempts.length ? [...numbers, covered + 1] : numbers)
  const sequences = observations.map(({ sequence }) => sequence)
  assertGapFree('observations', key, sequences)
  if (owner !== null && attempts.every(({ proposal }) => proposal !== owner)) {
    throw new StoredDataCorrupt(['effects', key.tenant, key.domain, key.reference].join('/'))
  }
}

function assertGapFree(table: string, { tenant, domain, reference }: EffectKey, numbers: readonly number[]): void {
  const gap = numbers.findIndex((number, index) => number !== index + 1)
  if (gap !== -1) throw new StoredDataCorrupt([table, tenant, domain, reference, gap + 1].join('/'))
}
