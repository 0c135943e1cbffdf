// The first guards of guarded calls: claims that stay once they were started, and calls that are completed once.
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Capabilities } from '../capabilities.ts'
import { type Guard, isChanged } from './guard.ts'

/** Creates the triggers. */
export async function createCallGuards(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  await engine.createGuards(db, [...callGuards(engine), ...startGuards, ...callAttemptGuards(engine)])
}

function attempts(row: 'new' | 'old', which: RawBuilder<unknown> = sql``): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from attempts as made where made.tenant = ${sql.ref(`${row}.tenant`)}
    and made.domain = ${sql.ref(`${row}.domain`)} and made.reference = ${sql.ref(`${row}.reference`)} ${which})`
}

function effect(row: 'new' | 'old'): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from effects as claimed where claimed.tenant = ${sql.ref(`${row}.tenant`)}
    and claimed.domain = ${sql.ref(`${row}.domain`)} and claimed.reference = ${sql.ref(`${row}.reference`)})`
}

const callGuards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'calls_begin',
    before: 'insert',
    on: 'calls',
    when: sql<SqlBool>`new.state <> 'PENDING' or ${effect('new')}`,
    rule: 'a guarded call begins with its claim',
  },
  {
    name: 'calls_named_once',
    before: 'insert',
    on: 'calls',
    when: sql<SqlBool>`exists (select 1 from calls as kept where kept.tenant = new.tenant
      and kept.action_id = new.action_id)`,
    rule: 'an action id names one call',
  },
  {
    name: 'calls_fixed',
    before: 'update',
    on: 'calls',
    when: isChanged(engine, [
      'tenant',
      'domain',
      'reference',
      'action_id',
      'request_hash',
      'provider_reference',
      'risk',
      'metadata',
      'created_at',
    ]),
    rule: 'what was claimed never changes',
  },
  {
    name: 'calls_completed_once',
    before: 'update',
    on: 'calls',
    when: sql<SqlBool>`old.state = 'COMPLETED'`,
    rule: 'a call is completed once',
  },
  {
    name: 'calls_completed_at_end',
    before: 'update',
    on: 'calls',
    when: sql<SqlBool>`new.state = 'COMPLETED' and (not ${attempts('new')}
      or ${attempts('new', sql`and made.ended_at is null`)})`,
    rule: 'a call is completed when its attempts have ended',
  },
  {
    name: 'calls_taken_over',
    before: 'update',
    on: 'calls',
    when: sql<SqlBool>`${isChanged(engine, ['holder', 'lease_until'])} and ${attempts('new')}`,
    rule: 'a call that was started is never taken over',
  },
  {
    // A release deletes the effect, by which this is found: alone it never goes.
    name: 'calls_not_deleted',
    before: 'delete',
    on: 'calls',
    when: effect('old'),
    rule: 'a claim goes whole or not at all',
  },
]

const startGuards: readonly Guard[] = [
  {
    name: 'attempts_of_call',
    before: 'insert',
    on: 'attempts',
    when: sql<SqlBool>`new.proposal is null and not exists (select 1 from calls where calls.tenant = new.tenant
      and calls.domain = new.domain and calls.reference = new.reference and calls.state = 'PENDING')`,
    rule: 'a call that is completed is never started again',
  },
]

const callAttemptGuards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'call_attempts_told_once',
    before: 'insert',
    on: 'call_attempts',
    when: sql<SqlBool>`new.decision is not null or new.number ${engine.differsFrom} (select coalesce(max(kept.number), 0) + 1
      from call_attempts as kept where kept.tenant = new.tenant and kept.domain = new.domain
      and kept.reference = new.reference)`,
    rule: 'attempts are told of in their order and never replaced',
  },
  {
    name: 'call_attempts_ended',
    before: 'insert',
    on: 'call_attempts',
    when: sql<SqlBool>`not ${attempts('new', sql`and made.number = new.number and made.ended_at is not null`)}`,
    rule: 'an attempt is told of when it has ended',
  },
  {
    name: 'call_attempts_decided_once',
    before: 'update',
    on: 'call_attempts',
    when: sql<SqlBool>`${isChanged(engine, ['tenant', 'domain', 'reference', 'number', 'error', 'retryable'])}
      or old.decision is not null or new.decision is null`,
    rule: 'an attempt is decided on once',
  },
  {
    name: 'call_attempts_not_deleted',
    before: 'delete',
    on: 'call_attempts',
    rule: 'attempts are never deleted',
  },
]
