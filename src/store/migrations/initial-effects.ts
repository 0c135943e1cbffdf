// The first tables of effects: claims, attempts, observations, and what is kept of guarded calls.
import { type ColumnDefinitionBuilder, type Kysely, type RawBuilder, sql } from 'kysely'
import type { Capabilities } from '../capabilities.ts'
import { ATTEMPT_ENDINGS } from '../../effect/effect.ts'
import { EVIDENCES, PROOFS, SOURCES } from '../rows/codes.ts'
import { attemptIsOpen } from '../partial-conditions.ts'
import { createCallTables } from './initial-calls.ts'
import { table } from './table-form.ts'

const notNull = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull()
const effectKey = ['tenant', 'domain', 'reference'] as const

function isOneOf(column: string, codes: readonly string[]): RawBuilder<unknown> {
  return sql`${sql.ref(column)} in (${sql.join(codes.map((code) => sql.lit(code)))})`
}

/** Creates the tables and their indexes. */
export async function createEffectTables(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  await effects(db, engine)
  await attempts(db, engine)
  await observations(db, engine)
  await createCallTables(db, engine)
}

async function effects(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer } = engine
  await table(db, engine, 'effects')
    .addColumn('tenant', text, notNull)
    .addColumn('domain', text, notNull)
    .addColumn('reference', text, notNull)
    .addColumn('kind', text, notNull)
    .addColumn('version', integer, notNull)
    .addColumn('owner', text)
    .addColumn('epoch', integer, notNull)
    .addColumn('verify_due_at', integer)
    .addColumn('verify_lease_holder', text)
    .addColumn('verify_lease_until', integer)
    .addColumn('absences_spent', integer, notNull)
    .addColumn('unavailables_spent', integer, notNull)
    .addColumn('settlement', text)
    .addPrimaryKeyConstraint('effects_key', [...effectKey])
    .addForeignKeyConstraint('effects_owner', ['tenant', 'owner'], 'proposals', ['tenant', 'ref'])
    .addCheckConstraint(
      'effects_kind',
      sql`kind = case substr(domain, 1, 5) when 'call:' then 'call' else 'proposal' end`,
    )
    .addCheckConstraint('effects_owned', sql`(owner is not null) = (kind = 'proposal')`)
    .addCheckConstraint(
      'effects_counters',
      sql`version > 0 and epoch >= 0 and absences_spent >= 0 and unavailables_spent >= 0`,
    )
    .addCheckConstraint('effects_lease', sql`(verify_lease_holder is null) = (verify_lease_until is null)`)
    .execute()
  await db.schema
    .createIndex('effects_due')
    .on('effects')
    .columns(['tenant', 'verify_due_at', 'owner'])
    .where(sql.ref('verify_due_at'), 'is not', null)
    .execute()
}

async function attempts(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer } = engine
  await table(db, engine, 'attempts')
    .addColumn('tenant', text, notNull)
    .addColumn('domain', text, notNull)
    .addColumn('reference', text, notNull)
    .addColumn('number', integer, notNull)
    .addColumn('proposal', text)
    .addColumn('action', text, notNull)
    .addColumn('target', text, notNull)
    .addColumn('generation', integer, notNull)
    .addColumn('idempotency_key', text, notNull)
    .addColumn('epoch', integer, notNull)
    .addColumn('token', text, notNull)
    .addColumn('started_at', integer, notNull)
    .addColumn('lease_until', integer, notNull)
    .addColumn('precondition', text)
    .addColumn('ending', text)
    .addColumn('ending_evidence', text)
    .addColumn('ended_at', integer)
    .addColumn('ending_reason', text)
    .addColumn('external_reference', text)
    .addColumn('detail', engine.bytes)
    .addPrimaryKeyConstraint('attempts_key', [...effectKey, 'number'])
    .addForeignKeyConstraint('attempts_of', [...effectKey], 'effects', [...effectKey], (key) => {
      return key.deferrable().initiallyDeferred()
    })
    .addForeignKeyConstraint('attempts_made_by', ['tenant', 'proposal'], 'proposals', ['tenant', 'ref'])
    .addCheckConstraint('attempts_owned', sql`(proposal is null) = (substr(domain, 1, 5) = 'call:')`)
    .addCheckConstraint(
      'attempts_numbers',
      sql`number > 0 and generation > 0 and epoch >= 0 and lease_until > started_at`,
    )
    .addCheckConstraint(
      'attempts_open',
      sql`ended_at is not null or (ending is null and ending_evidence is null and ending_reason is null
        and external_reference is null and detail is null)`,
    )
    .addCheckConstraint(
      'attempts_ended',
      sql`ended_at is null or (ending is not null and ${isOneOf('ending', ATTEMPT_ENDINGS)}
        and ending_evidence is not null and ${isOneOf('ending_evidence', EVIDENCES)})`,
    )
    .execute()
  // One open attempt an effect, whatever the code does.
  await db.schema
    .createIndex('attempts_open')
    .unique()
    .on('attempts')
    .columns([...effectKey])
    .where(sql.ref('ended_at'), 'is', null)
    .execute()
  await db.schema
    .createIndex('attempts_by_lease')
    .on('attempts')
    .columns(['tenant', 'lease_until', 'proposal'])
    .where(attemptIsOpen)
    .execute()
  await db.schema.createIndex('attempts_by_proposal').on('attempts').columns(['tenant', 'proposal']).execute()
  await db.schema.createIndex('attempts_by_key').on('attempts').columns(['tenant', 'idempotency_key']).execute()
}

async function observations(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer } = engine
  await table(db, engine, 'observations')
    .addColumn('tenant', text, notNull)
    .addColumn('domain', text, notNull)
    .addColumn('reference', text, notNull)
    .addColumn('sequence', integer, notNull)
    .addColumn('source', text, notNull)
    .addColumn('answer', text, notNull)
    .addColumn('verdict', text, notNull)
    .addColumn('covers_from', integer, notNull)
    .addColumn('covers_to', integer, notNull)
    .addColumn('target', text, notNull)
    .addColumn('proof', text)
    .addColumn('flags', text, notNull)
    .addColumn('reason', text)
    .addColumn('external_reference', text)
    .addColumn('matches', integer)
    .addColumn('began_at', integer, notNull)
    .addColumn('ended_at', integer, notNull)
    .addColumn('sealed_for', text)
    .addColumn('facts', engine.bytes)
    .addPrimaryKeyConstraint('observations_key', [...effectKey, 'sequence'])
    .addForeignKeyConstraint('observations_of', [...effectKey], 'effects', [...effectKey])
    .addCheckConstraint('observations_codes', sql`${isOneOf('source', SOURCES)} and ${isOneOf('verdict', EVIDENCES)}`)
    .addCheckConstraint('observations_proof', sql`proof is null or ${isOneOf('proof', PROOFS)}`)
    .addCheckConstraint('observations_cover', sql`sequence > 0 and covers_from > 0 and covers_to >= covers_from`)
    .addCheckConstraint('observations_sealed', sql`facts is null or sealed_for is not null`)
    .execute()
  await db.schema
    .createIndex('observations_sealed_for')
    .on('observations')
    .columns(['tenant', 'sealed_for'])
    .where(sql.ref('sealed_for'), 'is not', null)
    .execute()
}
