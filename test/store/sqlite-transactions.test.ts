// Transactions of the SQLite store under errors: nothing after the first one runs, and no answer is guessed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import Database from 'better-sqlite3'
import { DummyDriver, Kysely, sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { PersistenceOutcomeUnknown, StoreUnavailable } from '../../src/proposal/errors.ts'
import { BrokenInvariant } from '../../src/store/broken-invariant.ts'
import { alone } from '../../src/store/engine.ts'
import { KyselyStore } from '../../src/store/kysely-store.ts'
import { sqliteMigrations } from '../../src/store/migrations/sqlite-migrations.ts'
import { Reconnects } from '../../src/store/reconnects.ts'
import { sqliteCapabilities } from '../../src/store/sqlite-capabilities.ts'
import { CommitFailed, SqliteConnection } from '../../src/store/sqlite-connection.ts'
import { sqliteDialect, SqliteDriver } from '../../src/store/sqlite-dialect.ts'
import { SqliteEngine } from '../../src/store/sqlite-engine.ts'
import { loadSqlite } from '../../src/store/sqlite-library.ts'
import { connect } from '../../src/store/sqlite-open.ts'
import { clockTime } from '../../src/store/store-time.ts'
import { migrateSqlite, sqliteStore } from '../../src/sqlite.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { inserting, sealed, updating } from '../../src/testing/store-conformance/sample-changes.ts'
import { raising } from '../../src/testing/store-conformance/sample-effects.ts'
import { inStatus, sampleProposal } from '../../src/testing/store-conformance/sample-proposals.ts'
import {
  attempted,
  commits,
  effectOf,
  evidence,
  liveOf,
  moved,
  prepared,
} from '../../src/testing/store-conformance/steps.ts'
import { freshPath, rawRows, removeFolderOf } from './sqlite-fixture.ts'

const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function newFile(): Promise<string> {
  const path = freshPath()
  closing.push(() => removeFolderOf(path))
  await migrateSqlite(path)
  return path
}

/** A store whose connections are what `prepare` makes of those to the file. */
function storeOver(
  path: string,
  prepare: (connection: SqliteConnection) => SqliteConnection,
  now: () => number = () => 1,
): Store {
  const file = { path, busyTimeoutMs: 50, migrations: sqliteMigrations }
  const store = new KyselyStore({
    db: new Kysely({ dialect: sqliteDialect(new DummyDriver()) }),
    engine: new SqliteEngine(() => prepare(connect(loadSqlite(), file))),
    time: clockTime({ now }),
    capabilities: sqliteCapabilities,
    onCorruptRow: () => {},
    witness: null,
    reconnects: new Reconnects(),
  })
  closing.push(() => store.close())
  return store
}

/** A connection to a table of a database in a file of its own. */
function plainConnection(): { readonly connection: SqliteConnection; readonly rows: () => unknown[] } {
  const path = freshPath()
  closing.push(() => removeFolderOf(path))
  const connection = new SqliteConnection(new Database(path))
  closing.push(() => connection.close())
  connection.run(statementOf('create table t (x text unique not null)'))
  return { connection, rows: () => rawRows(path, 'select x from t order by x') }
}

const statementOf = (text: string, ...parameters: unknown[]) => ({ sql: text, parameters })
const insertInto = (x: string | null) => statementOf('insert into t values (?)', x)

describe('a transaction', () => {
  it('is poisoned by its first error: nothing after it runs, and the first error stays the reason', () => {
    const { connection, rows } = plainConnection()
    connection.begin('immediate')
    connection.run(insertInto('a'))
    const failing = (): unknown => connection.run(insertInto(null))

    expect(failing).toThrow('NOT NULL constraint failed: t.x')
    expect(() => connection.run(insertInto('b'))).toThrow('NOT NULL constraint failed: t.x')
    expect(() => connection.commit()).toThrow('NOT NULL constraint failed: t.x')
    connection.rollback()

    expect(rows()).toEqual([])
  })

  it('that SQLite has rolled back by itself is noticed before the next statement would commit on its own', () => {
    const { connection, rows } = plainConnection()
    connection.begin('immediate')
    connection.run(insertInto('a'))
    connection.run(statementOf('rollback'))

    expect(() => connection.run(insertInto('b'))).toThrow('The transaction has ended by itself')
    expect(() => connection.commit()).toThrow('The transaction has ended by itself')
    connection.rollback()

    expect(rows()).toEqual([])
  })

  it('that filled the disk is rolled back whole, although the error was caught', () => {
    const { connection, rows } = plainConnection()
    connection.pragma('max_page_count = 4')
    connection.begin('immediate')
    connection.run(insertInto('a'))

    expect(() => connection.run(insertInto('x'.repeat(100_000)))).toThrow('database or disk is full')
    expect(() => connection.run(insertInto('b'))).toThrow('database or disk is full')
    expect(() => connection.commit()).toThrow('database or disk is full')
    connection.rollback()

    expect(rows()).toEqual([])
    connection.run(insertInto('c'))
    expect(rows()).toEqual([{ x: 'c' }])
  })

  it('does not begin inside another', () => {
    const { connection } = plainConnection()
    connection.begin('deferred')

    expect(() => connection.begin('immediate')).toThrow('A transaction is open already')
  })

  it('of Kysely takes the lock at once and is poisoned likewise', async () => {
    const { connection, rows } = plainConnection()
    const db = new Kysely<{ t: { x: string | null } }>({ dialect: sqliteDialect(new SqliteDriver(connection)) })

    const run = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('t').values({ x: 'a' }).execute()
      await transaction
        .insertInto('t')
        .values({ x: null })
        .execute()
        .catch(() => null)
      await transaction.insertInto('t').values({ x: 'b' }).execute()
    })

    await expect(run).rejects.toThrow('NOT NULL constraint failed: t.x')
    expect(rows()).toEqual([])
    await db.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction)
      expect(() => connection.begin('immediate')).toThrow('open already')
    })
  })
})

describe('an operation', () => {
  it('whose result is not kept leaves nothing behind', async () => {
    const { connection, rows } = plainConnection()
    const engine = new SqliteEngine(() => connection)
    const write = (x: string, isKept: boolean): Promise<string> => {
      return engine.write({
        *operation() {
          yield [insertInto(x)]
          return x
        },
        isKept: () => isKept,
        shares: null,
      })
    }

    expect(await write('a', false)).toBe('a')
    expect(rows()).toEqual([])
    expect(await write('b', true)).toBe('b')
    expect(rows()).toEqual([{ x: 'b' }])
  })

  it('is not resumed after an error', async () => {
    const { connection, rows } = plainConnection()
    const engine = new SqliteEngine(() => connection)
    let wentOn = false

    const write = engine.write(
      alone(function* operation() {
        try {
          yield [insertInto(null)]
        } finally {
          wentOn = true
        }
      }),
    )

    await expect(write).rejects.toThrow('NOT NULL constraint failed: t.x')
    expect(wentOn).toBe(false)
    expect(rows()).toEqual([])
  })

  it('that was overtaken between its look and its writes changes nothing', async () => {
    const path = await newFile()
    const store = storeOver(path, (connection) => connection)
    const { live, effect } = await attempted(store)
    const overtaken = updating(live, inStatus(live.proposal, 'verification_pending'))
    const late = evidence(raising(effect))
    await moved(store, live, 'failed_unknown', { change: { effect: raising(effect) } })
    const before = await effectOf(store, effect.key)

    // What the look would have found a moment earlier; everything else is asked of the database as it is.
    const answers: readonly (readonly [asked: string, row: object])[] = [
      ['select "revision", "erasure"', { revision: live.proposal.revision, erasure: 'none' }],
      ['select "version"', { version: effect.version }],
    ]
    const raced = storeOver(path, (connection) => {
      const run = connection.run.bind(connection)
      connection.run = (statement) => {
        const stale = answers.find(([asked]) => statement.sql.startsWith(asked))
        return stale === undefined ? run(statement) : { rows: [stale[1]], changed: 0 }
      }
      return connection
    })

    await expect(raced.commit(overtaken)).rejects.toThrow(
      'a receipt tells of the revision and the status that are stored',
    )
    await expect(raced.commit(late)).rejects.toThrow('an effect changes at its version')
    expect(await effectOf(store, effect.key)).toEqual(before)
  })
})

describe('a full disk', () => {
  const full = 'The disk that holds the database is full.'
  const big = (): ReturnType<typeof inserting> => {
    const content = { snapshot: new Uint8Array(200_000).fill(1), preview: sealed('preview') }
    return inserting(sampleProposal(), { content })
  }

  it('takes nothing and loses nothing, and goes on when there is room', async () => {
    const path = await newFile()
    let pages = rawRows<{ page_count: number }>(path, 'pragma page_count')[0]?.page_count ?? 0
    const limited = (connection: SqliteConnection): SqliteConnection => {
      connection.pragma(`max_page_count = ${pages}`)
      return connection
    }
    const store = storeOver(path, limited)
    pages += 3
    const kept = await prepared(store)
    const change = big()

    await expect(store.commit(change)).rejects.toMatchObject({ name: 'StoreUnavailable', message: full })
    await expect(store.commit(change)).rejects.toMatchObject({ name: 'StoreUnavailable', message: full })

    expect(await liveOf(store, kept.proposal)).toEqual(kept)
    expect(await store.list({ tenant: kept.proposal.tenant, limit: 10 })).toHaveLength(1)
    pages += 1_000
    const roomy = storeOver(path, limited)
    await commits(roomy, change)
    expect(rawRows(path, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  // Only where this process may mount one; the page limit above is the same error of SQLite everywhere.
  it.each(canMount() ? ['tmpfs'] : [])('takes nothing and loses nothing on a small %s', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-full-'))
    closing.push(() => rmSync(folder, { recursive: true }))
    system('mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', folder)
    closing.push(() => system('umount', folder))
    const store = await sqliteStore(join(folder, 'store.db'))
    closing.push(() => store.close())

    const acknowledged: string[] = []
    let refusal: unknown = null
    for (let tries = 0; refusal === null && tries < 100; tries += 1) {
      const change = big()
      try {
        await commits(store, change)
        acknowledged.push(change.changeId)
      } catch (error) {
        refusal = error
      }
    }

    expect(refusal instanceof StoreUnavailable || refusal instanceof PersistenceOutcomeUnknown).toBe(true)
    expect(acknowledged.length).toBeGreaterThan(0)
    const landed = rawRows<{ change_id: string }>(join(folder, 'store.db'), 'select change_id from changes')
    expect(acknowledged.filter((id) => !landed.some(({ change_id }) => change_id === id))).toEqual([])
  })
})

describe('a commit whose answer is lost', () => {
  /** Connections of which the n-th loses its answers as told: after the commit, or before it. */
  function losing(losses: readonly ('after' | 'before' | null)[]): (connection: SqliteConnection) => SqliteConnection {
    let opened = 0
    return (connection) => {
      const loss = losses[opened] ?? null
      opened += 1
      if (loss === null) return connection
      const commit = connection.commit.bind(connection)
      connection.commit = () => {
        if (loss === 'after') commit()
        throw new CommitFailed('no answer', {
          cause: Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' }),
        })
      }
      return connection
    }
  }

  it.each(['after', 'before'] as const)(
    'is found out on a fresh connection when it was lost %s it landed',
    async (loss) => {
      const path = await newFile()
      const store = storeOver(path, losing([loss]))
      const change = inserting(sampleProposal())

      expect(await store.commit(change)).toEqual({ kind: 'committed', at: 1 })

      expect(rawRows(path, 'select change_id from changes')).toEqual([{ change_id: change.changeId }])
      expect(rawRows(path, 'select count(*) as events from events')).toEqual([{ events: 1 }])
    },
  )

  it.each([
    ['after', 'after', 1],
    ['before', 'before', 0],
    ['after', 'before', 1],
  ] as const)('is unknown when it was lost %s it landed, and again %s', async (first, second, landed) => {
    const path = await newFile()
    const store = storeOver(path, losing([first, second]))
    const change = inserting(sampleProposal())

    await expect(store.commit(change)).rejects.toMatchObject({
      name: 'PersistenceOutcomeUnknown',
      observed: null,
      cause: { code: 'SQLITE_IOERR_FSYNC' },
    })

    expect(rawRows(path, 'select change_id from changes')).toHaveLength(landed)
    await commits(store, change)
    expect(rawRows(path, 'select change_id from changes')).toHaveLength(1)
  })

  it('is unknown when the file has gone meanwhile, and none is made in its place', async () => {
    const path = await newFile()
    const store = storeOver(path, (connection) => {
      connection.commit = () => {
        for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
        throw new CommitFailed('no answer')
      }
      return connection
    })

    await expect(store.commit(inserting(sampleProposal()))).rejects.toMatchObject({ name: 'PersistenceOutcomeUnknown' })

    expect(existsSync(path)).toBe(false)
  })

  it('is unknown when it has become too late meanwhile: a recovery might still find it', async () => {
    const path = await newFile()
    const times = [1, 100]
    const store = storeOver(path, losing(['before']), () => times.shift() ?? 100)

    const commit = store.commit({ ...inserting(sampleProposal()), notAfter: 50 })

    await expect(commit).rejects.toMatchObject({ name: 'PersistenceOutcomeUnknown' })
  })

  it('is a broken invariant, and known, when a deferred constraint refused it', async () => {
    const path = await newFile()
    const store = storeOver(path, (connection) => {
      const commit = connection.commit.bind(connection)
      connection.commit = () => {
        connection.run(statementOf('delete from receipts'))
        commit()
      }
      return connection
    })
    const database = new Database(path)
    database.exec('drop trigger receipts_not_deleted')
    database.close()

    await expect(store.commit(inserting(sampleProposal()))).rejects.toThrow(BrokenInvariant)

    expect(rawRows(path, 'select ref from proposals')).toEqual([])
  })
})

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'countersign-mount-'))
  try {
    if (!system('mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', folder)) return false
    return system('umount', folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Whether a program of the system did what it was asked. */
function system(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0
}
