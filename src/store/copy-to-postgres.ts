// The schema that a store is copied to: rows in pages, written in an order in which what is referred to comes first.
import type { Cell, CopiedTable, CopySide } from './copy-tables.ts'
import { pageQuery, rowsOf } from './copy-from-sqlite.ts'
import { quoted } from './postgres-settings.ts'
import type { PostgresTransaction } from './postgres-transaction.ts'

/** The rows of the schema within a transaction. */
export function postgresSide(transaction: PostgresTransaction): CopySide {
  return {
    async page(table, after) {
      const { sql, parameters } = pageQuery(table, after, (number) => `$${number}`)
      const { rows } = await transaction.run({ sql, parameters })
      return rowsOf(table, rows)
    },
  }
}

/** Writes a page of rows in one statement. */
export async function writePage(
  transaction: PostgresTransaction,
  { name, columns }: CopiedTable,
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const width = columns.length
  const values = rows.map((row, index) => `(${row.map((_, place) => `$${index * width + place + 1}`).join(', ')})`)
  const sql = `insert into ${quoted(name)} (${columns.map(quoted).join(', ')}) values ${values.join(', ')}`
  await transaction.run({ sql, parameters: rows.flat().map(asParameter) })
}

function asParameter(cell: Cell): unknown {
  return cell instanceof Uint8Array ? Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength) : cell
}

/** The tables, those first that others refer to with a key that is looked at at once. */
export async function inOrderOfReferences(
  transaction: PostgresTransaction,
  tables: readonly CopiedTable[],
): Promise<readonly CopiedTable[]> {
  const sql = `select child.relname as child, parent.relname as parent from pg_catalog.pg_constraint k
    join pg_catalog.pg_class child on child.oid = k.conrelid join pg_catalog.pg_class parent on parent.oid = k.confrelid
    where k.contype = 'f' and not k.condeferrable and child.oid <> parent.oid
    and k.connamespace = (select oid from pg_catalog.pg_namespace where nspname = current_schema())`
  const { rows } = await transaction.run({ sql, parameters: [] })
  const references = rows as readonly { readonly child: string; readonly parent: string }[]
  const ordered: CopiedTable[] = []
  while (ordered.length < tables.length) {
    const missing = new Set(tables.filter((table) => !ordered.includes(table)).map(({ name }) => name))
    const waiting = new Set(references.filter(({ parent }) => missing.has(parent)).map(({ child }) => child))
    const ready = tables.filter(({ name }) => missing.has(name) && !waiting.has(name))
    if (ready.length === 0) throw new Error('the tables refer to each other in a circle')
    ordered.push(...ready)
  }
  return ordered
}
