// What one real lifecycle leaves in the tables, commit by commit: the limit loops write the same rows again.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { sqliteStore } from 'countersign/sqlite'
import { finance, openTransfers, support, transferNamed } from '../lifecycles.ts'

/** What a column holds. */
export type Value = string | number | null | Uint8Array

export type Row = Readonly<Record<string, Value>>

/** A row that a commit wrote: a new one, or the columns that it changed in one that was there. */
export type Write =
  | { readonly kind: 'insert'; readonly table: string; readonly values: Row }
  | { readonly kind: 'update'; readonly table: string; readonly key: Row; readonly values: Row; readonly before: Row }

/** The writes of one commit, in the order of {@link TABLES}. */
export type Step = readonly Write[]

/** The five commits of a lifecycle, and the values in them that are its own. */
export interface RecordedLifecycle {
  readonly steps: readonly Step[]
  /** What must be another value in every lifecycle, since something is unique on it. */
  readonly own: readonly OwnValue[]
}

/** References grow with time, as ULIDs do; all others lie scattered over their index. */
interface OwnValue {
  readonly value: string
  readonly order: 'growing' | 'scattered'
}

/** Every table that a lifecycle writes, with its key, in an order that foreign keys and triggers allow. */
const TABLES = {
  changes: ['tenant', 'change_id'],
  proposals: ['tenant', 'ref'],
  keys: ['tenant', 'proposal'],
  request_keys: ['tenant', 'hash'],
  approvals: ['tenant', 'proposal', 'number'],
  receipts: ['tenant', 'proposal', 'sequence'],
  attempts: ['tenant', 'domain', 'reference', 'number'],
  effects: ['tenant', 'domain', 'reference'],
  observations: ['tenant', 'domain', 'reference', 'sequence'],
  events: ['position'],
  store_counts: ['id'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Columns that the database fills. */
const FILLED: readonly string[] = ['position', 'receipt_sequence']

/** Columns whose values no two lifecycles share. */
const OWN: ReadonlyMap<string, OwnValue['order']> = new Map([
  ['ref', 'growing'],
  ['approval_id', 'growing'],
  ['effect_reference', 'scattered'],
  ['change_id', 'scattered'],
  ['idempotency_key', 'scattered'],
  ['token', 'scattered'],
])

/** Runs a real lifecycle on a real SQLite file and looks at the tables after each of its commits. */
export async function recordedLifecycle(): Promise<RecordedLifecycle> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
  const file = join(folder, 'recorded.db')
  const store = await sqliteStore(file)
  const reader = new Database(file, { readonly: true })
  try {
    const { runtime, action } = await openTransfers(store)
    let before = contents(reader)
    const steps: Step[] = []
    const committed = (): void => {
      const after = contents(reader)
      steps.push(between(before, after))
      before = after
    }
    const { proposal, commitment } = await runtime.prepare(support, transferNamed('transfer to record'))
    committed()
    await runtime.approve(finance, proposal, { commitment })
    committed()
    // It was admitted in one commit, and its outcome comes in another.
    action.onExecute = committed
    await runtime.execute(support, proposal)
    committed()
    const { status } = await runtime.reconcile(support, proposal, { now: true })
    committed()
    assert.equal(status, 'verified')
    assert.deepEqual(
      steps.map((step) => step.filter(({ table }) => table === 'changes').length),
      [1, 1, 1, 1, 1],
    )
    return { steps, own: ownValues(steps) }
  } finally {
    reader.close()
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

type Contents = ReadonlyMap<string, ReadonlyMap<string, Row>>

function contents(reader: Database.Database): Contents {
  const tables = Object.entries(TABLES).map(([table, key]): [string, Map<string, Row>] => {
    const rows = reader.prepare(`select * from ${table}`).all() as Row[]
    return [table, new Map(rows.map((row) => [JSON.stringify(key.map((column) => row[column])), row]))]
  })
  return new Map(tables)
}

function between(before: Contents, after: Contents): Step {
  return Object.entries(TABLES).flatMap(([table, key]) => {
    const known = before.get(table)
    return [...(after.get(table) ?? [])].flatMap(([name, row]): Write[] => {
      const old = known?.get(name)
      if (old === undefined) return [{ kind: 'insert', table, values: without(row, FILLED) }]
      const changed = Object.keys(row).filter(
        (column) => !sameValue(row[column], old[column]) && !FILLED.includes(column),
      )
      if (changed.length === 0) return []
      return [{ kind: 'update', table, key: only(row, key), values: only(row, changed), before: only(old, changed) }]
    })
  })
}

function sameValue(one: Value | undefined, other: Value | undefined): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0
  return one === other
}

function only(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
}

function without(row: Row, columns: readonly string[]): Row {
  return only(
    row,
    Object.keys(row).filter((column) => !columns.includes(column)),
  )
}

function ownValues(steps: readonly Step[]): readonly OwnValue[] {
  const own = new Map<string, OwnValue>()
  for (const { values } of steps.flat()) {
    for (const [column, value] of Object.entries(values)) {
      const order = OWN.get(column)
      if (order !== undefined && typeof value === 'string') own.set(value, { value, order })
    }
  }
  return [...own.values()]
}

/** The own values of the n-th lifecycle, each as long as the one that was recorded. */
export function ownValuesOf({ own }: RecordedLifecycle, n: number): readonly string[] {
  // Odd, so that no two numbers below 2 ** 32 are scattered to one place.
  const scattered = (Math.imul(n, 0x9e_37_79_b1) >>> 0).toString(36).padStart(7, '0')
  const growing = n.toString(36).padStart(7, '0')
  return own.map(({ value, order }) => {
    return order === 'growing' ? value.slice(0, -7) + growing : scattered + value.slice(7)
  })
}
