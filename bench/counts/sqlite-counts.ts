// Counts on SQLite: every statement that the driver runs, and every transaction that wrote.
import Database from 'better-sqlite3'
import { sqliteStore } from 'countersign/sqlite'
import { lifecycles } from '../lifecycles.ts'
import { inLanes } from './in-lanes.ts'
import { kindOf } from './statement-kind.ts'

/** What one lifecycle takes, on the average. */
export interface SqliteCounts {
  /** Commits of transactions that changed a row: only they are synced. */
  readonly commits: number
  /** Statements that read or write rows. */
  readonly statements: number
  /** Statements that open and end transactions and savepoints. */
  readonly control: number
}

/** Runs lifecycles on a new file, and counts from the moment at which every statement has run once. */
export async function sqliteCounts(file: string, inFlight: number, units: number): Promise<SqliteCounts> {
  const loop = await lifecycles(await sqliteStore(file))
  await inLanes(inFlight, inFlight, loop.run)
  const counter = countStatements()
  try {
    await inLanes(units, inFlight, loop.run)
  } finally {
    counter.stop()
  }
  await loop.assertOnce()
  await loop.close()
  const { commits, data, control } = counter.counted
  return { commits: commits / units, statements: data / units, control: control / units }
}

interface Counter {
  readonly counted: { commits: number; data: number; control: number }
  readonly stop: () => void
}

const METHODS = ['run', 'all', 'get', 'iterate'] as const

// The driver's statements are told of on their way, whoever prepared them; what they do is not touched.
function countStatements(): Counter {
  const database = new Database(':memory:')
  const statements = Object.getPrototypeOf(database.prepare('select 1')) as Database.Statement
  database.close()
  const counted = { commits: 0, data: 0, control: 0 }
  let hasChanged = false
  const count = ({ source: sql, readonly: isRead }: Database.Statement, result: unknown): void => {
    const kind = kindOf(sql)
    if (kind === 'data') {
      counted.data += 1
      hasChanged ||= !isRead && changesOf(result) > 0
      return
    }
    counted.control += 1
    if (kind === 'commit' && hasChanged) counted.commits += 1
    if (kind === 'commit' || sql === 'rollback') hasChanged = false
  }
  const originals = METHODS.map((method) => [method, Reflect.get(statements, method) as unknown] as const)
  for (const [method, original] of originals) {
    Reflect.set(statements, method, function counting(this: Database.Statement, ...values: unknown[]): unknown {
      const result: unknown = Reflect.apply(original as (...given: unknown[]) => unknown, this, values)
      count(this, result)
      return result
    })
  }
  return {
    counted,
    stop() {
      for (const [method, original] of originals) Reflect.set(statements, method, original)
    },
  }
}

/** How many rows a statement has changed, as it says itself or by the rows that it returned of them. */
function changesOf(result: unknown): number {
  if (Array.isArray(result)) return result.length
  return typeof result === 'object' && result !== null && 'changes' in result ? Number(result.changes) : 0
}
