// The first tables of guarded calls: what is kept of a call beside its effect, and of its attempts beside theirs.
import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely'
import type { Capabilities } from '../capabilities.ts'
import { table } from './table-form.ts'

const notNull = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull()
const effectKey = ['tenant', 'domain', 'reference'] as const

/** Creates the tables and their indexes. */
export async function createCallTables(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  await calls(db, engine)
  await callAttempts(db, engine)
}

async function calls(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer } = engine
  await table(db, engine, 'calls')
    .addColumn('tenant', text, notNull)
    .addColumn('domain', text, notNull)
    .addColumn('reference', text, notNull)
    .addColumn('action_id', text, notNull)
    .addColumn('request_hash', text, notNull)
    .addColumn('provider_reference', text)
    .addColumn('risk', text)
    .addColumn('metadata', text, notNull)
    .addColumn('state', text, notNull)
    .addColumn('holder', text, notNull)
    .addColumn('lease_until', integer, notNull)
    .addColumn('created_at', integer, notNull)
    .addColumn('completed_at', integer)
    .addPrimaryKeyConstraint('calls_key', [...effectKey])
    .addUniqueConstraint('calls_id', ['tenant', 'action_id'])
    // The effect follows in the same change; where it is released, the call goes with it.
    .addForeignKeyConstraint('calls_of', [...effectKey], 'effects', [...effectKey], (key) => {
      return key.onDelete('cascade').deferrable().initiallyDeferred()
    })
    .addCheckConstraint('calls_domain', sql`substr(domain, 1, 5) = 'call:'`)
    .addCheckConstraint(
      'calls_state',
      sql`state in ('PENDING', 'COMPLETED') and (completed_at is not null) = (state = 'COMPLETED')`,
    )
    .execute()
}

async function callAttempts(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  const { text, integer } = engine
  await table(db, engine, 'call_attempts')
    .addColumn('tenant', text, notNull)
    .addColumn('domain', text, notNull)
    .addColumn('reference', text, notNull)
    .addColumn('number', integer, notNull)
    .addColumn('error', text)
    .addColumn('retryable', integer, notNull)
    .addColumn('decision', text)
    .addColumn('next_attempt_at', integer)
    .addPrimaryKeyConstraint('call_attempts_key', [...effectKey, 'number'])
    .addForeignKeyConstraint('call_attempts_of', [...effectKey, 'number'], 'attempts', [...effectKey, 'number'])
    .addCheckConstraint('call_attempts_retryable', sql`retryable in (0, 1)`)
    .addCheckConstraint(
      'call_attempts_decision',
      sql`(decision is null or decision in ('stop', 'retry'))
        and (next_attempt_at is not null) = (decision is not null and decision = 'retry')`,
    )
    .execute()
}
