// Roles other than the owner: one runs everything but erasure, one erases, one reads; none passes the guards.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, escapeIdentifier } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseReasonCode } from '../../src/effect/reference.ts'
import { migratePostgres, type PostgresRoles, postgresGrants, postgresStore } from '../../src/postgres.ts'
import type { Store, Witness } from '../../src/runtime/ports.ts'
import { witnessFile } from '../../src/sqlite.ts'
import { releasing, startingCall } from '../../src/testing/store-conformance/sample-calls.ts'
import { claimingCall, sampleCallKey } from '../../src/testing/store-conformance/sample-calls.ts'
import { erasing, inserting } from '../../src/testing/store-conformance/sample-changes.ts'
import { ending, observing } from '../../src/testing/store-conformance/sample-effects.ts'
import { SAMPLE_TENANT, sampleProposal } from '../../src/testing/store-conformance/sample-proposals.ts'
import { attempted, commits, effectOf, evidence, moved, prepared } from '../../src/testing/store-conformance/steps.ts'
import { MAJORS } from '../postgres/server.ts'
import { reference } from '../runtime/harness.ts'
import { freshSchema, rawSql, serverUrl } from './postgres-fixture.ts'

const REFUSED = 'The database role may not do this.'

describe.each(MAJORS)('the grants on PostgreSQL %s', (major) => {
  const prefix = `c${process.pid}`
  const roles: PostgresRoles = {
    runtime: `${prefix}_runtime`,
    retention: `${prefix} "retention"`,
    readOnly: `${prefix}_read`,
  }
  const schema = freshSchema()
  const stores: Store[] = []
  let url = ''

  const as = (role: string): string => {
    const address = new URL(url)
    address.username = encodeURIComponent(role)
    address.password = 'pw'
    return address.href
  }
  const opened = async (role: string): Promise<Store> => {
    const store = await postgresStore({ url: as(role), schema })
    stores.push(store)
    return store
  }

  beforeAll(async () => {
    url = await serverUrl(major)
    await migratePostgres({ url, schema })
    for (const role of [roles.runtime, roles.retention, roles.readOnly]) {
      await rawSql(url, schema, `create role ${escapeIdentifier(role)} login password 'pw'`)
    }
    for (const statement of postgresGrants(schema, roles)) await rawSql(url, schema, statement)
  })
  afterAll(async () => {
    for (const store of stores) await store.close()
  })

  it('let the runtime do everything but erase', async () => {
    const store = await opened(roles.runtime)
    await store.adopt({ referenceKeyCheck: 'check', domains: { 'example.payments/refund': 'example.payments/refund' } })
    const { effect } = await attempted(store)
    await commits(store, evidence(ending(effect)))
    await commits(store, evidence(observing(await effectOf(store, effect.key))))
    const key = sampleCallKey()
    await commits(store, claimingCall(key))
    const call = await store.call(key)
    if (call === null) throw new Error('the call is there')
    await commits(store, releasing(call))
    await commits(store, claimingCall(key))
    const again = await store.call(key)
    if (again === null) throw new Error('the call is there again')
    await commits(store, startingCall(again))
    await commits(store, inserting(sampleProposal(), { requestKeyHash: 'hash' }))
    const live = await moved(store, await prepared(store), 'withdrawn')
    const { tenant, ref } = live.proposal
    const queue = { tenant, endpoint: ref }
    const queued = [{ proposal: ref, first: 1, last: 1 }]
    await store.deliveries.enqueue({ ...queue, from: null, through: 1, queued })
    await store.deliveries.claim({ ...queue, holder: 'one', leaseMs: 60_000, limit: 1 })
    const claimed = { ...queue, proposal: ref, holder: 'one', position: 1, through: 1 }
    await store.deliveries.settle(claimed, { kind: 'delivered', next: null, leaseMs: null })
    await store.rewrap(SAMPLE_TENANT, live.proposal.ref, live.key, { kekVersion: 'k9', wrapped: live.key.wrapped })

    await expect(store.commit(erasing(live))).rejects.toThrow(REFUSED)

    expect(await store.proposal(SAMPLE_TENANT, live.proposal.ref)).toMatchObject({
      kind: 'live',
      key: { kekVersion: 'k9' },
    })
  })

  it('let retention erase, and scrub where the server can grant that', async () => {
    const store = await opened(roles.retention)
    const live = await moved(store, await prepared(store), 'withdrawn')

    await commits(store, erasing(live))

    expect(await store.proposal(SAMPLE_TENANT, live.proposal.ref)).toMatchObject({ kind: 'erased' })
    expect(await store.scrub()).toBe(major === '18' ? 'done' : 'busy')
  })

  it.each(['runtime', 'retention'] as const)(
    'rule R15 let %s find out a restore, and the owner alone acknowledge it',
    async (role) => {
      const folder = mkdtempSync(join(tmpdir(), 'countersign-witness-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      const witness = (): Witness => witnessFile(join(folder, role))
      const store = await postgresStore({ url: as(roles[role]), schema, witness: witness() })
      stores.push(store)
      const by = [reference('user:olga'), parseReasonCode('known', '')] as const

      expect((await store.restore()).open).toMatchObject({ finding: 'missing' })
      await expect(store.acknowledgeRestore(...by)).rejects.toThrow(REFUSED)

      const owner = await postgresStore({ url, schema, witness: witness() })
      stores.push(owner)
      await owner.acknowledgeRestore(...by)
      expect(await store.restore()).toMatchObject({ open: null, last: { acknowledged: { by: 'user:olga' } } })
      await attempted(store)
      expect(await witness().read()).toMatchObject({ restores: (await store.restore()).last?.number })
    },
  )

  it('let the reader read all but the wrapped keys, and write nothing', async () => {
    const client = new Client({ connectionString: as(roles.readOnly) })
    await client.connect()
    try {
      await client.query(`set search_path to ${escapeIdentifier(schema)}`)
      const { rows } = await client.query('select count(*) > 0 as "hasRows" from proposals')
      expect(rows).toEqual([{ hasRows: true }])
      for (const sql of ['select from keys', 'delete from unscrubbed', `insert into changes values ('t', 'c', 1)`]) {
        await expect(client.query(sql)).rejects.toThrow('permission denied')
      }
    } finally {
      await client.end()
    }
  })

  it.each(['runtime', 'retention'] as const)('let %s neither change the schema nor pass its guards', async (role) => {
    const client = new Client({ connectionString: as(roles[role]) })
    await client.connect()
    try {
      await client.query(`set search_path to ${escapeIdentifier(schema)}`)
      for (const sql of [
        'alter table receipts disable trigger all',
        'drop trigger proposals_never_truncated on proposals',
        'truncate receipts',
        'delete from receipts',
        `update schema_info set checksum = 'x'`,
        'set session_replication_role to replica',
        'create table another (id int)',
      ]) {
        await expect(client.query(sql)).rejects.toThrow(/permission denied|must be owner/u)
      }
    } finally {
      await client.end()
    }
  })
})
