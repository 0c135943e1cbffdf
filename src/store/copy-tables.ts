// Copying a store: every table, row by row in the order of its key, with one digest of each table on either side.
import { createHash, type Hash } from 'node:crypto'

/** A value in a row, whichever driver read it. */
export type Cell = string | number | bigint | Uint8Array | null

/** A table by its columns, of which the first `keys` in the order of `key` identify a row. */
export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly key: readonly string[]
}

/** One side of a copy. Rows come in the order of their key, compared byte by byte. */
export interface CopySide {
  /** The rows after the one with this key, as many as are to be held at once; no rows after the last one. */
  page(table: CopiedTable, after: readonly Cell[] | null): Promise<readonly (readonly Cell[])[]>
}

/** What a table holds: so that two can be held against each other without holding either. */
export interface TableDigest {
  readonly table: string
  readonly rows: number
  readonly sha256: string
}

/** Goes through a table a page at a time; each is handed on before the next one is read. */
export async function digestTable(
  side: CopySide,
  table: CopiedTable,
  onPage: (rows: readonly (readonly Cell[])[]) => Promise<void> = async () => {},
): Promise<TableDigest> {
  const hash = createHash('sha256')
  const places = table.key.map((column) => table.columns.indexOf(column))
  let rows = 0
  let after: readonly Cell[] | null = null
  for (;;) {
    const page = await side.page(table, after)
    const last = page.at(-1)
    if (last === undefined) return { table: table.name, rows, sha256: hash.digest('hex') }
    for (const row of page) addRow(hash, row)
    rows += page.length
    await onPage(page)
    after = places.map((place) => last[place] ?? null)
  }
}

// Each value with its type and length before it: no two rows read alike.
function addRow(hash: Hash, row: readonly Cell[]): void {
  for (const cell of row) {
    if (cell === null) hash.update('n')
    else if (cell instanceof Uint8Array) hash.update(`b${cell.byteLength}:`).update(cell)
    else if (typeof cell === 'string') hash.update(`t${Buffer.byteLength(cell)}:`).update(cell)
    else hash.update(`i${cell};`)
  }
}
