// The first guards of what hangs on proposals: receipts, decisions, keys; and of the books beside them.
import { type Kysely, type SqlBool, sql } from 'kysely'
import { FIRST_HASH } from '../../proposal/receipts/receipt-chain.ts'
import type { Capabilities } from '../capabilities.ts'
import { appendOnly, type Guard, isChanged, isErased } from './guard.ts'

/** Creates the triggers. */
export async function createRecordGuards(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  await engine.createGuards(db, [
    ...receiptGuards(engine),
    ...approvalGuards(engine),
    ...keyGuards(engine),
    ...bookGuards(engine),
  ])
}

const links = ['tenant', 'proposal', 'sequence', 'previous_hash', 'hash'] as const

const receiptGuards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'receipts_not_replaced',
    before: 'insert',
    on: 'receipts',
    when: sql<SqlBool>`exists (select 1 from receipts as kept where kept.tenant = new.tenant
      and kept.proposal = new.proposal and kept.sequence = new.sequence)`,
    rule: 'receipts are never replaced',
  },
  {
    // Together with the foreign key of proposals: each stored revision has exactly one receipt, and none is without one.
    name: 'receipts_of_revision',
    before: 'insert',
    on: 'receipts',
    when: sql<SqlBool>`not exists (select 1 from proposals as p where p.tenant = new.tenant and p.ref = new.proposal
      and p.revision + 1 = new.sequence and case p.erasure when 'erased'
      then new.type is null and new.hash = p.last_hash else new.status = p.status and new.action = p.action end)`,
    rule: 'a receipt tells of the revision and the status that are stored',
  },
  {
    // Each change of a proposal ends with its receipt, so this looks at every revision of every proposal.
    name: 'receipts_sealed',
    before: 'insert',
    on: 'receipts',
    when: sql<SqlBool>`not ${isErased('new', 'proposal')} and not exists (select 1 from keys
      where keys.tenant = new.tenant and keys.proposal = new.proposal)`,
    rule: 'a proposal with content has its key',
  },
  {
    name: 'receipts_chained',
    before: 'insert',
    on: 'receipts',
    when: sql<SqlBool>`new.previous_hash ${engine.differsFrom} case new.sequence when 1 then ${sql.lit(FIRST_HASH)} else (select last.hash
      from receipts as last where last.tenant = new.tenant and last.proposal = new.proposal
      and last.sequence = new.sequence - 1) end`,
    rule: 'a receipt continues the chain',
  },
  {
    name: 'receipts_clock',
    before: 'insert',
    on: 'receipts',
    when: sql<SqlBool>`new.at < (select last.at from receipts as last where last.tenant = new.tenant
      and last.proposal = new.proposal and last.sequence = new.sequence - 1)`,
    rule: 'the time of receipts never goes back',
  },
  {
    name: 'receipts_not_changed',
    before: 'update',
    on: 'receipts',
    when: sql<SqlBool>`${isChanged(engine, links)} or new.type is not null or not ${isErased('old', 'proposal')}`,
    rule: 'receipts are never changed',
  },
  { name: 'receipts_not_deleted', before: 'delete', on: 'receipts', rule: 'receipts are never deleted' },
]

const approvalGuards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'approvals_numbered',
    before: 'insert',
    on: 'approvals',
    when: sql<SqlBool>`new.number ${engine.differsFrom} (select coalesce(max(kept.number), 0) + 1 from approvals as kept
      where kept.tenant = new.tenant and kept.proposal = new.proposal)`,
    rule: 'decisions are numbered without gaps and never replaced',
  },
  {
    name: 'approvals_given_once',
    before: 'insert',
    on: 'approvals',
    when: sql<SqlBool>`new.decision <> 'revoke' and exists (select 1 from approvals as kept
      where kept.tenant = new.tenant and kept.proposal = new.proposal and kept.approval_id = new.approval_id)`,
    rule: 'a decision has an id of its own',
  },
  {
    name: 'approvals_taken_back_once',
    before: 'insert',
    on: 'approvals',
    when: sql<SqlBool>`new.decision = 'revoke' and (select ${engine.joined(sql`kept.decision`)} from approvals as kept
      where kept.tenant = new.tenant and kept.proposal = new.proposal and kept.approval_id = new.approval_id)
      ${engine.differsFrom} 'approve'`,
    rule: 'an approval is taken back once',
  },
  {
    name: 'approvals_of_content',
    before: 'insert',
    on: 'approvals',
    when: isErased('new', 'proposal'),
    rule: 'nothing is decided on what has been erased',
  },
  { name: 'approvals_not_changed', before: 'update', on: 'approvals', rule: 'decisions are never changed' },
  {
    name: 'approvals_not_deleted',
    before: 'delete',
    on: 'approvals',
    when: sql<SqlBool>`not ${isErased('old', 'proposal')}`,
    rule: 'decisions are never deleted',
  },
]

const keyGuards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'keys_not_replaced',
    before: 'insert',
    on: 'keys',
    when: sql<SqlBool>`exists (select 1 from keys as kept where kept.tenant = new.tenant and kept.proposal = new.proposal)`,
    rule: 'keys are wrapped anew and never replaced',
  },
  {
    name: 'keys_of_content',
    before: 'insert',
    on: 'keys',
    when: sql<SqlBool>`${isErased('new', 'proposal')} or not exists (select 1 from proposals
      where proposals.tenant = new.tenant and proposals.ref = new.proposal)`,
    rule: 'a key belongs to a proposal with content',
  },
  {
    name: 'keys_stay',
    before: 'update',
    on: 'keys',
    when: isChanged(engine, ['tenant', 'proposal']),
    rule: 'a key stays with its proposal',
  },
  {
    name: 'keys_not_deleted',
    before: 'delete',
    on: 'keys',
    when: sql<SqlBool>`not ${isErased('old', 'proposal')}`,
    rule: 'a key is destroyed by erasure alone',
  },
  ...appendOnly('request_keys', sql<SqlBool>`kept.tenant = new.tenant and kept.hash = new.hash`),
]

const bookGuards = (engine: Capabilities): readonly Guard[] => [
  ...appendOnly('events', sql<SqlBool>`kept.position = new.position`),
  {
    name: 'events_of_transition',
    before: 'insert',
    on: 'events',
    when: sql<SqlBool>`not exists (select 1 from proposals as p where p.tenant = new.tenant and p.ref = new.proposal
      and p.revision = new.revision and p.status = new.status)`,
    rule: 'an event tells of the revision and the status that are stored',
  },
  ...appendOnly('changes', sql<SqlBool>`kept.tenant = new.tenant and kept.change_id = new.change_id`),
  ...appendOnly('schema_info', sql<SqlBool>`kept.migration = new.migration`),
  { name: 'action_domains_not_changed', before: 'update', on: 'action_domains', rule: 'domains are never forgotten' },
  { name: 'action_domains_not_deleted', before: 'delete', on: 'action_domains', rule: 'domains are never forgotten' },
  {
    name: 'store_identity_single',
    before: 'insert',
    on: 'store_identity',
    when: sql<SqlBool>`exists (select 1 from store_identity)`,
    rule: 'a store has one identity',
  },
  {
    name: 'store_identity_fixed',
    before: 'update',
    on: 'store_identity',
    when: sql<SqlBool>`new.id ${engine.differsFrom} old.id or new.store_id ${engine.differsFrom} old.store_id or old.reference_key_check is not null`,
    rule: 'the identity of a store never changes',
  },
  {
    name: 'store_identity_kept',
    before: 'delete',
    on: 'store_identity',
    rule: 'the identity of a store never changes',
  },
]
