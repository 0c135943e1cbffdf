// Writes effects: the end of an attempt, a new attempt, an observation, then the effect that they belong to.
import { type Expression, type Kysely, type RawBuilder, sql } from 'kysely'
import type { EffectKey } from '../../effect/effect-key.ts'
import type { AttemptEnd, EffectWrite, ObservationInsert, Sealed } from '../../runtime/ports.ts'
import { invariant } from '../broken-invariant.ts'
import type { Capabilities } from '../capabilities.ts'
import { changedBy, type Operation, together } from '../operation.ts'
import { attemptRow, type EndingState, endingState } from '../rows/attempt-row.ts'
import { effectRow } from '../rows/effect-row.ts'
import { observationRow } from '../rows/observation-row.ts'
import { statement } from '../statement.ts'
import type { AttemptsTable, EffectsTable, ObservationsTable, Tables } from '../tables.ts'

/** The operation that writes an effect with its rows. */
export interface EffectWriter {
  write(write: EffectWrite): Operation<void>
}

type EndOfAttempt = Pick<AttemptsTable, 'tenant' | 'domain' | 'reference' | 'number' | 'token' | 'detail'> & EndingState

type ExpectedEffect = EffectsTable & { readonly expected: number }

/** The writes of effects over the statements of one database. */
export function effectWriter(db: Kysely<Tables>, { asBytes }: Capabilities): EffectWriter {
  const insertEffect = statement((row: EffectsTable) => db.insertInto('effects').values(row))
  const updateEffect = statement(({ tenant, domain, reference, expected, ...state }: ExpectedEffect) => {
    return db
      .updateTable('effects')
      .set(state)
      .where('tenant', '=', tenant)
      .where('domain', '=', domain)
      .where('reference', '=', reference)
      .where('version', '=', expected)
  })
  const insertAttempt = statement((row: AttemptsTable) => db.insertInto('attempts').values(row))
  const endAttempt = statement(({ tenant, domain, reference, number, token, detail, ...state }: EndOfAttempt) => {
    return db
      .updateTable('attempts')
      .set({ ...state, detail: unlessErased(asBytes(detail), { tenant, ref: sql.ref('attempts.proposal') }) })
      .where('tenant', '=', tenant)
      .where('domain', '=', domain)
      .where('reference', '=', reference)
      .where('number', '=', number)
      .where('token', '=', token)
      .where('ended_at', 'is', null)
  })
  const insertObservation = statement((row: ObservationsTable) => {
    const facts = unlessAboutErased({ ...row, facts: asBytes(row.facts) })
    return db.insertInto('observations').values({ ...row, facts })
  })

  function* end(key: EffectKey, { number, token, ending, detail }: AttemptEnd): Operation<void> {
    const { tenant, domain, reference } = key
    const values = { tenant, domain, reference, number, token, detail, ...endingState(ending) }
    invariant((yield* changedBy(endAttempt(values))) === 1, 'an attempt ends by its token')
  }

  function* observe(key: EffectKey, { observation, facts, sealedFor }: ObservationInsert): Operation<void> {
    yield* changedBy(insertObservation({ ...observationRow(key, observation), sealed_for: sealedFor, facts }))
  }

  function* update(row: EffectWrite['row'], expected: number): Operation<void> {
    const changed = yield* changedBy(updateEffect({ ...effectRow(row), expected }))
    invariant(changed === 1, 'an effect changes at its version')
  }

  return {
    *write({ row, expect, opened, ended, observed }) {
      yield* together([
        ...(ended === null ? [] : [end(row.key, ended)]),
        ...(opened === null ? [] : [changedBy(insertAttempt(attemptRow(row.key, opened)))]),
        ...(observed === null ? [] : [observe(row.key, observed)]),
        expect === 'absent' ? changedBy(insertEffect(effectRow(row))) : update(row, expect),
      ])
    },
  }
}

// Facts about an attempt of an erased proposal are not kept either, for whomever they were sealed (rules R19).
function unlessAboutErased(
  row: Omit<ObservationsTable, 'facts'> & { readonly facts: RawBuilder<Sealed | null> },
): RawBuilder<Sealed | null> {
  return sql<Sealed | null>`(select ${unlessErased(row.facts, { tenant: row.tenant, ref: row.sealed_for })}
    where not exists (select 1 from attempts as made join proposals as erased on erased.tenant = made.tenant
    and erased.ref = made.proposal and erased.erasure = 'erased' where made.tenant = ${row.tenant}
    and made.domain = ${row.domain} and made.reference = ${row.reference}
    and made.number between ${row.covers_from} and ${row.covers_to}))`
}

// What was sealed for a proposal that has been erased meanwhile is dropped; the evidence beside it is kept.
function unlessErased(
  sealed: RawBuilder<Sealed | null>,
  { tenant, ref }: { readonly tenant: string; readonly ref: string | null | Expression<unknown> },
): RawBuilder<Sealed | null> {
  return sql<Sealed | null>`(select ${sealed} from proposals
    where proposals.tenant = ${tenant} and proposals.ref = ${ref} and proposals.erasure <> 'erased')`
}
