// The writes of a recorded lifecycle as statements, with the places of what is another value each time.
import type { RecordedLifecycle } from './recorded-lifecycle.ts'
import type { Row, Value, Write } from './recorder.ts'

/** A value of every lifecycle, or the place of one of its own. */
export type Place =
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'own'; readonly index: number }

/** The place of a recorded value. */
export function placeOf({ own }: RecordedLifecycle, value: Value): Place {
  const index = own.findIndex((one) => one.value === value)
  return index === -1 ? { kind: 'constant', value } : { kind: 'own', index }
}

/** The value in a place, for the lifecycle with these own values. */
export function valueAt(place: Place, own: readonly string[]): Value {
  return place.kind === 'constant' ? place.value : (own[place.index] ?? null)
}

/** The columns that an update is conditional on beside its key, as they were before. */
export function guardOf(write: Extract<Write, { kind: 'update' }>): Row {
  const guards = Object.entries(write.before).filter(([column]) => column === 'revision' || column === 'version')
  return Object.fromEntries(guards)
}

/** SQL of one write; `place` gives the text of a parameter. */
export function sqlOf(
  write: Write,
  place: (value: Value) => string,
  more: Readonly<Record<string, string>> = {},
): string {
  if (write.kind === 'insert') {
    const columns = Object.entries(write.values).filter(([, value]) => value !== null)
    const names = [...columns.map(([column]) => column), ...Object.keys(more)]
    const values = [...columns.map(([, value]) => place(value)), ...Object.values(more)]
    return `insert into ${write.table} (${names.join(', ')}) values (${values.join(', ')})`
  }
  const set = Object.entries(write.values).map(([column, value]) => {
    if (isCounter(write)) return `${column} = ${column} + 1`
    return `${column} = ${place(value)}`
  })
  const where = Object.entries({ ...write.key, ...guardOf(write) }).map(
    ([column, value]) => `${column} = ${place(value)}`,
  )
  return `update ${write.table} set ${set.join(', ')} where ${where.join(' and ')}`
}

/** Whether a write only counts one up in a row that all lifecycles share. */
export function isCounter(write: Write): boolean {
  return write.table === 'store_counts'
}
