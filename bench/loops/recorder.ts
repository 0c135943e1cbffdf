// What is written to a SQLite file, commit by commit: the rows themselves, and which of their values are their own.
import Database from 'better-sqlite3'

/** What a column holds. */
export type Value = string | number | null | Uint8Array

export type Row = Readonly<Record<string, Value>>

/** A row that a commit wrote: a new one, or the columns that it changed in one that was there. */
export type Write =
  | { readonly kind: 'insert'; readonly table: string; readonly values: Row }
  | { readonly kind: 'update'; readonly table: string; readonly key: Row; readonly values: Row; readonly before: Row }

/** The writes of one commit, in the order of {@link TABLES}. */
export type Step = readonly Write[]

/** References grow with time, as ULIDs do; all others lie scattered over their index. */
export interface OwnValue {
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

/** Looks at the tables of a file after each commit. */
export class Recorder {
  readonly #reader: Database.Database
  #before: Contents

  constructor(file: string) {
    this.#reader = new Database(file, { readonly: true })
    this.#before = contents(this.#reader)
  }

  /** What was written since the last look. */
  step(): Step {
    const after = contents(this.#reader)
    const step = between(this.#before, after)
    this.#before = after
    return step
  }

  close(): void {
    this.#reader.close()
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

/** The values in these steps that no two lifecycles share. */
export function ownValues(steps: readonly Step[]): readonly OwnValue[] {
  const own = new Map<string, OwnValue>()
  for (const { values } of steps.flat()) {
    for (const [column, value] of Object.entries(values)) {
      const order = OWN.get(column)
      if (order !== undefined && typeof value === 'string') own.set(value, { value, order })
    }
  }
  return [...own.values()]
}
