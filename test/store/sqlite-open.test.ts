// Opening a SQLite store: every unsuitable file, folder and installation is one clear sentence, and nothing is overwritten.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/proposal/errors.ts'
import { migrateSqlite, sqliteStore } from '../../src/sqlite.ts'
import { loadSqlite } from '../../src/store/sqlite-library.ts'
import { connect } from '../../src/store/sqlite-open.ts'
import { inserting } from '../../src/testing/store-conformance/sample-changes.ts'
import { sampleProposal } from '../../src/testing/store-conformance/sample-proposals.ts'
import { commits, liveOf, prepared } from '../../src/testing/store-conformance/steps.ts'
import { startChild } from './processes/child.ts'
import { freshPath, rawSql, removeFolderOf } from './sqlite-fixture.ts'

const isRoot = process.getuid?.() === 0
const paths: string[] = []

function newPath(): string {
  const path = freshPath()
  paths.push(path)
  return path
}

afterEach(() => {
  for (const path of paths.splice(0)) removeFolderOf(path)
})

/** The sentence with which a store is refused, by its opening and by its migration alike. */
async function refusalOf(path: string): Promise<string> {
  const told = (error: unknown): string => {
    return error instanceof StoreUnavailable ? error.message.replace(` File: ${path}`, '') : String(error)
  }
  const opening = await sqliteStore(path, { busyTimeoutMs: 50 }).then(() => 'opened', told)
  const migrating = await migrateSqlite(path, { busyTimeoutMs: 50 }).then(() => 'migrated', told)
  expect(migrating).toBe(opening)
  return opening
}

/** A store with proposals in it, closed. */
async function filledStore(path: string): Promise<void> {
  const store = await sqliteStore(path)
  for (let index = 0; index < 20; index += 1) await prepared(store)
  await store.close()
}

describe('a file that is no store of ours', () => {
  it('is left as it was when it is the database of another application', async () => {
    const path = newPath()
    rawSql(path, `create table invoices (id integer primary key); insert into invoices values (1)`)
    const before = readFileSync(path)

    expect(await refusalOf(path)).toBe('The file is the database of another application.')

    expect(readFileSync(path).equals(before)).toBe(true)
  })

  it.each([
    ['text', 'hello, world\n'],
    ['a lot of text', 'hello, world\n'.repeat(1000)],
    ['half of the magic words', 'SQLite for'],
  ])('is left as it was when it is %s', async (_what, text) => {
    const path = newPath()
    writeFileSync(path, text)

    expect(await refusalOf(path)).toBe('The file is not a SQLite database.')

    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('is refused when it is a folder', async () => {
    const path = newPath()
    mkdirSync(path)

    expect(await refusalOf(path)).toBe('There is a folder in the place of the database file.')
  })

  it('is refused when it is no regular file', async () => {
    const path = newPath()
    symlinkSync('/dev/null', path)

    expect(await refusalOf(path)).toBe('What is in the place of the database is no regular file.')
  })

  it('is refused when there is no folder for it', async () => {
    const path = join(newPath(), 'deeper', 'store.db')

    expect(await refusalOf(path)).toBe(`The folder ${dirname(path)} does not exist.`)
  })

  it('is refused when its folder is a file', async () => {
    const folder = newPath()
    writeFileSync(folder, '')

    expect(await refusalOf(join(folder, 'store.db'))).toBe(`${folder} is no folder.`)
  })

  it.each(['', ':memory:', 'file:store.db?mode=memory', 'store.db '])('has a path, which "%s" is not', async (path) => {
    await expect(sqliteStore(path)).rejects.toThrow(TypeError)
  })
})

describe('a damaged store', () => {
  it.each([
    ['to less than its header', 20],
    ['to half a page', 1_000],
    ['to its first page', 4_096],
    ['in the middle', 80_000],
  ])('is refused when it was truncated %s', async (_what, bytes) => {
    const path = newPath()
    await filledStore(path)

    truncateSync(path, bytes)

    expect(await refusalOf(path)).toBe('The database file is damaged or truncated.')
  })

  it('is refused when it was overwritten', async () => {
    const path = newPath()
    await filledStore(path)

    writeFileSync(
      path,
      Buffer.concat([readFileSync(path).subarray(0, 100), Buffer.alloc(statSync(path).size - 100, 7)]),
    )

    expect(await refusalOf(path)).toBe('The database file is damaged or truncated.')
  })

  it.each([
    ['emptied', (path: string) => truncateSync(path, 0)],
    ['removed', (path: string) => unlinkSync(path)],
  ])('is refused when its file was %s beside its log, and the log is kept', async (_what, spoil) => {
    const path = newPath()
    const store = await sqliteStore(path)
    await prepared(store)
    const log = readFileSync(`${path}-wal`)
    expect(log.length).toBeGreaterThan(0)

    spoil(path)

    expect(await refusalOf(path)).toBe('The database file is empty or gone, but its write-ahead log is still there.')
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true)
    await store.close()
  })
})

describe('a folder or file that cannot be written', () => {
  const readOnly = async (path: string): Promise<string> => {
    // Root may write everywhere, so the store is opened by somebody who may not.
    const child = startChild(new URL('./processes/open.ts', import.meta.url), [path], { asNobody: isRoot })
    return (await child.rest()).join('\n')
  }

  it('is refused for a new store', async () => {
    const path = newPath()
    chmodSync(dirname(path), 0o555)

    expect(await readOnly(path)).toBe(`StoreUnavailable: The folder ${dirname(path)} cannot be written. File: ${path}`)
  })

  it('is refused for a store that is there, which keeps what it has', async () => {
    const path = newPath()
    const store = await sqliteStore(path)
    const { proposal } = await prepared(store)
    await store.close()
    chmodSync(dirname(path), 0o555)

    expect(await readOnly(path)).toContain('cannot be written.')

    chmodSync(dirname(path), 0o755)
    const again = await sqliteStore(path)
    expect((await liveOf(again, proposal)).proposal).toEqual(proposal)
    await again.close()
  })

  it('is refused for a file that may only be read', async () => {
    const path = newPath()
    await filledStore(path)
    chmodSync(path, 0o444)
    chmodSync(dirname(path), 0o777)

    expect(await readOnly(path)).toBe(`StoreUnavailable: The database file cannot be read and written. File: ${path}`)
  })
})

describe('a file that another process holds', () => {
  const locked = 'Another process holds the lock of the database longer than the busy timeout.'

  it('is refused after the busy timeout', async () => {
    const path = newPath()
    await migrateSqlite(path)
    const holder = new Database(path)
    holder.pragma('locking_mode = exclusive')
    holder.exec('begin exclusive; delete from kysely_migration_lock')

    expect(await refusalOf(path)).toBe(locked)

    holder.close()
    const store = await sqliteStore(path)
    await store.close()
  })

  it('takes no change until it is let go, and then takes it', async () => {
    const path = newPath()
    const store = await sqliteStore(path, { busyTimeoutMs: 50 })
    const kept = await prepared(store)
    const holder = new Database(path)
    holder.exec('begin immediate')
    const change = inserting(sampleProposal())

    await expect(store.commit(change)).rejects.toMatchObject({ name: 'StoreUnavailable', message: locked })
    expect(await liveOf(store, kept.proposal)).toEqual(kept)

    holder.close()
    await commits(store, change)
    await store.close()
  })
})

describe('an installation', () => {
  const openWith = async (script: string): Promise<string> => {
    const child = startChild(new URL('./processes/open.ts', import.meta.url), [newPath()], {
      node: ['--import', `data:text/javascript,${encodeURIComponent(script)}`],
    })
    return (await child.rest()).join('\n')
  }
  /** Lets nobody load the driver, and says what happens to whoever tries. */
  const withoutDriver = (reaction: string): string => `
    import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      if (specifier === 'better-sqlite3') { ${reaction} }
      return next(specifier, context)
    } })`

  it.each(['18.20.4', '20.19.0', '22.17.1'])('with Node %s is refused before the driver is loaded', async (version) => {
    const pretended = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`

    expect(await openWith(`${withoutDriver('process.abort()')}\n${pretended}`)).toBe(
      `StoreUnavailable: The SQLite store needs Node 22.18 or newer; this is Node ${version}.`,
    )
  })

  it.each(['22.18.0', '23.0.0', '100.1.0'])('with Node %s is fit', async (version) => {
    expect(await openWith(`Object.defineProperty(process.versions, 'node', { value: '${version}' })`)).toBe('opened')
  })

  it('without the driver is told what to install', async () => {
    expect(await openWith(withoutDriver(`throw new Error('not installed')`))).toBe(
      'StoreUnavailable: The SQLite store needs the package better-sqlite3: npm install better-sqlite3@13.',
    )
  })
})

describe('a store that is open', () => {
  it('keeps to synchronous=FULL, foreign keys and secure delete', async () => {
    const path = newPath()
    const store = await sqliteStore(path)
    await prepared(store)

    const connection = connect(loadSqlite(), { path, busyTimeoutMs: 50, migrations: {} })
    const state = ['journal_mode', 'synchronous', 'foreign_keys', 'secure_delete'].map((name) =>
      connection.pragma(name),
    )

    expect(state).toEqual(['wal', 2, 1, 1])
    connection.close()
    await store.close()
  })

  it.each([
    ['gone', () => {}],
    ['in the place of another one', (path: string) => copyFileSync(`${path}.aside`, path)],
  ])('acknowledges nothing while its file is %s, and goes on when it is back', async (_, replace) => {
    const path = newPath()
    const store = await sqliteStore(path)
    const kept = await prepared(store)
    const change = inserting(sampleProposal())
    renameSync(path, `${path}.aside`)
    replace(path)

    const sentence = 'The database file is gone, or another one is in its place; nothing is written to it.'
    await expect(store.health()).rejects.toThrow(sentence)
    await expect(store.commit(change)).rejects.toThrow(StoreUnavailable)

    renameSync(`${path}.aside`, path)
    await commits(store, change)
    expect(await liveOf(store, kept.proposal)).toEqual(kept)
    await store.close()
  })
})
