// The triggers that do something in PostgreSQL: what erasure takes along, the numbers of events, and no TRUNCATE.
import { type Kysely, sql } from 'kysely'
import { ERASED_OPERATOR } from '../../effect/erased-operator.ts'

/** Every table with guards: TRUNCATE would pass all of them. */
const GUARDED = [
  'proposals',
  'approvals',
  'receipts',
  'keys',
  'request_keys',
  'effects',
  'attempts',
  'observations',
  'calls',
  'call_attempts',
  'events',
  'delivery_endpoints',
  'deliveries',
  'changes',
  'action_domains',
  'schema_info',
  'store_identity',
  'store_counts',
  'restores',
] as const

/** Creates the functions and triggers. */
export async function createPostgresTriggers(db: Kysely<unknown>): Promise<void> {
  await createErasure(db)
  await createNumbers(db)
  await sql`create function never_truncated() returns trigger language plpgsql as $trigger$
begin
  raise exception using errcode = 'integrity_constraint_violation', message = 'rows are never removed all at once';
end
$trigger$`.execute(db)
  for (const table of GUARDED) {
    await sql`create trigger ${sql.id(`${table}_never_truncated`)} before truncate on ${sql.table(table)}
for each statement execute function never_truncated()`.execute(db)
  }
}

// The database does the rest itself, so that nothing can be left behind beside a tombstone. A settlement is rewritten
// member by member: it is canonical JSON, whose order and spelling jsonb would not keep.
async function createErasure(db: Kysely<unknown>): Promise<void> {
  const erased = sql.lit(ERASED_OPERATOR)
  await sql`create function proposals_erased() returns trigger language plpgsql set search_path from current as $trigger$
begin
  delete from keys where tenant = new.tenant and proposal = new.ref;
  delete from approvals where tenant = new.tenant and proposal = new.ref;
  update receipts set type = null, at = null, participant = null, caller = null, action = null, status = null,
    attempt = null, reason = null, external_reference = null, detail = null, runtime_version = null
    where tenant = new.tenant and proposal = new.ref;
  update attempts set detail = null where tenant = new.tenant and proposal = new.ref and detail is not null;
  update observations set facts = null where tenant = new.tenant and sealed_for = new.ref and facts is not null;
  update observations set facts = null where tenant = new.tenant and domain = new.effect_domain
    and reference = new.effect_reference and facts is not null and exists (select 1 from attempts as made
    where made.tenant = new.tenant and made.domain = new.effect_domain and made.reference = new.effect_reference
    and made.proposal = new.ref and made.number between observations.covers_from and observations.covers_to);
  update effects set version = version + 1, settlement = (select '{' || string_agg(to_json(member.key)::text || ':' ||
    case when member.key = 'by' or (member.key = 'secondOperator' and member.value::text <> 'null')
    then to_json(${erased}::text)::text else member.value::text end, ',' order by member.place) || '}'
    from json_each(effects.settlement::json) with ordinality as member (key, value, place))
    where tenant = new.tenant and domain = new.effect_domain and reference = new.effect_reference
    and settlement::json ->> 'by' <> ${erased} and not exists (select 1 from attempts as made
    join proposals as live on live.tenant = made.tenant and live.ref = made.proposal and live.erasure <> 'erased'
    where made.tenant = new.tenant and made.domain = new.effect_domain and made.reference = new.effect_reference);
  insert into unscrubbed (tenant, proposal) values (new.tenant, new.ref);
  return null;
end
$trigger$`.execute(db)
  await sql`create trigger proposals_erased after update on proposals for each row
when (new.erasure = 'erased' and old.erasure <> 'erased') execute function proposals_erased()`.execute(db)
}

// A number that is drawn is seen only when its transaction commits; so the next one of the tenant is drawn after that, or a
// reader would go past the lower one and never see it (rules R18). The lock goes with the transaction.
async function createNumbers(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence events_positions as bigint owned by events.position`.execute(db)
  await sql`create function events_numbered() returns trigger language plpgsql set search_path from current as $trigger$
begin
  if new.position is not null then
    raise exception using errcode = 'integrity_constraint_violation', message = 'an event is numbered by the database';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(tg_table_schema || '.events of ' || new.tenant, 0));
  new.position := nextval('events_positions');
  return new;
end
$trigger$`.execute(db)
  await sql`create trigger events_numbered before insert on events
for each row execute function events_numbered()`.execute(db)
}
