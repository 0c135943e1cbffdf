// The first guards of effects: claims that stay, versions and fences that only rise, evidence that is only added.
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Capabilities } from '../capabilities.ts'
import { type Guard, isChanged, isErased } from './guard.ts'

/** Creates the triggers. */
export async function createEffectGuards(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  await engine.createGuards(db, [...effectGuards(engine), ...attemptGuards(engine), ...observationGuards(engine)])
}

const attemptOfOwner = sql<SqlBool>`(new.owner is null or exists (select 1 from attempts as made
  where made.tenant = new.tenant and made.domain = new.domain and made.reference = new.reference
  and made.proposal = new.owner))`

const higherFence = sql<SqlBool>`exists (select 1 from attempts as made where made.tenant = new.tenant
  and made.domain = new.domain and made.reference = new.reference and made.epoch > new.epoch)`

const callOfEffect = sql<SqlBool>`exists (select 1 from calls where calls.tenant = new.tenant
  and calls.domain = new.domain and calls.reference = new.reference)`

const wasStarted = sql<SqlBool>`exists (select 1 from attempts as made where made.tenant = old.tenant
  and made.domain = old.domain and made.reference = old.reference)`

const effectGuards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'effects_claimed_once',
    before: 'insert',
    on: 'effects',
    when: sql<SqlBool>`exists (select 1 from effects as kept where kept.tenant = new.tenant and kept.domain = new.domain
      and kept.reference = new.reference)`,
    rule: 'a claim is never replaced',
  },
  {
    name: 'effects_begin',
    before: 'insert',
    on: 'effects',
    when: sql<SqlBool>`not ${attemptOfOwner} or ${higherFence}`,
    rule: 'a claim is made with its first attempt, under the fence',
  },
  {
    name: 'effects_fixed',
    before: 'update',
    on: 'effects',
    when: isChanged(engine, ['tenant', 'domain', 'reference', 'kind']),
    rule: 'the identity of an effect never changes',
  },
  {
    name: 'effects_version',
    before: 'update',
    on: 'effects',
    when: sql<SqlBool>`new.version <= old.version`,
    rule: 'the version of an effect grows',
  },
  {
    name: 'effects_fence',
    before: 'update',
    on: 'effects',
    when: sql<SqlBool>`new.epoch < old.epoch or ${higherFence}`,
    rule: 'the fence never comes down',
  },
  {
    name: 'effects_owner',
    before: 'update',
    on: 'effects',
    when: sql<SqlBool>`not ${attemptOfOwner}`,
    rule: 'an effect is never owned without an attempt of its owner',
  },
  {
    name: 'effects_of_call',
    before: 'insert',
    on: 'effects',
    when: sql<SqlBool>`new.kind = 'call' and not ${callOfEffect}`,
    rule: 'a guarded call is claimed together with its effect',
  },
  {
    // A guarded call that was never started is released, and its row in `calls` goes with it (rules R16).
    name: 'effects_not_deleted',
    before: 'delete',
    on: 'effects',
    when: sql<SqlBool>`old.kind <> 'call' or ${wasStarted}`,
    rule: 'claims are never deleted',
  },
]

const attemptGuards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'attempts_numbered',
    before: 'insert',
    on: 'attempts',
    when: sql<SqlBool>`new.number ${engine.differsFrom} (select coalesce(max(kept.number), 0) + 1 from attempts as kept
      where kept.tenant = new.tenant and kept.domain = new.domain and kept.reference = new.reference)`,
    rule: 'attempts are numbered without gaps and never replaced',
  },
  {
    name: 'attempts_begin_open',
    before: 'insert',
    on: 'attempts',
    when: sql<SqlBool>`new.ended_at is not null or exists (select 1 from attempts as kept where kept.tenant = new.tenant
      and kept.domain = new.domain and kept.reference = new.reference and kept.ended_at is null)`,
    rule: 'an effect has one open attempt',
  },
  {
    name: 'attempts_of_effect',
    before: 'insert',
    on: 'attempts',
    when: sql<SqlBool>`new.proposal is not null and not exists (select 1 from proposals as p where p.tenant = new.tenant
      and p.ref = new.proposal and p.effect_domain = new.domain and p.effect_reference = new.reference
      and p.erasure <> 'erased')`,
    rule: 'a proposal attempts its own effect',
  },
  {
    name: 'attempts_fixed',
    before: 'update',
    on: 'attempts',
    when: isChanged(engine, [
      'tenant',
      'domain',
      'reference',
      'number',
      'proposal',
      'action',
      'target',
      'generation',
      'idempotency_key',
      'epoch',
      'token',
      'started_at',
      'lease_until',
      'precondition',
    ]),
    rule: 'what was started never changes',
  },
  {
    name: 'attempts_end_once',
    before: 'update',
    on: 'attempts',
    when: sql<SqlBool>`case when old.ended_at is null then new.ended_at is null
      else ${isChanged(engine, ['ending', 'ending_evidence', 'ended_at', 'ending_reason', 'external_reference'])}
        or new.detail is not null or not ${isErased('old', 'proposal')} end`,
    rule: 'an attempt ends once',
  },
  { name: 'attempts_not_deleted', before: 'delete', on: 'attempts', rule: 'attempts are never deleted' },
]

// Sealed for what has been erased, or about one of its attempts.
function isOfErased(row: 'new' | 'old'): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${isErased(row, 'sealed_for')} or exists (select 1 from attempts as made
    join proposals as erased on erased.tenant = made.tenant and erased.ref = made.proposal and erased.erasure = 'erased'
    where made.tenant = ${sql.ref(`${row}.tenant`)} and made.domain = ${sql.ref(`${row}.domain`)}
    and made.reference = ${sql.ref(`${row}.reference`)}
    and made.number between ${sql.ref(`${row}.covers_from`)} and ${sql.ref(`${row}.covers_to`)}))`
}

const observationGuards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'observations_numbered',
    before: 'insert',
    on: 'observations',
    when: sql<SqlBool>`new.sequence ${engine.differsFrom} (select coalesce(max(kept.sequence), 0) + 1 from observations as kept
      where kept.tenant = new.tenant and kept.domain = new.domain and kept.reference = new.reference)`,
    rule: 'observations are numbered without gaps and never replaced',
  },
  {
    name: 'observations_cover_attempts',
    before: 'insert',
    on: 'observations',
    when: sql<SqlBool>`new.covers_to > (select coalesce(max(made.number), 0) from attempts as made
      where made.tenant = new.tenant and made.domain = new.domain and made.reference = new.reference)`,
    rule: 'an observation covers attempts that were started',
  },
  {
    name: 'observations_of_content',
    before: 'insert',
    on: 'observations',
    when: sql<SqlBool>`new.facts is not null and ${isOfErased('new')}`,
    rule: 'nothing is sealed for what has been erased',
  },
  {
    name: 'observations_not_changed',
    before: 'update',
    on: 'observations',
    when: sql<SqlBool>`${isChanged(engine, [
      'tenant',
      'domain',
      'reference',
      'sequence',
      'source',
      'answer',
      'verdict',
      'covers_from',
      'covers_to',
      'target',
      'proof',
      'flags',
      'reason',
      'external_reference',
      'matches',
      'began_at',
      'ended_at',
      'sealed_for',
    ])} or new.facts is not null or not ${isOfErased('old')}`,
    rule: 'observations are never changed',
  },
  { name: 'observations_not_deleted', before: 'delete', on: 'observations', rule: 'observations are never deleted' },
]
