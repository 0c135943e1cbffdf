// What erasure leaves behind in PostgreSQL: nothing in the tables once they were scrubbed, and scrubbing says if it could not.
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { erasing, sealed } from '../../src/testing/store-conformance/sample-changes.ts'
import { reference, SAMPLE_TENANT } from '../../src/testing/store-conformance/sample-proposals.ts'
import { commits, moved, prepared, scrubs } from '../../src/testing/store-conformance/steps.ts'
import { MAJORS } from '../postgres/server.ts'
import { type OpenedPostgres, openPostgres, rawSql } from './postgres-fixture.ts'

/** How many files of the tables, indexes and large values of a schema hold a text. */
async function filesWith({ url, schema }: OpenedPostgres, text: string): Promise<number> {
  const [found] = await rawSql<{ files: number }>(
    url,
    schema,
    `checkpoint;
    with ours as (select c.oid, c.reltoastrelid from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = current_schema() and c.relkind in ('r', 'i')),
    every as (select oid from ours union select reltoastrelid from ours where reltoastrelid <> 0)
    select count(*)::int as files from every
    where position('${text}'::bytea in pg_read_binary_file(pg_relation_filepath(oid::regclass))) > 0`,
  )
  return found?.files ?? Number.NaN
}

const CANARY = 'CANARY-4711'

async function erasedCanary({ store }: OpenedPostgres): Promise<void> {
  const named = {
    requester: { kind: 'user', id: reference(`${CANARY}-requester`) },
    subject: reference(CANARY),
  } as const
  const key = { kekVersion: 'k1', wrapped: sealed(`${CANARY}-wrapped`) }
  const content = { snapshot: sealed(`${CANARY}${'x'.repeat(5_000)}`), preview: sealed(CANARY) }
  const live = await prepared(store, named, { key, content })
  await commits(store, erasing(await moved(store, live, 'withdrawn')))
}

describe.each(MAJORS)('scrubbing on PostgreSQL %s', (major) => {
  it('leaves nothing of what was erased in any file of the schema', async () => {
    const opened = await openPostgres({}, major)
    onTestFinished(opened.close)
    const other = await prepared(opened.store)
    await erasedCanary(opened)
    expect(await filesWith(opened, CANARY)).toBeGreaterThan(0)

    await scrubs(opened.store)

    expect(await filesWith(opened, CANARY)).toBe(0)
    expect(await opened.store.erasuresOpen(SAMPLE_TENANT, null, 10)).toEqual([])
    expect(await opened.store.proposal(SAMPLE_TENANT, other.proposal.ref)).toEqual(other)
  })

  it.each([
    ['reads a table', 'select 1 from receipts'],
    ['could still see what was erased', 'select 1'],
  ])('is busy while somebody %s', async (_who, sql) => {
    const opened = await openPostgres({}, major)
    onTestFinished(opened.close)
    const reader = new Client({ connectionString: opened.url })
    await reader.connect()
    onTestFinished(() => reader.end())
    await reader.query(`set search_path to "${opened.schema.replaceAll('"', '""')}"`)
    const live = await moved(opened.store, await prepared(opened.store), 'withdrawn')
    await reader.query(`begin isolation level repeatable read; ${sql}`)
    await commits(opened.store, erasing(live))

    expect(await opened.store.scrub()).toBe('busy')
    expect(await opened.store.erasuresOpen(SAMPLE_TENANT, null, 10)).toEqual([live.proposal.ref])

    await reader.query('commit')
    await scrubs(opened.store)
  })
})
