// Guards: what the database refuses by itself, in the one form from which each engine makes its triggers.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Capabilities } from '../capabilities.ts'

/** What is refused, and with which words. */
export interface Guard {
  readonly name: string
  readonly before: 'insert' | 'update' | 'delete'
  readonly on: string
  /** The rule is broken where this holds; always, if absent. */
  readonly when?: RawBuilder<SqlBool>
  /** The rule, as the error tells it. */
  readonly rule: string
}

/**
 * The guards of a table whose rows are only ever added. SQLite's `INSERT OR REPLACE` removes the old row without asking
 * a DELETE trigger, so the insertion itself must be refused. `same` finds the row that the new one would replace.
 */
export function appendOnly(on: string, same: RawBuilder<SqlBool>): readonly Guard[] {
  const exists = sql<SqlBool>`exists (select 1 from ${sql.table(on)} as kept where ${same})`
  return [
    { name: `${on}_not_replaced`, before: 'insert', on, when: exists, rule: `rows of ${on} are never replaced` },
    { name: `${on}_not_changed`, before: 'update', on, rule: `rows of ${on} are never changed` },
    { name: `${on}_not_deleted`, before: 'delete', on, rule: `rows of ${on} are never deleted` },
  ]
}

/** Whether the proposal that a row names has been erased: then, and only then, may what it says go. */
export function isErased(row: 'new' | 'old', column: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from proposals as erased where erased.tenant = ${sql.ref(`${row}.tenant`)}
    and erased.ref = ${sql.ref(`${row}.${column}`)} and erased.erasure = 'erased')`
}

/** Whether any of the columns has another value than before. */
export function isChanged({ differsFrom }: Capabilities, columns: readonly string[]): RawBuilder<SqlBool> {
  const changes = columns.map((column) => sql`${sql.ref(`new.${column}`)} ${differsFrom} ${sql.ref(`old.${column}`)}`)
  return sql<SqlBool>`(${sql.join(changes, sql` or `)})`
}
