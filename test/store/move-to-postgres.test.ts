// Moving a store to PostgreSQL: everything is there and goes on there, the file is closed, and half a copy is none.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Effect } from '../../src/effect/effect.ts'
import { acknowledgeRestore } from '../../src/runtime/acknowledge-restore.ts'
import { ActionRunner } from '../../src/runtime/calls/action-runner.ts'
import type { Store, Witness } from '../../src/runtime/ports.ts'
import { type PostgresStoreOptions, postgresStore } from '../../src/postgres.ts'
import { sqliteStore, witnessFile } from '../../src/sqlite.ts'
import { moveSqliteToPostgres } from '../../src/store/postgres-store.ts'
import { repositoryRoot } from '../../tools/repository.ts'
import { approved, settle } from '../runtime/execution-world.ts'
import { answerOf, effectOf, openWorld, reference, type World } from '../runtime/harness.ts'
import { privacy, requester, service, TENANT } from '../runtime/sessions.ts'
import { freshSchema, rawSql, serverUrl } from './postgres-fixture.ts'
import { freshPath, rawRows, rawSql as rawSqlite, removeFolderOf } from './sqlite-fixture.ts'

/** The lease and the time in flight of the tests' action, and a little more. */
const BOUNDARY_MS = 120_001
const BY = { by: 'user:olga', reason: 'looked_at' } as const
const tenant = reference(TENANT)

const examine = async (): Promise<void> => {}

interface Source {
  readonly world: World
  readonly path: string
  readonly witness: () => Witness
  /** Approved and not executed. */
  readonly waiting: string
  readonly callId: string
}

interface Filled extends Pick<Source, 'world' | 'waiting' | 'callId'> {
  readonly file: Buffer
  readonly witnessed: Buffer
}

let filled: Promise<Filled> | null = null

/** A file with rows in every table, which nobody has open. It is filled once, and each test gets a copy. */
async function filledFile(): Promise<Source> {
  filled ??= fill()
  const { file, witnessed, ...rest } = await filled
  const path = freshPath()
  onTestFinished(() => removeFolderOf(path))
  writeFileSync(path, file)
  writeFileSync(`${path}.witness`, witnessed)
  return { ...rest, path, witness: () => witnessFile(`${path}.witness`) }
}

async function worldOnFile(): Promise<{ readonly world: World; readonly path: string }> {
  // What it holds is looked at where it is moved to, and by what looks through both sides.
  const world = await openWorld({ store: 'sqlite', verified: false })
  return { world, path: world.path ?? '' }
}

async function fill(): Promise<Filled> {
  const { world, path } = await worldOnFile()
  const { runtime, clock } = world
  const verified = await approved(runtime, world.input())
  await runtime.execute(requester, verified)
  await clock.advance(5_000)
  expect(await answerOf(runtime.reconcile(service, verified))).toBe('verified')
  const { proposal: erased } = await runtime.prepare(requester, { ...world.input(), requestKey: 'once' })
  const reader = new Database(path)
  reader.exec('begin; select count(*) from proposals')
  expect(await runtime.erase(privacy, erased, { reason: 'customer_request' })).toMatchObject({ reason: 'files_in_use' })
  reader.close()
  const doubtful = await approved(runtime, world.input())
  const { execute } = world.action.methods
  world.action.methods.execute = async () => ({ status: 'failed_unknown', reason: 'timed_out' })
  await runtime.execute(requester, doubtful)
  world.action.methods.execute = execute
  const effect = async (): Promise<Effect> => (await world.bareStore.effect(await effectOf(world, doubtful))) as Effect
  await settle({ ...world, effect }, doubtful, 'closed_unknown')
  const runner = new ActionRunner({ store: world.store, clock })
  const { receipt } = await runner.execute('charge', () => ({ id: 'ch_1' }), {
    request: { amount: 1.5, note: 'é\u{1F600}' },
    idempotencyKey: 'order-1',
    metadata: { batch: '7' },
  })
  const waiting = await approved(runtime, world.input({ memo: 'x'.repeat(20_000) }))
  const [event] = await world.bareStore.events(tenant, 0, 1)
  if (event === undefined) throw new Error('everything that was done is told')
  const { proposal, position } = event
  const queued = [{ proposal, first: position, last: position }]
  const endpoint = reference('https://receiver.example/hook')
  await world.bareStore.deliveries.enqueue({ tenant, endpoint, from: null, through: position, queued })
  await world.bareStore.close()
  const witness = `${path}.witness`
  const store = await sqliteStore(path, { clock, witness: witnessFile(witness) })
  expect(await acknowledgeRestore({ store, ...BY })).toMatchObject({ finding: 'missing' })
  await store.close()
  await clock.advance(BOUNDARY_MS)
  return { world, waiting, callId: receipt.actionId, file: readFileSync(path), witnessed: readFileSync(witness) }
}

/** A new schema to move to. */
async function target() {
  const url = await serverUrl()
  const schema = freshSchema()
  return {
    url,
    schema,
    open: async (options: Pick<PostgresStoreOptions, 'clock' | 'witness'> = {}): Promise<Store> => {
      const store = await postgresStore({ url, schema, connectionsMax: 4, ...options })
      onTestFinished(() => store.close())
      return store
    },
  }
}

async function openedFile(path: string, witness: Witness | null = null): Promise<Store> {
  const store = await sqliteStore(path, witness === null ? {} : { witness })
  onTestFinished(() => store.close())
  return store
}

describe('moving a store', () => {
  it('takes everything along, closes the file, and the lifecycle goes on where it is now', async () => {
    const { world, path, witness, waiting, callId } = await filledFile()
    const { url, schema, open } = await target()
    const looked: number[] = []

    const moved = await moveSqliteToPostgres({
      from: path,
      url,
      schema,
      witness: witness(),
      examine: async (store) => void looked.push((await store.events(tenant, 0, 1_000)).length),
    })
    const store = await open({ witness: witness(), clock: world.clock })

    const old = await openedFile(path)
    expect(looked).toEqual([expect.any(Number), looked[0]])
    const all = await old.list({ tenant, limit: 50 })
    expect(all).toHaveLength(3)
    expect(await store.list({ tenant, limit: 50 })).toEqual(all)
    for (const { ref, effect } of all) {
      expect(await store.proposal(tenant, ref)).toEqual(await old.proposal(tenant, ref))
      expect(await store.receipts(tenant, ref)).toEqual(await old.receipts(tenant, ref))
      expect(await store.effect(effect)).toEqual(await old.effect(effect))
    }
    expect(await store.events(tenant, 0, 1_000)).toEqual(await old.events(tenant, 0, 1_000))
    expect(moved.again).toBe(false)

    // The witness has come along: nothing is to be acknowledged, and what was sealed in the file is opened and called.
    expect((await store.restore()).open).toBeNull()
    const runtime = await world.open({ store })
    expect(await answerOf(runtime.execute(requester, waiting))).toBe('verification_pending')
    const fresh = await approved(runtime, world.input())
    expect((await runtime.execute(service, fresh)).outcome).toBe('verification_pending')
    const receipt = await new ActionRunner({ store, clock: world.clock, tenant: 'default' }).receipt(callId)
    expect(receipt.state).toBe('COMPLETED')
    expect((await store.events(tenant, 0, 1_000)).length).toBeGreaterThan(looked[0] ?? 0)
  })

  it('takes every table and every sequence of the schema, none of them empty', async () => {
    const { path } = await filledFile()
    const { url, schema } = await target()

    const { tables } = await moveSqliteToPostgres({ from: path, url, schema, witness: null, examine })

    const there = await rawSql<{ name: string; kind: string }>(
      url,
      'public',
      `select relname as name, relkind as kind from pg_class
       where relnamespace = (select oid from pg_namespace where nspname = '${schema}') and relkind in ('r', 'S')`,
    )
    const named = (kind: string): readonly string[] => {
      return there.filter((one) => one.kind === kind).map(({ name }) => name)
    }
    const own = ['kysely_migration', 'kysely_migration_lock', 'schema_info']
    expect([...tables.map(({ table }) => table), ...own].toSorted()).toEqual(named('r').toSorted())
    expect(named('S')).toEqual(['events_positions'])
    expect(tables.filter(({ rows }) => rows === 0)).toEqual([])
  })

  it('leaves a file that nothing is taken into any more, and that its witness tells from the copy', async () => {
    const { world, path, witness } = await filledFile()
    const { url, schema, open } = await target()
    await moveSqliteToPostgres({ from: path, url, schema, witness: witness(), examine })

    const old = await openedFile(path, witness())
    await expect(world.open({ store: old })).rejects.toThrow('closed to be moved')

    // Used all the same, it goes on instead of the copy, and never beside it.
    expect(await acknowledgeRestore({ store: old, ...BY })).toMatchObject({ finding: 'moved' })
    await world.open({ store: old })
    expect((await (await open({ witness: witness() })).restore()).open).toMatchObject({ finding: 'behind' })
  })

  it('is done once: again it only says so, unless what is there has become another', async () => {
    const { path } = await filledFile()
    const { url, schema } = await target()
    const move = { from: path, url, schema, witness: null, examine }
    const first = await moveSqliteToPostgres(move)

    const second = await moveSqliteToPostgres(move)

    expect(second).toEqual({ ...first, again: true })
    await rawSql(url, schema, 'set session_replication_role to replica; delete from request_keys; delete from events')
    await expect(moveSqliteToPostgres(move)).rejects.toThrow('not what is in the file: events')
  })

  it('leaves nothing in the target when something is found there that is not whole', async () => {
    const { path } = await filledFile()
    const { url, schema } = await target()
    const move = { from: path, url, schema, witness: null, examine }
    let looks = 0
    const failing = async (): Promise<void> => {
      looks += 1
      if (looks === 2) throw new Error('a chain is not whole')
    }

    await expect(moveSqliteToPostgres({ ...move, examine: failing })).rejects.toThrow('not whole')

    expect((await moveSqliteToPostgres(move)).again).toBe(false)
  })

  it('killed while it copies leaves the target as it was, the file closed, and is done by the next one', async () => {
    const { world, path } = await filledFile()
    const { url, schema, open } = await target()
    const script = join(repositoryRoot, 'test/store/processes/move.ts')
    const child = spawn(process.execPath, ['--conditions=countersign-source', script, path, url, schema], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    // It has copied everything by then, and has not committed it.
    await once(child.stdout, 'data')
    expect(() => rawSqlite(path, 'pragma busy_timeout = 0; begin immediate; rollback')).toThrow('locked')
    child.kill('SIGKILL')
    await once(child, 'exit')

    expect(await rawSql(url, 'public', `select 1 from pg_namespace where nspname = '${schema}'`)).toEqual([])
    const old = await openedFile(path)
    await expect(world.open({ store: old })).rejects.toThrow('closed to be moved')
    await old.close()
    const move = { from: path, url, schema, witness: null, examine }
    expect((await moveSqliteToPostgres(move)).again).toBe(false)
    expect(await (await open()).tenants()).toEqual([TENANT])
  })
})

describe('a store is not moved', () => {
  const nowhere = { url: 'postgres://nobody@127.0.0.1:1/nowhere', witness: null, examine }

  function restoresOf(path: string): readonly unknown[] {
    return rawRows(path, 'select * from restores')
  }

  it('while somebody has the file open, who could still take what is left behind', async () => {
    const { path } = await worldOnFile()

    await expect(moveSqliteToPostgres({ ...nowhere, from: path })).rejects.toThrow('The file is in use')

    expect(restoresOf(path)).toEqual([])
  })

  it('while an attempt is open', async () => {
    const { world, path } = await worldOnFile()
    const proposal = await approved(world.runtime, world.input())
    const called = Promise.withResolvers<void>()
    world.action.methods.execute = () => {
      called.resolve()
      return new Promise(() => {})
    }
    void world.runtime.execute(requester, proposal).catch(() => {})
    await called.promise
    await world.bareStore.close()

    await expect(moveSqliteToPostgres({ ...nowhere, from: path })).rejects.toThrow('Attempts are open: 1.')

    expect(restoresOf(path)).toEqual([])
  })

  it('rule R15 while it is an older copy of itself, also when nobody has opened it since', async () => {
    const { world, path } = await worldOnFile()
    await world.bareStore.close()
    const witness = witnessFile(`${path}.witness`)
    const store = await openedFile(path, witness)
    copyFileSync(path, `${path}.backup`)
    await new ActionRunner({ store, clock: world.clock }).execute('charge', () => 1, {
      request: {},
      idempotencyKey: '1',
    })
    await store.close()
    copyFileSync(`${path}.backup`, path)

    const move = moveSqliteToPostgres({ ...nowhere, from: path, witness: witnessFile(`${path}.witness`) })

    await expect(move).rejects.toThrow('do not agree (behind)')
    expect(restoresOf(path)).toEqual([])
  })

  it('where there is none, and where the server is none', async () => {
    const { world, path } = await worldOnFile()
    await world.bareStore.close()

    await expect(moveSqliteToPostgres({ ...nowhere, from: `${path}.none` })).rejects.toThrow('no store of this version')
    await expect(moveSqliteToPostgres({ ...nowhere, from: path })).rejects.toThrow('The database cannot be reached.')
  })

  it('into a target in which there is anything of another store', async () => {
    const { world, path } = await worldOnFile()
    await world.bareStore.close()
    const { url, schema, open } = await target()
    const other = await open()
    await other.adopt({ referenceKeyCheck: 'x', domains: {} })

    await expect(moveSqliteToPostgres({ ...nowhere, from: path, url, schema })).rejects.toThrow('in use already')
  })
})
