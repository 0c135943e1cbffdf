// The guards of a PostgreSQL store hold against whoever writes SQL, with the sentence of the rule that was broken.
import { Client, DatabaseError, escapeIdentifier } from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { erasing } from '../../src/testing/store-conformance/sample-changes.ts'
import { ending, observing } from '../../src/testing/store-conformance/sample-effects.ts'
import {
  approval,
  attempted,
  commits,
  decided,
  effectOf,
  evidence,
  moved,
  prepared,
} from '../../src/testing/store-conformance/steps.ts'
import { type OpenedPostgres, openPostgres, rawSql } from './postgres-fixture.ts'

const TABLES = [
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
]

/** What the database says to a statement; null if it takes it. */
async function refusal({ url, schema }: OpenedPostgres, sql: string): Promise<string | null> {
  try {
    await rawSql(url, schema, sql)
    return null
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code?.startsWith('23') !== true) throw error
    return error.message
  }
}

describe('SQL of an attacker', () => {
  let opened: OpenedPostgres
  beforeAll(async () => {
    opened = await openPostgres()
    const { store } = opened
    await prepared(store, {}, { requestKeyHash: 'hash-1' })
    await store.adopt({ referenceKeyCheck: 'check', domains: { 'example.payments/refund': 'example.payments/refund' } })
    const { live, effect } = await attempted(store)
    await commits(store, evidence(ending(effect)))
    await commits(store, evidence(observing(await effectOf(store, effect.key))))
    const given = { kind: 'decided', proposal: live.proposal.ref, approval: approval(live), comment: null } as const
    await decided(store, live, [given], 'verification_pending')
    await commits(store, erasing(await moved(store, await prepared(store), 'withdrawn')))
    return opened.close
  })

  it.each([
    [`update proposals set status = 'verified' where status = 'awaiting_approval'`, 'a revision grows by one'],
    [
      `update proposals set status = 'executing', revision = revision + 1, attempt = 1 where status = 'awaiting_approval'`,
      'a status changes only as the lifecycle says',
    ],
    [
      `update proposals set status = 'approved', revision = revision + 1 where status = 'awaiting_approval'`,
      'insert or update on table "proposals" violates foreign key constraint "proposals_receipted"',
    ],
    [
      `update proposals set commitment = 'c1_x', revision = revision + 1 where erasure = 'none'`,
      'content and authority of a proposal never change',
    ],
    [`update proposals set snapshot = '\\x00' where erasure = 'erased'`, 'a revision grows by one'],
    ['delete from proposals', 'proposals are never deleted'],
    [`update receipts set status = 'verified'`, 'receipts are never changed'],
    ['delete from receipts', 'receipts are never deleted'],
    [
      `insert into receipts select * from receipts on conflict (tenant, proposal, sequence) do update set hash = 'x'`,
      'receipts are never replaced',
    ],
    [`update approvals set decision = 'reject'`, 'decisions are never changed'],
    ['delete from approvals', 'decisions are never deleted'],
    ['delete from keys', 'a key is destroyed by erasure alone'],
    ['delete from effects', 'claims are never deleted'],
    ['update effects set version = version', 'the version of an effect grows'],
    ['update effects set version = version + 1, epoch = -1', 'the fence never comes down'],
    ['delete from attempts', 'attempts are never deleted'],
    [`update attempts set ending_evidence = 'FAILED'`, 'an attempt ends once'],
    [`update attempts set number = 2`, 'what was started never changes'],
    ['delete from observations', 'observations are never deleted'],
    [`update observations set verdict = 'FAILED'`, 'observations are never changed'],
    ['delete from request_keys', 'rows of request_keys are never deleted'],
    ['delete from events', 'rows of events are never deleted'],
    [
      'insert into events select position + 1000, tenant, type, proposal, status, revision, at from events',
      'an event is numbered by the database',
    ],
    ['delete from changes', 'rows of changes are never deleted'],
    [`insert into changes select * from changes`, 'rows of changes are never replaced'],
    ['delete from action_domains', 'domains are never forgotten'],
    [`update schema_info set checksum = 'x'`, 'rows of schema_info are never changed'],
    [`update store_identity set store_id = 'x'`, 'the identity of a store never changes'],
    ['delete from store_identity', 'the identity of a store never changes'],
    ['update store_counts set admissions = 0', 'what is counted never becomes less'],
    [
      `insert into restores (number, finding, found_at, admissions) values (2, 'behind', 1, 0)`,
      'restores are numbered, and the next one is found when the last one was acknowledged',
    ],
  ])('%s', async (sql, rule) => {
    expect(await refusal(opened, sql)).toBe(rule)
  })

  it.each(TABLES)('truncate %s', async (table) => {
    expect(await refusal(opened, `truncate ${table} cascade`)).toBe('rows are never removed all at once')
  })

  it('finds no way through a temporary table with the name of one of ours', async () => {
    const client = new Client({ connectionString: opened.url })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query(`set search_path to ${escapeIdentifier(opened.schema)}`)
    // A tombstone of its own making would let the receipts go.
    await client.query(
      `create temporary table proposals as select tenant, proposal as ref, 'erased' as erasure from receipts`,
    )

    const change = client.query('update receipts set type = null, at = null, participant = null')

    await expect(change).rejects.toThrow('receipts are never changed')
  })
})
