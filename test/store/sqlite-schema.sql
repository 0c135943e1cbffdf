CREATE TABLE "action_domains" (
  "action_name" text not null,
  "domain" text not null,
  constraint "action_domains_key" primary key ("action_name", "domain")
) strict, without rowid;

CREATE TABLE "approvals" (
  "tenant" text not null,
  "proposal" text not null,
  "number" integer not null,
  "approval_id" text not null,
  "decision" text not null,
  "commitment" text,
  "approver" text,
  "roles" text,
  "assurance" text,
  "decided_at" integer not null,
  "expires_at" integer,
  "comment" blob,
  constraint "approvals_key" primary key ("tenant", "proposal", "number"),
  constraint "approvals_of" foreign key ("tenant", "proposal") references "proposals" ("tenant", "ref"),
  constraint "approvals_decision" check (decision in ('approve', 'reject', 'revoke')),
  constraint "approvals_given" check (decision = 'revoke' or ("commitment" is not null and "approver" is not null and "roles" is not null and "assurance" is not null and "expires_at" is not null)),
  constraint "approvals_revoked" check (decision <> 'revoke' or ("commitment" is null and "approver" is null and "roles" is null and "assurance" is null and "expires_at" is null and "comment" is null))
) strict;

CREATE TABLE "attempts" (
  "tenant" text not null,
  "domain" text not null,
  "reference" text not null,
  "number" integer not null,
  "proposal" text,
  "action" text not null,
  "target" text not null,
  "generation" integer not null,
  "idempotency_key" text not null,
  "epoch" integer not null,
  "token" text not null,
  "started_at" integer not null,
  "lease_until" integer not null,
  "precondition" text,
  "ending" text,
  "ending_evidence" text,
  "ended_at" integer,
  "ending_reason" text,
  "external_reference" text,
  "detail" blob,
  constraint "attempts_key" primary key ("tenant", "domain", "reference", "number"),
  constraint "attempts_of" foreign key ("tenant", "domain", "reference") references "effects" ("tenant", "domain", "reference") deferrable initially deferred,
  constraint "attempts_made_by" foreign key ("tenant", "proposal") references "proposals" ("tenant", "ref"),
  constraint "attempts_owned" check ((proposal is null) = (substr(domain, 1, 5) = 'call:')),
  constraint "attempts_numbers" check (number > 0 and generation > 0 and epoch >= 0 and lease_until > started_at),
  constraint "attempts_open" check (ended_at is not null or (ending is null and ending_evidence is null and ending_reason is null
        and external_reference is null and detail is null)),
  constraint "attempts_ended" check (ended_at is null or (ending is not null and "ending" in ('accepted', 'returned', 'stale_no_effect', 'failed_known', 'failed_unknown', 'not_sent', 'lease_lapsed')
        and ending_evidence is not null and "ending_evidence" in ('CONFIRMED', 'FAILED', 'UNKNOWN')))
) strict;

CREATE TABLE "call_attempts" (
  "tenant" text not null,
  "domain" text not null,
  "reference" text not null,
  "number" integer not null,
  "error" text,
  "retryable" integer not null,
  "decision" text,
  "next_attempt_at" integer,
  constraint "call_attempts_key" primary key ("tenant", "domain", "reference", "number"),
  constraint "call_attempts_of" foreign key ("tenant", "domain", "reference", "number") references "attempts" ("tenant", "domain", "reference", "number"),
  constraint "call_attempts_retryable" check (retryable in (0, 1)),
  constraint "call_attempts_decision" check ((decision is null or decision in ('stop', 'retry'))
        and (next_attempt_at is not null) = (decision is not null and decision = 'retry'))
) strict;

CREATE TABLE "calls" (
  "tenant" text not null,
  "domain" text not null,
  "reference" text not null,
  "action_id" text not null,
  "request_hash" text not null,
  "provider_reference" text,
  "risk" text,
  "metadata" text not null,
  "state" text not null,
  "holder" text not null,
  "lease_until" integer not null,
  "created_at" integer not null,
  "completed_at" integer,
  constraint "calls_key" primary key ("tenant", "domain", "reference"),
  constraint "calls_id" unique ("tenant", "action_id"),
  constraint "calls_of" foreign key ("tenant", "domain", "reference") references "effects" ("tenant", "domain", "reference") on delete cascade deferrable initially deferred,
  constraint "calls_domain" check (substr(domain, 1, 5) = 'call:'),
  constraint "calls_state" check (state in ('PENDING', 'COMPLETED') and (completed_at is not null) = (state = 'COMPLETED'))
) strict;

CREATE TABLE "changes" (
  "tenant" text not null,
  "change_id" text not null,
  "at" integer not null,
  constraint "changes_key" primary key ("tenant", "change_id")
) strict, without rowid;

CREATE TABLE "deliveries" (
  "tenant" text not null,
  "endpoint" text not null,
  "proposal" text not null,
  "position" integer not null,
  "last_position" integer not null,
  "failures" integer not null,
  "due_at" integer,
  "holder" text,
  "reason" text,
  "dead_at" integer,
  constraint "deliveries_key" primary key ("tenant", "endpoint", "proposal"),
  constraint "deliveries_of" foreign key ("tenant", "proposal") references "proposals" ("tenant", "ref"),
  constraint "deliveries_to" foreign key ("tenant", "endpoint") references "delivery_endpoints" ("tenant", "endpoint"),
  constraint "deliveries_in_order" check (position <= last_position and failures >= 0),
  constraint "deliveries_due" check ((due_at is null) = (dead_at is not null) and (dead_at is null or (holder is null and reason is not null)))
) strict, without rowid;

CREATE TABLE "delivery_endpoints" (
  "tenant" text not null,
  "endpoint" text not null,
  "read_through" integer not null,
  "disabled_at" integer,
  constraint "delivery_endpoints_key" primary key ("tenant", "endpoint")
) strict, without rowid;

CREATE TABLE "effects" (
  "tenant" text not null,
  "domain" text not null,
  "reference" text not null,
  "kind" text not null,
  "version" integer not null,
  "owner" text,
  "epoch" integer not null,
  "verify_due_at" integer,
  "verify_lease_holder" text,
  "verify_lease_until" integer,
  "absences_spent" integer not null,
  "unavailables_spent" integer not null,
  "settlement" text,
  constraint "effects_key" primary key ("tenant", "domain", "reference"),
  constraint "effects_owner" foreign key ("tenant", "owner") references "proposals" ("tenant", "ref"),
  constraint "effects_kind" check (kind = case substr(domain, 1, 5) when 'call:' then 'call' else 'proposal' end),
  constraint "effects_owned" check ((owner is not null) = (kind = 'proposal')),
  constraint "effects_counters" check (version > 0 and epoch >= 0 and absences_spent >= 0 and unavailables_spent >= 0),
  constraint "effects_lease" check ((verify_lease_holder is null) = (verify_lease_until is null))
) strict;

CREATE TABLE "events" (
  "position" integer primary key autoincrement,
  "tenant" text not null,
  "type" text not null,
  "proposal" text not null,
  "status" text not null,
  "revision" integer not null,
  "at" integer not null,
  constraint "events_of" foreign key ("tenant", "proposal") references "proposals" ("tenant", "ref")
) strict;

CREATE TABLE "keys" (
  "tenant" text not null,
  "proposal" text not null,
  "kek_version" text not null,
  "wrapped" blob not null,
  constraint "keys_key" primary key ("tenant", "proposal")
) strict, without rowid;

CREATE TABLE "kysely_migration" (
  "name" varchar(255) not null primary key,
  "timestamp" varchar(255) not null
);

CREATE TABLE "kysely_migration_lock" (
  "id" varchar(255) not null primary key,
  "is_locked" integer default 0 not null
);

CREATE TABLE "observations" (
  "tenant" text not null,
  "domain" text not null,
  "reference" text not null,
  "sequence" integer not null,
  "source" text not null,
  "answer" text not null,
  "verdict" text not null,
  "covers_from" integer not null,
  "covers_to" integer not null,
  "target" text not null,
  "proof" text,
  "flags" text not null,
  "reason" text,
  "external_reference" text,
  "matches" integer,
  "began_at" integer not null,
  "ended_at" integer not null,
  "sealed_for" text,
  "facts" blob,
  constraint "observations_key" primary key ("tenant", "domain", "reference", "sequence"),
  constraint "observations_of" foreign key ("tenant", "domain", "reference") references "effects" ("tenant", "domain", "reference"),
  constraint "observations_codes" check ("source" in ('verifier', 'executor', 'fence', 'cancel', 'event') and "verdict" in ('CONFIRMED', 'FAILED', 'UNKNOWN')),
  constraint "observations_proof" check (proof is null or "proof" in ('terminal', 'cancelled', 'fenced', 'key_consumed', 'settled')),
  constraint "observations_cover" check (sequence > 0 and covers_from > 0 and covers_to >= covers_from),
  constraint "observations_sealed" check (facts is null or sealed_for is not null)
) strict;

CREATE TABLE "proposals" (
  "tenant" text not null,
  "ref" text not null,
  "action" text not null,
  "action_name" text not null,
  "effect_domain" text not null,
  "effect_reference" text not null,
  "created_at" integer not null,
  "expires_at" integer not null,
  "definition_digest" text,
  "subject" text,
  "requester" text,
  "agent" text,
  "agent_owner" text,
  "replaces" text,
  "policy" text,
  "command_fingerprint" text,
  "commitment" text,
  "status" text not null,
  "revision" integer not null,
  "updated_at" integer,
  "erasure" text not null,
  "blocked_by" text,
  "attention" text,
  "attempt" integer,
  "reason" text,
  "drift_paths" text,
  "replaced_by" text,
  "superseded_by" text,
  "settled_at" integer,
  "closed_at" integer,
  "evidence" text,
  "attempt_count" integer,
  "erased_at" integer,
  "met_requirements" text,
  "receipt_count" integer,
  "last_hash" text,
  "receipt_salt" blob,
  "snapshot" blob,
  "preview" blob,
  "result" blob,
  "receipt_sequence" integer generated always as (revision + 1),
  constraint "proposals_key" primary key ("tenant", "ref"),
  constraint "proposals_receipted" foreign key ("tenant", "ref", "receipt_sequence") references "receipts" ("tenant", "proposal", "sequence") deferrable initially deferred,
  constraint "proposals_status" check (status in ('awaiting_approval', 'approved', 'executing', 'verification_pending', 'failed_unknown', 'verification_unresolved', 'verified', 'failed_known', 'closed_unknown', 'rejected', 'withdrawn', 'expired', 'stale', 'superseded')),
  constraint "proposals_erasure" check (erasure in ('none', 'requested', 'pending', 'erased')),
  constraint "proposals_time" check (revision >= 0 and expires_at > created_at),
  constraint "proposals_no_call" check (substr(effect_domain, 1, 5) <> 'call:'),
  constraint "proposals_live" check (erasure = 'erased' or ((("definition_digest" is not null and "requester" is not null and "policy" is not null and "commitment" is not null and "updated_at" is not null and "attention" is not null and "receipt_salt" is not null and "snapshot" is not null and "preview" is not null) and ("attempt_count" is null and "erased_at" is null and "met_requirements" is null and "receipt_count" is null and "last_hash" is null and "evidence" is null)) and 
  (attempt is not null) = (status in ('executing', 'verification_pending', 'failed_unknown'))
  and (reason is not null) = (status in ('failed_unknown', 'verification_unresolved', 'failed_known', 'closed_unknown', 'withdrawn', 'stale'))
  and (drift_paths is not null) = (status = 'stale')
  and (replaced_by is null or status = 'stale')
  and (superseded_by is not null) = (status = 'superseded')
  and (settled_at is not null) = (status in ('verified', 'failed_known', 'closed_unknown'))
  and (closed_at is not null) = (status in ('rejected', 'withdrawn', 'expired', 'stale', 'superseded')))),
  constraint "proposals_tombstone" check (erasure <> 'erased' or (
  ("definition_digest" is null and "requester" is null and "policy" is null and "commitment" is null and "updated_at" is null and "attention" is null and "receipt_salt" is null and "snapshot" is null and "preview" is null and "subject" is null and "agent" is null and "agent_owner" is null and "replaces" is null and "command_fingerprint" is null and "blocked_by" is null and "attempt" is null and "drift_paths" is null and "closed_at" is null and "result" is null) and ("attempt_count" is not null and "erased_at" is not null and "met_requirements" is not null and "receipt_count" is not null and "last_hash" is not null) and reason is not null
  and receipt_count = revision + 1 and status not in ('awaiting_approval', 'approved', 'executing')))
) strict;

CREATE TABLE "receipts" (
  "tenant" text not null,
  "proposal" text not null,
  "sequence" integer not null,
  "type" text,
  "at" integer,
  "participant" text,
  "caller" text,
  "action" text,
  "status" text,
  "attempt" integer,
  "reason" text,
  "external_reference" text,
  "detail" text,
  "runtime_version" text,
  "previous_hash" text not null,
  "hash" text not null,
  constraint "receipts_key" primary key ("tenant", "proposal", "sequence"),
  constraint "receipts_told" check (type is null or ("at" is not null and "action" is not null and "status" is not null and "detail" is not null and "runtime_version" is not null)),
  constraint "receipts_links" check (type is not null or ("at" is null and "action" is null and "status" is null and "detail" is null and "runtime_version" is null and "participant" is null and "caller" is null and "attempt" is null and "reason" is null and "external_reference" is null)),
  constraint "receipts_hashes" check (length(previous_hash) = 64 and length(hash) = 64)
) strict, without rowid;

CREATE TABLE "request_keys" (
  "tenant" text not null,
  "hash" text not null,
  "proposal" text not null,
  constraint "request_keys_key" primary key ("tenant", "hash"),
  constraint "request_keys_of" foreign key ("tenant", "proposal") references "proposals" ("tenant", "ref")
) strict, without rowid;

CREATE TABLE "restores" (
  "number" integer primary key,
  "finding" text not null,
  "found_at" integer not null,
  "admissions" integer not null,
  "witnessed" integer,
  "acknowledged_at" integer,
  "acknowledged_by" text,
  "reason" text,
  constraint "restores_finding" check (finding in ('behind', 'changed', 'missing', 'moved')),
  constraint "restores_acknowledged" check ((acknowledged_at is null) = (acknowledged_by is null) and (acknowledged_at is null) = (reason is null))
) strict;

CREATE TABLE "schema_info" (
  "migration" text primary key,
  "checksum" text not null
) strict, without rowid;

CREATE TABLE "store_counts" (
  "id" integer primary key,
  "admissions" integer not null,
  "erasures" integer not null,
  constraint "store_counts_single" check (id = 1)
) strict;

CREATE TABLE "store_identity" (
  "id" integer primary key,
  "store_id" text not null,
  "reference_key_check" text,
  constraint "store_identity_single" check (id = 1)
) strict;

CREATE TABLE "unscrubbed" (
  "tenant" text not null,
  "proposal" text not null,
  constraint "unscrubbed_key" primary key ("tenant", "proposal"),
  constraint "unscrubbed_of" foreign key ("tenant", "proposal") references "proposals" ("tenant", "ref")
) strict, without rowid;

CREATE INDEX "approvals_by_approver" on "approvals" ("tenant", "approver", "proposal") where "approver" is not null;

CREATE INDEX "attempts_by_key" on "attempts" ("tenant", "idempotency_key");

CREATE INDEX "attempts_by_lease" on "attempts" ("tenant", "lease_until", "proposal") where ended_at is null and proposal is not null;

CREATE INDEX "attempts_by_proposal" on "attempts" ("tenant", "proposal");

CREATE UNIQUE INDEX "attempts_open" on "attempts" ("tenant", "domain", "reference") where "ended_at" is null;

CREATE INDEX "deliveries_dead" on "deliveries" ("tenant", "endpoint", "proposal") where dead_at is not null;

CREATE INDEX "deliveries_due_next" on "deliveries" ("tenant", "endpoint", "due_at", "proposal") where due_at is not null;

CREATE INDEX "effects_due" on "effects" ("tenant", "verify_due_at", "owner") where "verify_due_at" is not null;

CREATE INDEX "events_by_proposal" on "events" ("tenant", "proposal", "position");

CREATE INDEX "events_by_tenant" on "events" ("tenant", "position");

CREATE INDEX "observations_sealed_for" on "observations" ("tenant", "sealed_for") where "sealed_for" is not null;

CREATE INDEX "proposals_approved" on "proposals" ("tenant", "action", "expires_at", "ref") where status = 'approved';

CREATE INDEX "proposals_by_action" on "proposals" ("tenant", "action_name", "ref");

CREATE INDEX "proposals_by_effect" on "proposals" ("tenant", "effect_domain", "effect_reference", "ref");

CREATE INDEX "proposals_by_requester" on "proposals" ("tenant", "requester", "ref") where "requester" is not null;

CREATE INDEX "proposals_by_status" on "proposals" ("tenant", "status", "ref");

CREATE INDEX "proposals_by_subject" on "proposals" ("tenant", "subject", "ref") where "subject" is not null;

CREATE INDEX "proposals_closed" on "proposals" ("tenant", "action", "closed_at", "ref") where closed_at is not null and erasure = 'none';

CREATE INDEX "proposals_for_person" on "proposals" ("tenant", "ref") where (status = 'verification_unresolved' or attention <> '[]');

CREATE INDEX "proposals_in_doubt" on "proposals" ("tenant", "ref") where status in ('executing', 'verification_pending', 'failed_unknown');

CREATE INDEX "proposals_open_by_expiry" on "proposals" ("tenant", "expires_at", "ref") where status in ('awaiting_approval', 'approved');

CREATE INDEX "proposals_settled" on "proposals" ("tenant", "action", "settled_at", "ref") where settled_at is not null and erasure = 'none';

CREATE INDEX "proposals_to_erase" on "proposals" ("tenant", "ref") where erasure in ('requested', 'pending');

CREATE TRIGGER "action_domains_not_changed" before update on "action_domains" 
begin select raise(abort, 'domains are never forgotten'); end;

CREATE TRIGGER "action_domains_not_deleted" before delete on "action_domains" 
begin select raise(abort, 'domains are never forgotten'); end;

CREATE TRIGGER "approvals_given_once" before insert on "approvals" when new.decision <> 'revoke' and exists (select 1 from approvals as kept
      where kept.tenant = new.tenant and kept.proposal = new.proposal and kept.approval_id = new.approval_id)
begin select raise(abort, 'a decision has an id of its own'); end;

CREATE TRIGGER "approvals_not_changed" before update on "approvals" 
begin select raise(abort, 'decisions are never changed'); end;

CREATE TRIGGER "approvals_not_deleted" before delete on "approvals" when not exists (select 1 from proposals as erased where erased.tenant = "old"."tenant"
    and erased.ref = "old"."proposal" and erased.erasure = 'erased')
begin select raise(abort, 'decisions are never deleted'); end;

CREATE TRIGGER "approvals_numbered" before insert on "approvals" when new.number is not (select coalesce(max(kept.number), 0) + 1 from approvals as kept
      where kept.tenant = new.tenant and kept.proposal = new.proposal)
begin select raise(abort, 'decisions are numbered without gaps and never replaced'); end;

CREATE TRIGGER "approvals_of_content" before insert on "approvals" when exists (select 1 from proposals as erased where erased.tenant = "new"."tenant"
    and erased.ref = "new"."proposal" and erased.erasure = 'erased')
begin select raise(abort, 'nothing is decided on what has been erased'); end;

CREATE TRIGGER "approvals_taken_back_once" before insert on "approvals" when new.decision = 'revoke' and (select group_concat(kept.decision) from approvals as kept
      where kept.tenant = new.tenant and kept.proposal = new.proposal and kept.approval_id = new.approval_id)
      is not 'approve'
begin select raise(abort, 'an approval is taken back once'); end;

CREATE TRIGGER "attempts_begin_open" before insert on "attempts" when new.ended_at is not null or exists (select 1 from attempts as kept where kept.tenant = new.tenant
      and kept.domain = new.domain and kept.reference = new.reference and kept.ended_at is null)
begin select raise(abort, 'an effect has one open attempt'); end;

CREATE TRIGGER "attempts_end_once" before update on "attempts" when case when old.ended_at is null then new.ended_at is null
      else ("new"."ending" is not "old"."ending" or "new"."ending_evidence" is not "old"."ending_evidence" or "new"."ended_at" is not "old"."ended_at" or "new"."ending_reason" is not "old"."ending_reason" or "new"."external_reference" is not "old"."external_reference")
        or new.detail is not null or not exists (select 1 from proposals as erased where erased.tenant = "old"."tenant"
    and erased.ref = "old"."proposal" and erased.erasure = 'erased') end
begin select raise(abort, 'an attempt ends once'); end;

CREATE TRIGGER "attempts_fixed" before update on "attempts" when ("new"."tenant" is not "old"."tenant" or "new"."domain" is not "old"."domain" or "new"."reference" is not "old"."reference" or "new"."number" is not "old"."number" or "new"."proposal" is not "old"."proposal" or "new"."action" is not "old"."action" or "new"."target" is not "old"."target" or "new"."generation" is not "old"."generation" or "new"."idempotency_key" is not "old"."idempotency_key" or "new"."epoch" is not "old"."epoch" or "new"."token" is not "old"."token" or "new"."started_at" is not "old"."started_at" or "new"."lease_until" is not "old"."lease_until" or "new"."precondition" is not "old"."precondition")
begin select raise(abort, 'what was started never changes'); end;

CREATE TRIGGER "attempts_not_deleted" before delete on "attempts" 
begin select raise(abort, 'attempts are never deleted'); end;

CREATE TRIGGER "attempts_numbered" before insert on "attempts" when new.number is not (select coalesce(max(kept.number), 0) + 1 from attempts as kept
      where kept.tenant = new.tenant and kept.domain = new.domain and kept.reference = new.reference)
begin select raise(abort, 'attempts are numbered without gaps and never replaced'); end;

CREATE TRIGGER "attempts_of_call" before insert on "attempts" when new.proposal is null and not exists (select 1 from calls where calls.tenant = new.tenant
      and calls.domain = new.domain and calls.reference = new.reference and calls.state = 'PENDING')
begin select raise(abort, 'a call that is completed is never started again'); end;

CREATE TRIGGER "attempts_of_effect" before insert on "attempts" when new.proposal is not null and not exists (select 1 from proposals as p where p.tenant = new.tenant
      and p.ref = new.proposal and p.effect_domain = new.domain and p.effect_reference = new.reference
      and p.erasure <> 'erased')
begin select raise(abort, 'a proposal attempts its own effect'); end;

CREATE TRIGGER "call_attempts_decided_once" before update on "call_attempts" when ("new"."tenant" is not "old"."tenant" or "new"."domain" is not "old"."domain" or "new"."reference" is not "old"."reference" or "new"."number" is not "old"."number" or "new"."error" is not "old"."error" or "new"."retryable" is not "old"."retryable")
      or old.decision is not null or new.decision is null
begin select raise(abort, 'an attempt is decided on once'); end;

CREATE TRIGGER "call_attempts_ended" before insert on "call_attempts" when not exists (select 1 from attempts as made where made.tenant = "new"."tenant"
    and made.domain = "new"."domain" and made.reference = "new"."reference" and made.number = new.number and made.ended_at is not null)
begin select raise(abort, 'an attempt is told of when it has ended'); end;

CREATE TRIGGER "call_attempts_not_deleted" before delete on "call_attempts" 
begin select raise(abort, 'attempts are never deleted'); end;

CREATE TRIGGER "call_attempts_told_once" before insert on "call_attempts" when new.decision is not null or new.number is not (select coalesce(max(kept.number), 0) + 1
      from call_attempts as kept where kept.tenant = new.tenant and kept.domain = new.domain
      and kept.reference = new.reference)
begin select raise(abort, 'attempts are told of in their order and never replaced'); end;

CREATE TRIGGER "calls_begin" before insert on "calls" when new.state <> 'PENDING' or exists (select 1 from effects as claimed where claimed.tenant = "new"."tenant"
    and claimed.domain = "new"."domain" and claimed.reference = "new"."reference")
begin select raise(abort, 'a guarded call begins with its claim'); end;

CREATE TRIGGER "calls_completed_at_end" before update on "calls" when new.state = 'COMPLETED' and (not exists (select 1 from attempts as made where made.tenant = "new"."tenant"
    and made.domain = "new"."domain" and made.reference = "new"."reference" )
      or exists (select 1 from attempts as made where made.tenant = "new"."tenant"
    and made.domain = "new"."domain" and made.reference = "new"."reference" and made.ended_at is null))
begin select raise(abort, 'a call is completed when its attempts have ended'); end;

CREATE TRIGGER "calls_completed_once" before update on "calls" when old.state = 'COMPLETED'
begin select raise(abort, 'a call is completed once'); end;

CREATE TRIGGER "calls_fixed" before update on "calls" when ("new"."tenant" is not "old"."tenant" or "new"."domain" is not "old"."domain" or "new"."reference" is not "old"."reference" or "new"."action_id" is not "old"."action_id" or "new"."request_hash" is not "old"."request_hash" or "new"."provider_reference" is not "old"."provider_reference" or "new"."risk" is not "old"."risk" or "new"."metadata" is not "old"."metadata" or "new"."created_at" is not "old"."created_at")
begin select raise(abort, 'what was claimed never changes'); end;

CREATE TRIGGER "calls_named_once" before insert on "calls" when exists (select 1 from calls as kept where kept.tenant = new.tenant
      and kept.action_id = new.action_id)
begin select raise(abort, 'an action id names one call'); end;

CREATE TRIGGER "calls_not_deleted" before delete on "calls" when exists (select 1 from effects as claimed where claimed.tenant = "old"."tenant"
    and claimed.domain = "old"."domain" and claimed.reference = "old"."reference")
begin select raise(abort, 'a claim goes whole or not at all'); end;

CREATE TRIGGER "calls_taken_over" before update on "calls" when ("new"."holder" is not "old"."holder" or "new"."lease_until" is not "old"."lease_until") and exists (select 1 from attempts as made where made.tenant = "new"."tenant"
    and made.domain = "new"."domain" and made.reference = "new"."reference" )
begin select raise(abort, 'a call that was started is never taken over'); end;

CREATE TRIGGER "changes_not_changed" before update on "changes" 
begin select raise(abort, 'rows of changes are never changed'); end;

CREATE TRIGGER "changes_not_deleted" before delete on "changes" 
begin select raise(abort, 'rows of changes are never deleted'); end;

CREATE TRIGGER "changes_not_replaced" before insert on "changes" when exists (select 1 from "changes" as kept where kept.tenant = new.tenant and kept.change_id = new.change_id)
begin select raise(abort, 'rows of changes are never replaced'); end;

CREATE TRIGGER "deliveries_forward" before update on "deliveries" when ("new"."tenant" is not "old"."tenant" or "new"."endpoint" is not "old"."endpoint" or "new"."proposal" is not "old"."proposal") or new.position < old.position or new.last_position < old.last_position
begin select raise(abort, 'a queue only moves forward'); end;

CREATE TRIGGER "delivery_endpoints_forward" before update on "delivery_endpoints" when ("new"."tenant" is not "old"."tenant" or "new"."endpoint" is not "old"."endpoint") or new.read_through < old.read_through
begin select raise(abort, 'the outbox is only read forward'); end;

CREATE TRIGGER "delivery_endpoints_not_deleted" before delete on "delivery_endpoints" 
begin select raise(abort, 'how far the outbox was read is never forgotten'); end;

CREATE TRIGGER "effects_begin" before insert on "effects" when not (new.owner is null or exists (select 1 from attempts as made
  where made.tenant = new.tenant and made.domain = new.domain and made.reference = new.reference
  and made.proposal = new.owner)) or exists (select 1 from attempts as made where made.tenant = new.tenant
  and made.domain = new.domain and made.reference = new.reference and made.epoch > new.epoch)
begin select raise(abort, 'a claim is made with its first attempt, under the fence'); end;

CREATE TRIGGER "effects_claimed_once" before insert on "effects" when exists (select 1 from effects as kept where kept.tenant = new.tenant and kept.domain = new.domain
      and kept.reference = new.reference)
begin select raise(abort, 'a claim is never replaced'); end;

CREATE TRIGGER "effects_fence" before update on "effects" when new.epoch < old.epoch or exists (select 1 from attempts as made where made.tenant = new.tenant
  and made.domain = new.domain and made.reference = new.reference and made.epoch > new.epoch)
begin select raise(abort, 'the fence never comes down'); end;

CREATE TRIGGER "effects_fixed" before update on "effects" when ("new"."tenant" is not "old"."tenant" or "new"."domain" is not "old"."domain" or "new"."reference" is not "old"."reference" or "new"."kind" is not "old"."kind")
begin select raise(abort, 'the identity of an effect never changes'); end;

CREATE TRIGGER "effects_not_deleted" before delete on "effects" when old.kind <> 'call' or exists (select 1 from attempts as made where made.tenant = old.tenant
  and made.domain = old.domain and made.reference = old.reference)
begin select raise(abort, 'claims are never deleted'); end;

CREATE TRIGGER "effects_of_call" before insert on "effects" when new.kind = 'call' and not exists (select 1 from calls where calls.tenant = new.tenant
  and calls.domain = new.domain and calls.reference = new.reference)
begin select raise(abort, 'a guarded call is claimed together with its effect'); end;

CREATE TRIGGER "effects_owner" before update on "effects" when not (new.owner is null or exists (select 1 from attempts as made
  where made.tenant = new.tenant and made.domain = new.domain and made.reference = new.reference
  and made.proposal = new.owner))
begin select raise(abort, 'an effect is never owned without an attempt of its owner'); end;

CREATE TRIGGER "effects_version" before update on "effects" when new.version <= old.version
begin select raise(abort, 'the version of an effect grows'); end;

CREATE TRIGGER "events_not_changed" before update on "events" 
begin select raise(abort, 'rows of events are never changed'); end;

CREATE TRIGGER "events_not_deleted" before delete on "events" 
begin select raise(abort, 'rows of events are never deleted'); end;

CREATE TRIGGER "events_not_replaced" before insert on "events" when exists (select 1 from "events" as kept where kept.position = new.position)
begin select raise(abort, 'rows of events are never replaced'); end;

CREATE TRIGGER "events_of_transition" before insert on "events" when not exists (select 1 from proposals as p where p.tenant = new.tenant and p.ref = new.proposal
      and p.revision = new.revision and p.status = new.status)
begin select raise(abort, 'an event tells of the revision and the status that are stored'); end;

CREATE TRIGGER "keys_not_deleted" before delete on "keys" when not exists (select 1 from proposals as erased where erased.tenant = "old"."tenant"
    and erased.ref = "old"."proposal" and erased.erasure = 'erased')
begin select raise(abort, 'a key is destroyed by erasure alone'); end;

CREATE TRIGGER "keys_not_replaced" before insert on "keys" when exists (select 1 from keys as kept where kept.tenant = new.tenant and kept.proposal = new.proposal)
begin select raise(abort, 'keys are wrapped anew and never replaced'); end;

CREATE TRIGGER "keys_of_content" before insert on "keys" when exists (select 1 from proposals as erased where erased.tenant = "new"."tenant"
    and erased.ref = "new"."proposal" and erased.erasure = 'erased') or not exists (select 1 from proposals
      where proposals.tenant = new.tenant and proposals.ref = new.proposal)
begin select raise(abort, 'a key belongs to a proposal with content'); end;

CREATE TRIGGER "keys_stay" before update on "keys" when ("new"."tenant" is not "old"."tenant" or "new"."proposal" is not "old"."proposal")
begin select raise(abort, 'a key stays with its proposal'); end;

CREATE TRIGGER "observations_cover_attempts" before insert on "observations" when new.covers_to > (select coalesce(max(made.number), 0) from attempts as made
      where made.tenant = new.tenant and made.domain = new.domain and made.reference = new.reference)
begin select raise(abort, 'an observation covers attempts that were started'); end;

CREATE TRIGGER "observations_not_changed" before update on "observations" when ("new"."tenant" is not "old"."tenant" or "new"."domain" is not "old"."domain" or "new"."reference" is not "old"."reference" or "new"."sequence" is not "old"."sequence" or "new"."source" is not "old"."source" or "new"."answer" is not "old"."answer" or "new"."verdict" is not "old"."verdict" or "new"."covers_from" is not "old"."covers_from" or "new"."covers_to" is not "old"."covers_to" or "new"."target" is not "old"."target" or "new"."proof" is not "old"."proof" or "new"."flags" is not "old"."flags" or "new"."reason" is not "old"."reason" or "new"."external_reference" is not "old"."external_reference" or "new"."matches" is not "old"."matches" or "new"."began_at" is not "old"."began_at" or "new"."ended_at" is not "old"."ended_at" or "new"."sealed_for" is not "old"."sealed_for") or new.facts is not null or not (exists (select 1 from proposals as erased where erased.tenant = "old"."tenant"
    and erased.ref = "old"."sealed_for" and erased.erasure = 'erased') or exists (select 1 from attempts as made
    join proposals as erased on erased.tenant = made.tenant and erased.ref = made.proposal and erased.erasure = 'erased'
    where made.tenant = "old"."tenant" and made.domain = "old"."domain"
    and made.reference = "old"."reference"
    and made.number between "old"."covers_from" and "old"."covers_to"))
begin select raise(abort, 'observations are never changed'); end;

CREATE TRIGGER "observations_not_deleted" before delete on "observations" 
begin select raise(abort, 'observations are never deleted'); end;

CREATE TRIGGER "observations_numbered" before insert on "observations" when new.sequence is not (select coalesce(max(kept.sequence), 0) + 1 from observations as kept
      where kept.tenant = new.tenant and kept.domain = new.domain and kept.reference = new.reference)
begin select raise(abort, 'observations are numbered without gaps and never replaced'); end;

CREATE TRIGGER "observations_of_content" before insert on "observations" when new.facts is not null and (exists (select 1 from proposals as erased where erased.tenant = "new"."tenant"
    and erased.ref = "new"."sealed_for" and erased.erasure = 'erased') or exists (select 1 from attempts as made
    join proposals as erased on erased.tenant = made.tenant and erased.ref = made.proposal and erased.erasure = 'erased'
    where made.tenant = "new"."tenant" and made.domain = "new"."domain"
    and made.reference = "new"."reference"
    and made.number between "new"."covers_from" and "new"."covers_to"))
begin select raise(abort, 'nothing is sealed for what has been erased'); end;

CREATE TRIGGER "proposals_begin" before insert on "proposals" when new.revision <> 0 or new.erasure <> 'none' or new.result is not null
      or new.status not in ('awaiting_approval', 'approved')
begin select raise(abort, 'a proposal starts open, at revision 0'); end;

CREATE TRIGGER "proposals_clock" before update on "proposals" when new.updated_at < old.updated_at
begin select raise(abort, 'the time of a proposal never goes back'); end;

CREATE TRIGGER "proposals_content" before update on "proposals" when new.erasure <> 'erased' and (("new"."definition_digest" is not "old"."definition_digest" or "new"."subject" is not "old"."subject" or "new"."requester" is not "old"."requester" or "new"."agent" is not "old"."agent" or "new"."agent_owner" is not "old"."agent_owner" or "new"."replaces" is not "old"."replaces" or "new"."policy" is not "old"."policy" or "new"."command_fingerprint" is not "old"."command_fingerprint" or "new"."commitment" is not "old"."commitment" or "new"."receipt_salt" is not "old"."receipt_salt" or "new"."snapshot" is not "old"."snapshot" or "new"."preview" is not "old"."preview") or (old.result is not null and new.result is null))
begin select raise(abort, 'content and authority of a proposal never change'); end;

CREATE TRIGGER proposals_erased after update on proposals
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
  update effects set version = version + 1, settlement = json_set(settlement, '$.by', 'erased',
    '$.secondOperator', iif(settlement ->> '$.secondOperator' is null, null, 'erased'))
    where tenant = new.tenant and domain = new.effect_domain and reference = new.effect_reference
    and settlement ->> '$.by' <> 'erased' and not exists (select 1 from attempts as made
    join proposals as live on live.tenant = made.tenant and live.ref = made.proposal and live.erasure <> 'erased'
    where made.tenant = new.tenant and made.domain = new.effect_domain and made.reference = new.effect_reference);
  insert into unscrubbed (tenant, proposal) values (new.tenant, new.ref);
end;

CREATE TRIGGER "proposals_fixed" before update on "proposals" when ("new"."tenant" is not "old"."tenant" or "new"."ref" is not "old"."ref" or "new"."action" is not "old"."action" or "new"."action_name" is not "old"."action_name" or "new"."effect_domain" is not "old"."effect_domain" or "new"."effect_reference" is not "old"."effect_reference" or "new"."created_at" is not "old"."created_at" or "new"."expires_at" is not "old"."expires_at")
begin select raise(abort, 'identity and creation of a proposal never change'); end;

CREATE TRIGGER "proposals_hidden" before update on "proposals" when case old.erasure when 'erased' then true when 'pending' then new.erasure not in ('pending', 'erased')
      when 'requested' then new.erasure = 'none' else false end
begin select raise(abort, 'erasure never goes back, and a tombstone never changes'); end;

CREATE TRIGGER "proposals_lifecycle" before update on "proposals" when not (case old.status when 'awaiting_approval' then new.status in ('awaiting_approval', 'approved', 'rejected', 'withdrawn', 'expired', 'superseded', 'stale', 'verified', 'verification_unresolved')
  when 'approved' then new.status in ('approved', 'awaiting_approval', 'rejected', 'withdrawn', 'expired', 'stale', 'superseded', 'executing', 'verified', 'verification_unresolved')
  when 'executing' then new.status in ('executing', 'verification_pending', 'failed_unknown', 'failed_known', 'stale', 'verified', 'verification_unresolved', 'approved', 'awaiting_approval', 'expired')
  when 'verification_pending' then new.status in ('verification_pending', 'verified', 'failed_known', 'verification_unresolved', 'approved', 'failed_unknown')
  when 'failed_unknown' then new.status in ('failed_unknown', 'verified', 'failed_known', 'verification_unresolved', 'approved', 'verification_pending')
  when 'verification_unresolved' then new.status in ('verification_unresolved', 'verification_pending', 'verified', 'failed_known', 'closed_unknown')
  when 'verified' then new.status in ('verified', 'verification_unresolved')
  when 'failed_known' then new.status in ('failed_known', 'verification_unresolved')
  when 'closed_unknown' then new.status in ('closed_unknown', 'verification_unresolved')
  when 'rejected' then new.status in ('rejected')
  when 'withdrawn' then new.status in ('withdrawn')
  when 'expired' then new.status in ('expired')
  when 'stale' then new.status in ('stale')
  when 'superseded' then new.status in ('superseded') else false end)
begin select raise(abort, 'a status changes only as the lifecycle says'); end;

CREATE TRIGGER "proposals_not_deleted" before delete on "proposals" 
begin select raise(abort, 'proposals are never deleted'); end;

CREATE TRIGGER "proposals_not_replaced" before insert on "proposals" when exists (select 1 from proposals as kept where kept.tenant = new.tenant and kept.ref = new.ref)
begin select raise(abort, 'proposals are never replaced'); end;

CREATE TRIGGER "proposals_receipt" before update on "proposals" when not exists (select 1 from receipts where receipts.tenant = old.tenant
      and receipts.proposal = old.ref and receipts.sequence = old.revision + 1)
begin select raise(abort, 'the change before has no receipt'); end;

CREATE TRIGGER "proposals_revision" before update on "proposals" when new.revision <> old.revision + 1
begin select raise(abort, 'a revision grows by one'); end;

CREATE TRIGGER "receipts_chained" before insert on "receipts" when new.previous_hash is not case new.sequence when 1 then '0000000000000000000000000000000000000000000000000000000000000000' else (select last.hash
      from receipts as last where last.tenant = new.tenant and last.proposal = new.proposal
      and last.sequence = new.sequence - 1) end
begin select raise(abort, 'a receipt continues the chain'); end;

CREATE TRIGGER "receipts_clock" before insert on "receipts" when new.at < (select last.at from receipts as last where last.tenant = new.tenant
      and last.proposal = new.proposal and last.sequence = new.sequence - 1)
begin select raise(abort, 'the time of receipts never goes back'); end;

CREATE TRIGGER "receipts_not_changed" before update on "receipts" when ("new"."tenant" is not "old"."tenant" or "new"."proposal" is not "old"."proposal" or "new"."sequence" is not "old"."sequence" or "new"."previous_hash" is not "old"."previous_hash" or "new"."hash" is not "old"."hash") or new.type is not null or not exists (select 1 from proposals as erased where erased.tenant = "old"."tenant"
    and erased.ref = "old"."proposal" and erased.erasure = 'erased')
begin select raise(abort, 'receipts are never changed'); end;

CREATE TRIGGER "receipts_not_deleted" before delete on "receipts" 
begin select raise(abort, 'receipts are never deleted'); end;

CREATE TRIGGER "receipts_not_replaced" before insert on "receipts" when exists (select 1 from receipts as kept where kept.tenant = new.tenant
      and kept.proposal = new.proposal and kept.sequence = new.sequence)
begin select raise(abort, 'receipts are never replaced'); end;

CREATE TRIGGER "receipts_of_revision" before insert on "receipts" when not exists (select 1 from proposals as p where p.tenant = new.tenant and p.ref = new.proposal
      and p.revision + 1 = new.sequence and case p.erasure when 'erased'
      then new.type is null and new.hash = p.last_hash else new.status = p.status and new.action = p.action end)
begin select raise(abort, 'a receipt tells of the revision and the status that are stored'); end;

CREATE TRIGGER "receipts_sealed" before insert on "receipts" when not exists (select 1 from proposals as erased where erased.tenant = "new"."tenant"
    and erased.ref = "new"."proposal" and erased.erasure = 'erased') and not exists (select 1 from keys
      where keys.tenant = new.tenant and keys.proposal = new.proposal)
begin select raise(abort, 'a proposal with content has its key'); end;

CREATE TRIGGER "request_keys_not_changed" before update on "request_keys" 
begin select raise(abort, 'rows of request_keys are never changed'); end;

CREATE TRIGGER "request_keys_not_deleted" before delete on "request_keys" 
begin select raise(abort, 'rows of request_keys are never deleted'); end;

CREATE TRIGGER "request_keys_not_replaced" before insert on "request_keys" when exists (select 1 from "request_keys" as kept where kept.tenant = new.tenant and kept.hash = new.hash)
begin select raise(abort, 'rows of request_keys are never replaced'); end;

CREATE TRIGGER "restores_acknowledged_once" before update on "restores" when old.acknowledged_at is not null or ("new"."number" is not "old"."number" or "new"."finding" is not "old"."finding" or "new"."found_at" is not "old"."found_at" or "new"."admissions" is not "old"."admissions" or "new"."witnessed" is not "old"."witnessed")
begin select raise(abort, 'a restore is acknowledged once and says what was found'); end;

CREATE TRIGGER "restores_not_deleted" before delete on "restores" 
begin select raise(abort, 'rows of restores are never deleted'); end;

CREATE TRIGGER "restores_numbered" before insert on "restores" when new.number <> (select count(*) + 1 from restores) or new.acknowledged_at is not null
      or exists (select 1 from restores as kept where kept.acknowledged_at is null)
begin select raise(abort, 'restores are numbered, and the next one is found when the last one was acknowledged'); end;

CREATE TRIGGER "schema_info_not_changed" before update on "schema_info" 
begin select raise(abort, 'rows of schema_info are never changed'); end;

CREATE TRIGGER "schema_info_not_deleted" before delete on "schema_info" 
begin select raise(abort, 'rows of schema_info are never deleted'); end;

CREATE TRIGGER "schema_info_not_replaced" before insert on "schema_info" when exists (select 1 from "schema_info" as kept where kept.migration = new.migration)
begin select raise(abort, 'rows of schema_info are never replaced'); end;

CREATE TRIGGER "store_counts_grow" before update on "store_counts" when new.id <> old.id or new.admissions < old.admissions or new.erasures < old.erasures
begin select raise(abort, 'what is counted never becomes less'); end;

CREATE TRIGGER "store_counts_kept" before delete on "store_counts" 
begin select raise(abort, 'a store counts once'); end;

CREATE TRIGGER "store_counts_single" before insert on "store_counts" when exists (select 1 from store_counts)
begin select raise(abort, 'a store counts once'); end;

CREATE TRIGGER "store_identity_fixed" before update on "store_identity" when new.id is not old.id or new.store_id is not old.store_id or old.reference_key_check is not null
begin select raise(abort, 'the identity of a store never changes'); end;

CREATE TRIGGER "store_identity_kept" before delete on "store_identity" 
begin select raise(abort, 'the identity of a store never changes'); end;

CREATE TRIGGER "store_identity_single" before insert on "store_identity" when exists (select 1 from store_identity)
begin select raise(abort, 'a store has one identity'); end;
