// Stores whose commits are watched, and lose their answers on demand: one in a SQLite file, and one on PostgreSQL.
import { DummyDriver, Kysely } from 'kysely'
import { onTestFinished } from 'vitest'
import { postgresStore } from '../../src/postgres.ts'
import type { Store } from '../../src/runtime/ports.ts'
import { migrateSqlite } from '../../src/sqlite.ts'
import { KyselyStore } from '../../src/store/kysely-store.ts'
import { sqliteMigrations } from '../../src/store/migrations/sqlite-migrations.ts'
import { Reconnects } from '../../src/store/reconnects.ts'
import { sqliteCapabilities } from '../../src/store/sqlite-capabilities.ts'
import { CommitFailed, type SqliteConnection } from '../../src/store/sqlite-connection.ts'
import { sqliteDialect } from '../../src/store/sqlite-dialect.ts'
import { SqliteEngine } from '../../src/store/sqlite-engine.ts'
import { loadSqlite } from '../../src/store/sqlite-library.ts'
import { connect } from '../../src/store/sqlite-open.ts'
import { clockTime } from '../../src/store/store-time.ts'
import { cutAtCommit, interferingPool } from './interfering-pool.ts'
import { openPostgres, rawSql } from './postgres-fixture.ts'
import { freshPath, rawRows, removeFolderOf } from './sqlite-fixture.ts'

export type Engine = 'sqlite' | 'postgres'

/** A store, and what became of its commits. */
export interface Watched {
  readonly store: Store
  /** Commits that were sent to the database. */
  readonly count: () => number
  /** Called before each commit is sent. */
  onCommit: () => void
  /** Of the next commits, which lose their answers: before they land, or after it. */
  losses: ('before' | 'after')[]
  readonly changesStored: () => Promise<number>
}

const COUNT = 'select count(*) as n from changes'

/** Opens a store of which so many changes share a commit at most. */
export async function watched(engine: Engine, changesPerCommit: number): Promise<Watched> {
  return engine === 'sqlite' ? watchedSqlite(changesPerCommit) : watchedPostgres(changesPerCommit)
}

async function watchedSqlite(changesPerCommit: number): Promise<Watched> {
  const path = freshPath()
  onTestFinished(() => removeFolderOf(path))
  await migrateSqlite(path)
  const file = { path, busyTimeoutMs: 50, migrations: sqliteMigrations }
  let commits = 0
  const listening = (connection: SqliteConnection): SqliteConnection => {
    const commit = connection.commit.bind(connection)
    connection.commit = () => {
      commits += 1
      opened.onCommit()
      const loss = opened.losses.shift()
      if (loss !== 'before') commit()
      if (loss === undefined) return
      const cause = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' })
      throw new CommitFailed('no answer', { cause })
    }
    return connection
  }
  const store = new KyselyStore({
    db: new Kysely({ dialect: sqliteDialect(new DummyDriver()) }),
    engine: new SqliteEngine(() => listening(connect(loadSqlite(), file)), { changesPerCommit }),
    time: clockTime({ now: () => 1 }),
    capabilities: sqliteCapabilities,
    onCorruptRow: () => {},
    witness: null,
    reconnects: new Reconnects(),
  })
  onTestFinished(() => store.close())
  const opened: Watched = {
    store,
    count: () => commits,
    onCommit: () => {},
    losses: [],
    changesStored: async () => rawRows<{ n: number }>(path, COUNT)[0]?.n ?? 0,
  }
  return opened
}

async function watchedPostgres(changesPerCommit: number): Promise<Watched> {
  const { url, schema, close } = await openPostgres()
  onTestFinished(close)
  let commits = 0
  let loss: 'before' | 'after' | undefined
  const pool = interferingPool(url, {
    async before(text, client) {
      if (text !== 'commit') return
      commits += 1
      opened.onCommit()
      loss = opened.losses.shift()
      if (loss === 'before') await cutAtCommit(url, client, 'before')
    },
    async after(text, client) {
      if (text !== 'commit' || loss !== 'after') return
      loss = undefined
      await cutAtCommit(url, client, 'after')
    },
  })
  const store = await postgresStore({ schema, pool, changesPerCommit })
  const opened: Watched = {
    store,
    count: () => commits,
    onCommit: () => {},
    losses: [],
    changesStored: async () => Number((await rawSql<{ n: string }>(url, schema, COUNT))[0]?.n),
  }
  return opened
}
