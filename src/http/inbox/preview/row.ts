// A row of something long: what it takes of a page is known before it is rendered, so that only what is shown costs anything.
import type { Html } from '../html.ts'

/** One row of a list or a table. */
export interface Row {
  /** What it takes as HTML at the most. */
  readonly bytes: number
  render(): Html
}

/** A row that is there already. */
export function rendered(row: Html): Row {
  return { bytes: Buffer.byteLength(row.toString()), render: () => row }
}
