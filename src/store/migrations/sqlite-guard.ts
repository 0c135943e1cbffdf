// A guard in SQLite: a trigger that aborts the statement which breaks a rule.
import { type Kysely, sql } from 'kysely'
import type { Guard } from './guard.ts'

const EVENTS = { insert: sql`insert`, update: sql`update`, delete: sql`delete` }

/** Creates the triggers of guards. */
export async function createSqliteGuards(db: Kysely<unknown>, guards: readonly Guard[]): Promise<void> {
  for (const { name, before, on, when, rule } of guards) {
    const condition = when === undefined ? sql`` : sql`when ${when}`
    await sql`create trigger ${sql.id(name)} before ${EVENTS[before]} on ${sql.table(on)} ${condition}
begin select raise(abort, ${sql.lit(rule)}); end`.execute(db)
  }
}
