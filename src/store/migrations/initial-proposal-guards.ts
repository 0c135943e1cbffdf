// The first guards of proposals: identity, revision, the lifecycle table, and what erasure takes along.
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { STATUSES, TRANSITIONS } from '../../proposal/status.ts'
import type { Capabilities } from '../capabilities.ts'
import { type Guard, isChanged } from './guard.ts'

/** What every proposal is for ever, erased or not. */
const identity = [
  'tenant',
  'ref',
  'action',
  'action_name',
  'effect_domain',
  'effect_reference',
  'created_at',
  'expires_at',
] as const

/** Content and authority: what may not change, and may only go as a whole. */
const content = [
  'definition_digest',
  'subject',
  'requester',
  'agent',
  'agent_owner',
  'replaces',
  'policy',
  'command_fingerprint',
  'commitment',
  'receipt_salt',
  'snapshot',
  'preview',
] as const

/** Creates the triggers. */
export async function createProposalGuards(db: Kysely<unknown>, engine: Capabilities): Promise<void> {
  await engine.createGuards(db, [...insertGuards, ...updateGuards(engine), notDeleted])
  await engine.createActingTriggers(db)
}

const insertGuards: readonly Guard[] = [
  {
    name: 'proposals_not_replaced',
    before: 'insert',
    on: 'proposals',
    when: sql<SqlBool>`exists (select 1 from proposals as kept where kept.tenant = new.tenant and kept.ref = new.ref)`,
    rule: 'proposals are never replaced',
  },
  {
    name: 'proposals_begin',
    before: 'insert',
    on: 'proposals',
    when: sql<SqlBool>`new.revision <> 0 or new.erasure <> 'none' or new.result is not null
      or new.status not in ('awaiting_approval', 'approved')`,
    rule: 'a proposal starts open, at revision 0',
  },
]

const updateGuards = (engine: Capabilities): readonly Guard[] => [
  {
    name: 'proposals_fixed',
    before: 'update',
    on: 'proposals',
    when: isChanged(engine, identity),
    rule: 'identity and creation of a proposal never change',
  },
  {
    name: 'proposals_content',
    before: 'update',
    on: 'proposals',
    when: sql<SqlBool>`new.erasure <> 'erased' and (${isChanged(engine, content)} or (old.result is not null and new.result is null))`,
    rule: 'content and authority of a proposal never change',
  },
  {
    name: 'proposals_revision',
    before: 'update',
    on: 'proposals',
    when: sql<SqlBool>`new.revision <> old.revision + 1`,
    rule: 'a revision grows by one',
  },
  {
    name: 'proposals_receipt',
    before: 'update',
    on: 'proposals',
    when: sql<SqlBool>`not exists (select 1 from receipts where receipts.tenant = old.tenant
      and receipts.proposal = old.ref and receipts.sequence = old.revision + 1)`,
    rule: 'the change before has no receipt',
  },
  {
    name: 'proposals_lifecycle',
    before: 'update',
    on: 'proposals',
    when: sql<SqlBool>`not ${mayMoveTo()}`,
    rule: 'a status changes only as the lifecycle says',
  },
  {
    name: 'proposals_clock',
    before: 'update',
    on: 'proposals',
    when: sql<SqlBool>`new.updated_at < old.updated_at`,
    rule: 'the time of a proposal never goes back',
  },
  {
    name: 'proposals_hidden',
    before: 'update',
    on: 'proposals',
    when: sql<SqlBool>`case old.erasure when 'erased' then true when 'pending' then new.erasure not in ('pending', 'erased')
      when 'requested' then new.erasure = 'none' else false end`,
    rule: 'erasure never goes back, and a tombstone never changes',
  },
]

const notDeleted: Guard = {
  name: 'proposals_not_deleted',
  before: 'delete',
  on: 'proposals',
  rule: 'proposals are never deleted',
}

// The lifecycle table as SQL, status by status; staying is always allowed.
function mayMoveTo(): RawBuilder<SqlBool> {
  const ways = STATUSES.map((from) => {
    const targets = [from, ...TRANSITIONS[from]].map((to) => sql.lit(to))
    return sql`when ${sql.lit(from)} then new.status in (${sql.join(targets)})`
  })
  return sql<SqlBool>`(case old.status ${sql.join(ways, sql`\n  `)} else false end)`
}
