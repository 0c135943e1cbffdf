// The guards of SQLite against its own ways past them: replacing insertions, upserts, other orders of statements.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  commits,
  decided,
  approval,
  attempted,
  effectOf,
  evidence,
  prepared,
} from '../../src/testing/store-conformance/steps.ts'
import { ending, observing } from '../../src/testing/store-conformance/sample-effects.ts'
import { openSqlite, rawRows, rawSql } from './sqlite-fixture.ts'

const TABLES = [
  'proposals',
  'approvals',
  'effects',
  'attempts',
  'observations',
  'receipts',
  'keys',
  'request_keys',
  'events',
  'changes',
  'schema_info',
  'store_identity',
]

let opened: Awaited<ReturnType<typeof openSqlite>>

/** A store with a row in every table. */
beforeEach(async () => {
  opened = await openSqlite()
  const { store } = opened
  await store.adopt({ referenceKeyCheck: 'check', domains: { 'example.payments/refund': 'example.payments/refund' } })
  await prepared(store, {}, { requestKeyHash: 'hash' })
  const { live, effect } = await attempted(store)
  await commits(store, evidence(ending(effect)))
  await commits(store, evidence(observing(await effectOf(store, effect.key))))
  const decision = { kind: 'decided', proposal: live.proposal.ref, approval: approval(live), comment: null } as const
  await decided(store, live, [decision], 'verification_pending')
})

afterEach(async () => {
  await opened.close()
})

function columnsOf(table: string): string {
  const columns = rawRows<{ name: string; hidden: number }>(
    opened.path,
    `select name, hidden from pragma_table_xinfo('${table}')`,
  )
  return columns
    .filter(({ hidden }) => hidden === 0)
    .map(({ name }) => `"${name}"`)
    .join(', ')
}

function contents(): readonly unknown[] {
  return TABLES.map((table) => rawRows(opened.path, `select * from ${table}`))
}

describe.each(TABLES)('rows of %s', (table) => {
  it.each(['insert or replace', 'replace', 'insert or ignore', 'insert'])('are not overwritten by %s', (verb) => {
    const before = contents()
    const columns = columnsOf(table)
    const attack = `${verb} into ${table} (${columns}) select ${columns} from ${table}`

    expect(rawRows(opened.path, `select 1 from ${table}`).length).toBeGreaterThan(0)
    expect(() => rawSql(opened.path, attack)).toThrow()

    expect(contents()).toEqual(before)
  })

  it('are neither deleted nor updated in place', () => {
    const before = contents()
    const column = columnsOf(table).split(', ').at(-1)

    expect(() => rawSql(opened.path, `delete from ${table}`)).toThrow()
    expect(() =>
      rawSql(
        opened.path,
        `update or replace ${table} set ${columnsOf(table).split(', ')[0]} = 'other', ${column} = null`,
      ),
    ).toThrow()

    expect(contents()).toEqual(before)
  })
})

describe('a row of another connection setting', () => {
  it('is refused too where foreign keys are switched off', () => {
    const before = contents()
    const attacks = [
      'delete from keys',
      'delete from receipts',
      `update proposals set status = 'verified', revision = revision + 1`,
      'update attempts set ended_at = null',
      `insert into receipts (tenant, proposal, sequence, previous_hash, hash)
        select tenant, proposal, sequence + 9, hash, hash from receipts`,
    ]

    for (const attack of attacks) {
      expect(
        () => rawSql(opened.path, `pragma foreign_keys = off; pragma recursive_triggers = off; ${attack}`),
        attack,
      ).toThrow()
    }

    expect(contents()).toEqual(before)
  })
})
