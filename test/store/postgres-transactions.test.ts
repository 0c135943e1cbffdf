// Transactions on PostgreSQL when connections are cut, servers die and others write at the same time.
import { Client, escapeIdentifier } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../../src/proposal/errors.ts'
import type { EffectKey } from '../../src/effect/effect-key.ts'
import type { Change, LiveProposal, Store } from '../../src/runtime/ports.ts'
import { type PostgresPool, postgresStore } from '../../src/postgres.ts'
import { erasing, inserting, updating } from '../../src/testing/store-conformance/sample-changes.ts'
import { claiming, raising } from '../../src/testing/store-conformance/sample-effects.ts'
import { inStatus, SAMPLE_TENANT, sampleProposal } from '../../src/testing/store-conformance/sample-proposals.ts'
import { attempted, commits, moved, prepared } from '../../src/testing/store-conformance/steps.ts'
import { newServer, type PostgresServer } from '../postgres/server.ts'
import {
  cutAtCommit,
  type Interference,
  interferingPool,
  pidOf,
  realPool,
  terminated,
  untilWaiting,
} from './interfering-pool.ts'
import { openPostgres, rawSql } from './postgres-fixture.ts'

interface Opened {
  readonly url: string
  readonly schema: string
  /** Untouched. */
  readonly store: Store
  readonly over: (pool: PostgresPool) => Promise<Store>
}

async function opened(): Promise<Opened> {
  const { url, schema, store, close } = await openPostgres()
  onTestFinished(close)
  return { url, schema, store, over: (pool) => postgresStore({ pool, schema }) }
}

/** Terminates connections at COMMIT, so many times, before it is sent or once it was done. */
function cuttingAtCommit(
  url: string,
  when: 'before' | 'after',
  times: number,
): Interference & { readonly cuts: number } {
  let cuts = 0
  const cut: Interference['before'] = async (text, client) => {
    if (text !== 'commit' || cuts === times) return
    cuts += 1
    await cutAtCommit(url, client, when)
  }
  return {
    ...(when === 'before' ? { before: cut } : { after: cut }),
    get cuts() {
      return cuts
    },
  }
}

describe('case C115 a commit whose connection is terminated', () => {
  it.each(['before', 'after'] as const)('%s the server has done it lands once, by one more try', async (when) => {
    const { url, schema, over } = await opened()
    const cutting = cuttingAtCommit(url, when, 1)
    const store = await over(interferingPool(url, cutting))
    const change = inserting(sampleProposal())

    expect(await store.commit(change)).toMatchObject({ kind: 'committed' })

    expect(cutting.cuts).toBe(1)
    expect(await rawSql(url, schema, 'select count(*)::int as n from changes')).toEqual([{ n: 1 }])
    expect(await rawSql(url, schema, 'select count(*)::int as n from receipts')).toEqual([{ n: 1 }])
  })

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)('twice %s the server has done it is not known, and a repetition settles it', async (when, landed) => {
    const { url, schema, over } = await opened()
    const store = await over(interferingPool(url, cuttingAtCommit(url, when, 2)))
    const change = inserting(sampleProposal())

    await expect(store.commit(change)).rejects.toBeInstanceOf(PersistenceOutcomeUnknown)

    expect(await rawSql(url, schema, 'select count(*)::int as n from changes')).toEqual([{ n: landed }])
    expect(await store.commit(change)).toMatchObject({ kind: 'committed' })
    expect(await rawSql(url, schema, 'select count(*)::int as n from changes')).toEqual([{ n: 1 }])
  })

  it('and that meets a conflict when it is tried again is not known either', async () => {
    const { url, over, store: other } = await opened()
    const live = await prepared(other)
    let isCut = false
    const pool = interferingPool(url, {
      async before(text, client) {
        if (text !== 'commit' || isCut) return
        isCut = true
        await terminated(url, await pidOf(client))
        await moved(other, live, 'withdrawn')
      },
    })

    const commit = (await over(pool)).commit(updating(live, inStatus(live.proposal, 'approved')))

    await expect(commit).rejects.toBeInstanceOf(PersistenceOutcomeUnknown)
  })
})

describe('rules R17: an effect that has several names', () => {
  it('rules R17: is claimed under one of them, when two are asked for at once', async () => {
    const { url, store: other, over } = await opened()
    const reached = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const slow = await over(
      interferingPool(url, {
        async before(text) {
          if (text !== 'commit') return
          reached.resolve()
          await gate.promise
        },
      }),
    )
    const one = await moved(other, await prepared(other), 'approved')
    const renamed = { ...one.proposal.effect, domain: 'example.renamed/refund' }
    const two = await moved(other, await prepared(other, { effect: renamed }), 'approved')
    const claim = (live: LiveProposal, formerKey: EffectKey): Change => {
      const effect = { ...claiming(live.proposal, null), formerKeys: [formerKey] }
      return updating(live, inStatus(live.proposal, 'executing'), { effect })
    }

    const first = slow.commit(claim(one, renamed))
    await reached.promise
    const second = other.commit(claim(two, one.proposal.effect))
    await untilWaiting(url, second)
    gate.resolve()

    expect(await first).toMatchObject({ kind: 'committed' })
    expect(await second).toEqual({ kind: 'conflict', on: 'effect' })
  })
})

describe('a connection that is lost before COMMIT', () => {
  it('has stored nothing, and the transaction is run on another one', async () => {
    const { url, over } = await opened()
    let cuts = 0
    const pool = interferingPool(url, {
      async before(text, client) {
        if (!text.startsWith('insert into "receipts"') || cuts === 2) return
        cuts += 1
        await terminated(url, await pidOf(client))
      },
    })
    const store = await over(pool)

    expect(await store.commit(inserting(sampleProposal()))).toMatchObject({ kind: 'committed' })

    expect(cuts).toBe(2)
  })

  it('again and again is an outage, and nothing was stored', async () => {
    const { url, schema, over } = await opened()
    const pool = interferingPool(url, {
      async before(text, client) {
        if (text.startsWith('insert into "receipts"')) await terminated(url, await pidOf(client))
      },
    })
    const store = await over(pool)

    await expect(store.commit(inserting(sampleProposal()))).rejects.toBeInstanceOf(StoreUnavailable)

    expect(await rawSql(url, schema, 'select change_id from changes')).toEqual([])
  })

  it('while it is idle is no error of anybody', async () => {
    const { url, store } = await opened()
    await store.health()

    await rawSql(
      url,
      'public',
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() and state = 'idle'
      and query in ('rollback', 'commit')`,
    )

    await store.health()
    expect(await store.commit(inserting(sampleProposal()))).toMatchObject({ kind: 'committed' })
  })
})

describe('transactions at the same time', () => {
  it('that wait for each other are brought into an order', async () => {
    const { url, schema, store, over } = await opened()
    const { live, effect } = await attempted(store)
    let begun = 0
    const pool = interferingPool(url, {
      async before(text) {
        if (text.startsWith('begin isolation level read committed')) begun += 1
      },
    })
    const contending = await over(pool)
    begun = 0
    // It will wait for longer than the other side, which is therefore the one that is sent back.
    const locker = await connected(url, schema, `set deadlock_timeout to '60s'`)
    await locker.query('begin')
    await locker.query('select from effects where reference = $1 for update', [effect.key.reference])

    // It locks the proposal and waits for the effect; then the other side asks for the proposal.
    const change = updating(live, inStatus(live.proposal, 'executing'), { effect: raising(effect, {}) })
    const committing = contending.commit(change)
    await waiting(url)
    await locker.query('select from proposals where ref = $1 for update', [live.proposal.ref])
    await locker.query('rollback')

    expect(await committing).toMatchObject({ kind: 'committed' })
    expect(begun).toBe(2)
  })

  it('behind a lock that is never let go of end with an outage', { timeout: 120_000 }, async () => {
    const { url, schema, store } = await opened()
    const live = await prepared(store)
    const locker = await connected(url, schema, 'begin')
    await locker.query('select from proposals for update')

    const commit = store.commit(updating(live, inStatus(live.proposal, 'approved')))

    await expect(commit).rejects.toThrow('Another transaction holds a lock of the database longer than the limit.')
  })

  it('never show a reader half of a change', async () => {
    const { store } = await opened()
    let live = await prepared(store)
    const { ref } = live.proposal
    const write = async (): Promise<void> => {
      for (let round = 0; round < 30; round += 1) {
        live = await moved(store, live, live.proposal.status === 'approved' ? 'awaiting_approval' : 'approved')
      }
    }
    const read = async (): Promise<readonly unknown[]> => {
      const kinds: unknown[] = []
      for (let round = 0; round < 120; round += 1) kinds.push((await store.proposal(SAMPLE_TENANT, ref))?.kind)
      return kinds
    }

    const [kinds] = await Promise.all([read(), write()])

    expect(kinds).toEqual(Array.from({ length: 120 }, () => 'live'))
  })
})

describe('a pool that keeps nothing of a session from one transaction to the next', () => {
  it('is enough, as a pooler is in transaction mode', async () => {
    const { url, over } = await opened()
    const texts: string[] = []
    const pool = interferingPool(url, {
      async before(text, client) {
        texts.push(text)
        if (text.startsWith('begin')) await client.query('discard all')
      },
    })
    const store = await over(pool)

    const { live } = await attempted(store)
    await commits(store, inserting(sampleProposal()))

    expect(await store.proposal(SAMPLE_TENANT, live.proposal.ref)).toMatchObject({ kind: 'live' })
    expect(texts.filter((text) => /^(?:prepare|listen|set (?!local)|select pg_advisory_lock)/iu.test(text))).toEqual([])
  })
})

describe('the clock', () => {
  it('is that of the database, whatever this machine says', async () => {
    const { url, schema, store } = await opened()
    const [before] = await rawSql<{ now: number }>(
      url,
      schema,
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    )

    const now = await store.now()
    const at = await commits(store, { ...inserting(sampleProposal()), notAfter: now + 3_600_000 })

    const [after] = await rawSql<{ now: number }>(
      url,
      schema,
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    )
    expect([now >= Math.floor(before?.now ?? 0), at >= now, at <= (after?.now ?? 0)]).toEqual([true, true, true])
    expect(await store.commit({ ...inserting(sampleProposal()), notAfter: now })).toEqual({
      kind: 'conflict',
      on: 'too_late',
    })
  })

  it('is read once the locks are held: what was waited for counts', async () => {
    const { url, schema, store } = await opened()
    const live = await prepared(store)
    const locker = await connected(url, schema, 'begin')
    await locker.query('select from proposals for update')
    const notAfter = (await store.now()) + 300

    const committing = store.commit(updating(live, inStatus(live.proposal, 'approved'), { notAfter }))
    while ((await store.now()) < notAfter) await store.health()
    await locker.query('commit')

    expect(await committing).toEqual({ kind: 'conflict', on: 'too_late' })
  })
})

describe('a pool of the host', () => {
  it('is used and not ended', async () => {
    const { url, over } = await opened()
    const pool = realPool(url)
    const listeners = pool.listenerCount('error')
    const store = await over(pool)
    await prepared(store)

    await store.close()

    await expect(store.health()).rejects.toThrow('The store is closed.')
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    expect(pool.listenerCount('error')).toBe(listeners)
  })
})

describe('a server that dies', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await newServer('18')
  })
  afterAll(() => server.remove())

  it.each(['stop', 'kill'] as const)('by a %s and comes again keeps all that was acknowledged', async (how) => {
    const store = await postgresStore({ url: server.url, schema: `restart ${how}` })
    onTestFinished(() => store.close())
    const live = await prepared(store)
    await commits(store, erasing(await moved(store, await prepared(store), 'withdrawn')))

    await server[how]()
    await expect(store.commit(inserting(sampleProposal()))).rejects.toThrow(/^The (?:database|connection)/u)
    await expect(store.health()).rejects.toBeInstanceOf(StoreUnavailable)
    await server.start()

    expect(await store.proposal(SAMPLE_TENANT, live.proposal.ref)).toEqual(live)
    await commits(store, inserting(sampleProposal()))
  })

  it.each([
    ['off', 'synchronous_commit is off, and must be on.'],
    ['local', 'synchronous_commit is local, and must be on.'],
    ['remote_write', 'synchronous_commit is remote_write, and must be on.'],
  ])('is not used while it acknowledges too early (%s)', async (setting, sentence) => {
    await rawSql(server.url, 'public', `alter role postgres set synchronous_commit to ${setting}`)
    onTestFinished(async () => {
      await rawSql(server.url, 'public', 'alter role postgres reset synchronous_commit')
    })

    await expect(postgresStore({ url: server.url })).rejects.toThrow(sentence)
  })

  it('is not reached where there is none', async () => {
    const nowhere = server.url.replace(/:\d+\/postgres$/u, ':1/postgres')

    await expect(postgresStore({ url: nowhere })).rejects.toThrow('The database cannot be reached.')
    await expect(postgresStore({ url: `${server.url}-missing` })).rejects.toThrow('The database does not exist.')
    await expect(postgresStore({ url: server.url.replace('only-for-tests', 'wrong') })).rejects.toThrow(
      'The database refused the credentials.',
    )
  })
})

/** A connection of somebody else, to the tables of a schema. */
async function connected(url: string, schema: string, first: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`set search_path to ${escapeIdentifier(schema)}`)
  await client.query(first)
  return client
}

/** Until somebody waits for a lock. */
async function waiting(url: string): Promise<void> {
  for (;;) {
    const found = await rawSql(url, 'public', `select 1 from pg_stat_activity where wait_event_type = 'Lock'`)
    if (found.length > 0) return
  }
}
