// The plans of PostgreSQL: what changes a proposal finds it by its key, however many there are.
import { DummyDriver, Kysely } from 'kysely'
import { Client, escapeIdentifier } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import type { Bound } from '../../src/store/statement.ts'
import { postgresDialect } from '../../src/store/postgres-dialect.ts'
import type { Tables } from '../../src/store/tables.ts'
import { proposalWriter } from '../../src/store/writes/proposal-writer.ts'
import { erasing, updating } from '../../src/testing/store-conformance/sample-changes.ts'
import { inStatus } from '../../src/testing/store-conformance/sample-proposals.ts'
import { moved, prepared } from '../../src/testing/store-conformance/steps.ts'
import { openPostgres } from './postgres-fixture.ts'

it.each(['update', 'erase'] as const)('of the %s of a proposal uses the key', async (kind) => {
  const { url, schema, store, close } = await openPostgres()
  onTestFinished(close)
  const live = await moved(store, await prepared(store), 'withdrawn')
  const change = kind === 'erase' ? erasing(live) : updating(live, inStatus(live.proposal, 'expired'))
  const [write] = change.proposals
  if (write === undefined) throw new Error('the change writes a proposal')
  const writer = proposalWriter(new Kysely<Tables>({ dialect: postgresDialect(new DummyDriver()) }))
  const step = writer.write(write).next()
  const [statement] = step.done === true ? [] : step.value

  expect(await planOf(url, schema, statement)).toMatch(/Index Scan using \S+ on proposals\b[\s\S]+Index Cond: .*ref/u)
})

async function planOf(url: string, schema: string, statement: Bound<unknown> | undefined): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    // A small table would be read whole; what has no index is read whole even so.
    await client.query(`set search_path to ${escapeIdentifier(schema)}; set enable_seqscan to off`)
    const sql = `explain ${statement?.sql ?? ''}`
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(sql, [...(statement?.parameters ?? [])])
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    await client.end()
  }
}
