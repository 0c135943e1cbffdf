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
import { sqliteCode } from '../../src/store/sqlite-errors.ts'
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

function columnsOf(table: string): readonly string[] {
  const columns = rawRows<{ name: string; hidden: number }>(
    opened.path,
    `select name, hidden from pragma_table_xinfo('${table}')`,
  )
  return columns.filter(({ hidden }) => hidden === 0).map(({ name }) => `"${name}"`)
}

function contents(): readonly unknown[] {
  return TABLES.map((table) => rawRows(opened.path, `select * from ${table}`))
}

/** SQLite's code for the refusal of a statement; null if it was taken. */
function refusalOf(attack: string): string | null {
  try {
    rawSql(opened.path, attack)
    return null
  } catch (error) {
    return sqliteCode(error)
  }
}

const REFUSED = /^SQLITE_CONSTRAINT/u

describe.each(TABLES)('rows of %s', (table) => {
  it.each(['insert or replace', 'replace', 'insert or ignore', 'insert'])('are not overwritten by %s', (verb) => {
    const before = contents()
    const columns = columnsOf(table).join(', ')

    expect(rawRows(opened.path, `select 1 from ${table}`).length).toBeGreaterThan(0)
    expect(refusalOf(`${verb} into ${table} (${columns}) select ${columns} from ${table}`)).toMatch(REFUSED)

    expect(contents()).toEqual(before)
  })

  it('are not deleted', () => {
    const before = contents()

    expect(refusalOf(`delete from ${table}`)).toMatch(REFUSED)

    expect(contents()).toEqual(before)
  })

  it('are not moved to another key', () => {
    const before = contents()
    const [key = ''] = columnsOf(table)
    const other = table === 'events' || table === 'store_identity' ? '7' : `'other'`

    expect(refusalOf(`update or replace ${table} set ${key} = ${other}`)).toMatch(REFUSED)

    expect(contents()).toEqual(before)
  })
})

describe('the guards', () => {
  it.each([
    'delete from keys',
    'delete from receipts',
    `update proposals set status = 'verified', revision = revision + 1`,
    'update attempts set ended_at = null',
    `insert into receipts (tenant, proposal, sequence, previous_hash, hash)
      select tenant, proposal, sequence + 9, hash, hash from receipts`,
  ])('hold where foreign keys and recursive triggers are switched off: %s', (attack) => {
    const before = contents()

    expect(refusalOf(`pragma foreign_keys = off; pragma recursive_triggers = off; ${attack}`)).toMatch(REFUSED)

    expect(contents()).toEqual(before)
  })
})
