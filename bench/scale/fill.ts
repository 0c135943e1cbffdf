// Fills the tables of a store with proposals: rows that real ones have left, again and again with values of their own.
import type { Value } from '../loops/recorder.ts'
import type { Template } from './templates.ts'

/** How an engine says the few things that they say differently. */
export interface Dialect {
  /** A query of the numbers from 1, as `n`; its end is the one parameter. */
  readonly numbers: (count: number) => string
  readonly text: (value: string) => string
  readonly bytes: (value: Uint8Array) => string
  /** The number in decimal digits, with leading zeros. */
  readonly digits: (expression: string, width: number) => string
  /** Likewise in hexadecimal ones. */
  readonly hex: (expression: string, width: number) => string
  /** The value of the column that numbers events, where the engine does not do so itself. */
  readonly position: string | null
}

/** In the order in which they are to be run, with triggers off. */
export function fillStatements(templates: readonly Template[], size: number, dialect: Dialect): readonly string[] {
  const statements = templates.flatMap((template) => {
    return template.rows.map(({ table, values }) => {
      const columns = Object.entries(values).filter(([, value]) => value !== null)
      const names = columns.map(([column]) => column)
      const expressions = columns.map(([column, value]) => expressionOf(template, column, value, dialect))
      if (table === 'events' && dialect.position !== null) {
        names.push('position')
        expressions.push(dialect.position)
      }
      return `insert into ${table} (${names.join(', ')}) select ${expressions.join(', ')} from (${dialect.numbers(template.count(size))}) as numbers`
    })
  })
  return [...statements, 'update store_counts set admissions = (select count(*) from attempts)']
}

/** Later than any number that is no time. */
const TIMES = 1_000_000_000_000

/** Times that lie in the future of a proposal that waits. */
const LATER: ReadonlySet<string> = new Set(['expires_at', 'verify_due_at', 'verify_lease_until', 'lease_until'])

function expressionOf({ own, shiftMs, laterMs }: Template, column: string, value: Value, dialect: Dialect): string {
  if (value instanceof Uint8Array) return dialect.bytes(value)
  if (typeof value === 'number') {
    if (value < TIMES) return `${value}`
    // No two are of one instant, or an index by time would be one of a single time.
    return `${value + shiftMs + (LATER.has(column) ? laterMs : 0)} + n`
  }
  if (value === null) return 'null'
  const mine = own.find((one) => one.value === value)
  if (mine === undefined) return dialect.text(value)
  if (mine.order === 'growing') return `${dialect.text(value.slice(0, -7))} || ${dialect.digits('n', 7)}`
  // Odd, so that no two numbers are scattered to one place; what comes before it says only of which kind the value is.
  const scattered = dialect.hex('((n * 2654435761) & 4294967295)', 8)
  return `${dialect.text(value.slice(0, 3))} || ${scattered} || ${dialect.text(value.slice(11))}`
}
