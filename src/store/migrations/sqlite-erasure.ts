// The trigger that takes along whatever hangs on an erased proposal, in SQLite.
import { type Kysely, sql } from 'kysely'
import { ERASED_OPERATOR } from '../../effect/erased-operator.ts'

/** The database does the rest itself, so that nothing can be left behind beside a tombstone. */
export async function createSqliteErasure(db: Kysely<unknown>): Promise<void> {
  await sql`create trigger proposals_erased after update on proposals
when new.erasure = 'erased' and old.erasure <> 'erased'
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
  update effects set version = version + 1, settlement = json_set(settlement, '$.by', ${sql.lit(ERASED_OPERATOR)},
    '$.secondOperator', iif(settlement ->> '$.secondOperator' is null, null, ${sql.lit(ERASED_OPERATOR)}))
    where tenant = new.tenant and domain = new.effect_domain and reference = new.effect_reference
    and settlement ->> '$.by' <> ${sql.lit(ERASED_OPERATOR)} and not exists (select 1 from attempts as made
    join proposals as live on live.tenant = made.tenant and live.ref = made.proposal and live.erasure <> 'erased'
    where made.tenant = new.tenant and made.domain = new.effect_domain and made.reference = new.effect_reference);
  insert into unscrubbed (tenant, proposal) values (new.tenant, new.ref);
end`.execute(db)
}
