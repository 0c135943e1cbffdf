// The limit of PostgreSQL for many changes at once: whatever steps are asked for share one statement over arrays.
import { Client } from 'pg'
import { guardOf, isCounter, type Place, placeOf, valueAt } from './bound-write.ts'
import type { Loop } from '../loop.ts'
import { eventNumbers, preparePostgresLoop, SEARCH_PATH } from './postgres-schema.ts'
import { ownValuesOf, type RecordedLifecycle } from './recorded-lifecycle.ts'
import type { Row, Value, Write } from './recorder.ts'
import { assertWritten } from './written.ts'

interface Waiting {
  readonly index: number
  readonly own: readonly string[]
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** One batch is under way at a time, and holds whatever was asked for meanwhile; it is one round trip and one commit. */
export async function postgresBatchLoop(url: string, recorded: RecordedLifecycle): Promise<Loop> {
  await preparePostgresLoop(url)
  const client = new Client({ connectionString: url, options: SEARCH_PATH })
  await client.connect()
  const groups = groupsOf(recorded)
  let waiting: Waiting[] = []
  let isRunning = false
  const send = async (batch: readonly Waiting[]): Promise<void> => {
    const present = groups.filter(({ rows }) => batch.some(({ index }) => rows[index] !== undefined))
    const arrays = present.flatMap(({ table, kind, columns, rows }): (number | Value[])[] => {
      const written = batch.flatMap(({ index, own }) => (rows[index] ?? []).map((places) => ({ places, own })))
      if (kind === 'count') return [written.length]
      if (table === 'changes' && written.length !== batch.length) throw new Error('A step without its change')
      return columns.map((_, at) => written.map(({ places, own }) => valueOf(places[at], own)))
    })
    const name = present.map(({ id }) => id).join('_')
    const { rows } = await client.query<{ changed: string }>({ name, text: textOf(present), values: arrays })
    const updates = present.filter(({ kind }) => kind === 'update')
    const expected = updates.reduce(
      (sum, { rows: of }) => sum + batch.reduce((n, { index }) => n + (of[index]?.length ?? 0), 0),
      0,
    )
    if (Number(rows[0]?.changed) !== expected) throw new Error('A row was not written')
  }
  const pump = async (): Promise<void> => {
    isRunning = true
    // Whoever asks in this turn of the event loop shares the first batch.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await send(batch)
        for (const { done } of batch) done()
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
      await new Promise(setImmediate)
    }
    isRunning = false
  }
  const asked = async (index: number, own: readonly string[]): Promise<void> => {
    await new Promise<void>((done, failed) => {
      waiting.push({ index, own, done, failed })
      if (!isRunning) pump().catch(failed)
    })
  }
  let started = 0
  let ended = 0
  return {
    async run() {
      started += 1
      const own = ownValuesOf(recorded, started)
      for (let index = 0; index < recorded.steps.length; index += 1) await asked(index, own)
      ended += 1
    },
    assertOnce: () => assertWritten(url, ended),
    close: () => client.end(),
  }
}

/** Writes of one kind to one table, in whichever steps: they share one set of arrays. */
interface Group {
  readonly id: string
  readonly table: string
  readonly kind: 'insert' | 'update' | 'count'
  readonly key: readonly string[]
  /** Of an update: what it sets, and what it demands. */
  readonly set: readonly string[]
  readonly guards: readonly string[]
  readonly columns: readonly string[]
  readonly types: readonly string[]
  /** Step by step, the rows; each with a place a column. */
  readonly rows: readonly (readonly (readonly Place[])[] | undefined)[]
}

function groupsOf(recorded: RecordedLifecycle): readonly Group[] {
  const all = recorded.steps.flatMap((step, index) => step.map((write) => ({ index, write })))
  const names = [...new Set(all.map(({ write }) => `${write.kind} ${write.table}`))]
  return names.map((name, number) => {
    const own = all.filter(({ write }) => `${write.kind} ${write.table}` === name)
    return groupOf(recorded, `g${number}`, own)
  })
}

function groupOf(
  recorded: RecordedLifecycle,
  id: string,
  writes: readonly { readonly index: number; readonly write: Write }[],
): Group {
  const [{ write: first } = { write: undefined }] = writes
  if (first === undefined) throw new TypeError('A group has a write')
  const rows: (readonly Place[])[][] = []
  const at = (index: number): (readonly Place[])[] => (rows[index] ??= [])
  const shape = { id, table: first.table, key: first.kind === 'update' ? Object.keys(first.key) : [] }
  if (isCounter(first)) {
    for (const { index } of writes) at(index).push([])
    return { ...shape, kind: 'count', set: ['admissions'], guards: [], columns: [], types: [], rows }
  }
  const set = unionOf(writes.map(({ write }) => write.values))
  const guards = unionOf(writes.map(({ write }) => (write.kind === 'update' ? guardOf(write) : {})))
  // A column that one step leaves alone is written again as it was left by the steps before.
  const left: Record<string, Value> = {}
  const values = writes.map(({ index, write }): { index: number; row: readonly Value[] } => {
    if (write.kind === 'insert') return { index, row: set.map((column) => write.values[column] ?? null) }
    Object.assign(left, write.before, write.values)
    const guard = guardOf(write)
    const row = [
      ...shape.key.map((column) => write.key[column] ?? null),
      ...set.map((column) => left[column] ?? null),
      ...guards.map((column) => guard[column] ?? null),
    ]
    return { index, row }
  })
  for (const { index, row } of values) at(index).push(row.map((value) => placeOf(recorded, value)))
  const columns = [...shape.key, ...set, ...guards.map((column) => `${column}_before`)]
  const types = columns.map((_, column) => typeOf(values.map(({ row }) => row[column] ?? null)))
  return { ...shape, kind: first.kind, set, guards, columns, types, rows }
}

function unionOf(rows: readonly Row[]): readonly string[] {
  const used = rows.flatMap((row) => Object.entries(row))
  const written = used.filter(
    ([column, value]) => value !== null || used.some(([name, one]) => name === column && one !== null),
  )
  return [...new Set(written.map(([column]) => column))]
}

function typeOf(values: readonly Value[]): string {
  const sample = values.find((value) => value !== null)
  if (typeof sample === 'number') return 'bigint[]'
  return sample instanceof Uint8Array ? 'bytea[]' : 'text[]'
}

function valueOf(place: Place | undefined, own: readonly string[]): Value {
  return place === undefined ? null : valueAt(place, own)
}

function textOf(groups: readonly Group[]): string {
  let parameter = 0
  const writes = groups.map((group): string => {
    const { id, table, kind, key, set, guards, columns, types } = group
    if (kind === 'count') {
      parameter += 1
      return `${id} as (update ${table} set admissions = admissions + $${parameter}::bigint where id = 1 returning 1)`
    }
    const arrays = types.map((type) => {
      parameter += 1
      return `$${parameter}::${type}`
    })
    const given = `unnest(${arrays.join(', ')}) as given (${columns.join(', ')})`
    if (kind === 'insert') {
      const more = Object.entries(eventNumbers(table))
      const names = [...columns, ...more.map(([column]) => column)].join(', ')
      return `${id} as (insert into ${table} (${names}) select ${[...columns, ...more.map(([, value]) => value)].join(', ')} from ${given} returning 1)`
    }
    const where = [
      ...key.map((column) => `kept.${column} = given.${column}`),
      ...guards.map((column) => `kept.${column} = given.${column}_before`),
    ]
    const assignments = set.map((column) => `${column} = given.${column}`).join(', ')
    return `${id} as (update ${table} as kept set ${assignments} from ${given} where ${where.join(' and ')} returning 1)`
  })
  const updates = groups.filter(({ kind }) => kind === 'update').map(({ id }) => `(select count(*) from ${id})`)
  return `with ${writes.join(', ')} select ${updates.length === 0 ? '0' : updates.join(' + ')} as changed`
}
