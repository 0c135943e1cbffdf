// The file that a store is copied from: its tables as they are, whatever they are, and their rows in pages.
import type { Cell, CopiedTable, CopySide } from './copy-tables.ts'
import { quoted } from './postgres-settings.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

const PAGE_ROWS = 100

/** Every table with its stored columns; what is computed from others is left to whoever computes it. */
export function copiedTables(source: SqliteConnection): readonly CopiedTable[] {
  const sql = `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`
  const names = source.run({ sql, parameters: [] }).rows as readonly { readonly name: string }[]
  return names.map(({ name }) => {
    const columns = source.run({ sql: 'select name, pk from pragma_table_info(?) order by cid', parameters: [name] })
    const rows = columns.rows as readonly { readonly name: string; readonly pk: number }[]
    const key = rows.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
    return { name, columns: rows.map((column) => column.name), key: key.map((column) => column.name) }
  })
}

/** The rows of a file, within the transaction that its connection is in. */
export function sqliteSide(source: SqliteConnection): CopySide {
  return {
    async page(table, after) {
      const { sql, parameters } = pageQuery(table, after, () => '?')
      const { rows } = source.run({ sql, parameters })
      return rowsOf(table, rows)
    },
  }
}

/** A page of a table; an entry that only says that the store has moved stays where it is. */
export function pageQuery(
  { name, columns, key }: CopiedTable,
  after: readonly Cell[] | null,
  place: (number: number) => string,
): { readonly sql: string; readonly parameters: readonly Cell[] } {
  const keys = key.map(quoted).join(', ')
  const bounds = after === null ? [] : [`(${keys}) > (${after.map((_, index) => place(index + 1)).join(', ')})`]
  const own = name === 'restores' ? ['acknowledged_at is not null'] : []
  const where = [...bounds, ...own]
  return {
    sql: `select ${columns.map(quoted).join(', ')} from ${quoted(name)}${
      where.length === 0 ? '' : ` where ${where.join(' and ')}`
    } order by ${keys} limit ${PAGE_ROWS}`,
    parameters: after ?? [],
  }
}

/** Rows as lists, in the order of the columns. */
export function rowsOf({ columns }: CopiedTable, rows: readonly unknown[]): readonly (readonly Cell[])[] {
  return (rows as readonly Readonly<Record<string, Cell>>[]).map((row) => columns.map((column) => row[column] ?? null))
}
