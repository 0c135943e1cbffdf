// The limits of SQLite: the rows of a lifecycle by prepared statements, in a transaction each or in shared ones.
import Database from 'better-sqlite3'
import { migrateSqlite } from 'countersign/sqlite'
import { type Place, placeOf, sqlOf, valueAt } from './bound-write.ts'
import type { Loop } from '../loop.ts'
import { ownValuesOf, type RecordedLifecycle } from './recorded-lifecycle.ts'
import type { Value } from './recorder.ts'
import { assertWrittenIn } from './written.ts'

/** A transaction for each of the five steps, whatever else is under way. */
export async function sqliteSerialLoop(file: string, recorded: RecordedLifecycle, triggers: boolean): Promise<Loop> {
  const { db, steps } = await opened(file, recorded, triggers)
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  return loopOf(db, recorded, async (index, own) => {
    begin.run()
    steps[index]?.(own)
    commit.run()
    // Others get their turn, as they would with anything that is awaited.
    await new Promise(setImmediate)
  })
}

interface Waiting {
  readonly index: number
  readonly own: readonly string[]
  readonly done: () => void
}

/** Steps that are asked for in one turn of the event loop share a commit; each is in a savepoint of its own. */
export async function sqliteGroupLoop(file: string, recorded: RecordedLifecycle, triggers: boolean): Promise<Loop> {
  const { db, steps } = await opened(file, recorded, triggers)
  // The journal of a savepoint would otherwise spill into a temporary file.
  db.pragma('temp_store = memory')
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const savepoint = db.prepare('savepoint change')
  const release = db.prepare('release change')
  let waiting: Waiting[] = []
  const flush = (): void => {
    const group = waiting
    waiting = []
    begin.run()
    for (const { index, own } of group) {
      savepoint.run()
      steps[index]?.(own)
      release.run()
    }
    commit.run()
    for (const { done } of group) done()
  }
  return loopOf(db, recorded, async (index, own) => {
    await new Promise<void>((done) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ index, own, done })
    })
  })
}

type RunStep = (own: readonly string[]) => void

async function opened(
  file: string,
  recorded: RecordedLifecycle,
  triggers: boolean,
): Promise<{ readonly db: Database.Database; readonly steps: readonly RunStep[] }> {
  await migrateSqlite(file)
  const db = new Database(file)
  // As our own store sets them.
  for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on', 'secure_delete = on'])
    db.pragma(pragma)
  if (!triggers) {
    const names = db.prepare(`select name from sqlite_schema where type = 'trigger'`).pluck().all() as string[]
    for (const name of names) db.exec(`drop trigger "${name}"`)
  }
  const steps = recorded.steps.map((step): RunStep => {
    const writes = step.map((write) => {
      const places: Place[] = []
      const sql = sqlOf(write, (value: Value) => {
        places.push(placeOf(recorded, value))
        return '?'
      })
      return { statement: db.prepare(sql), places }
    })
    return (own) => {
      for (const { statement, places } of writes) {
        const { changes } = statement.run(places.map((place) => valueAt(place, own)))
        if (changes !== 1) throw new Error('A row was not written')
      }
    }
  })
  return { db, steps }
}

function loopOf(
  db: Database.Database,
  recorded: RecordedLifecycle,
  step: (index: number, own: readonly string[]) => Promise<void>,
): Loop {
  let started = 0
  let ended = 0
  return {
    async run() {
      started += 1
      const own = ownValuesOf(recorded, started)
      for (let index = 0; index < recorded.steps.length; index += 1) await step(index, own)
      ended += 1
    },
    async assertOnce() {
      assertWrittenIn(db, ended)
    },
    async close() {
      db.close()
    },
  }
}
