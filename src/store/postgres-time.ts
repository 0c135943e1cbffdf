// The time of a PostgreSQL server: one clock for everybody who uses the database.
import { type Kysely, sql } from 'kysely'
import { firstOf } from './operation.ts'
import { statement } from './statement.ts'
import type { ReadTime } from './store-time.ts'
import type { Tables } from './tables.ts'

/** Not the time at which the transaction began: what was waited for in it counts. Spec: design D11. */
export function serverTime(db: Kysely<Tables>): ReadTime {
  const clock = statement((_: object) => {
    return db.selectNoFrom(sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`.as('now'))
  })
  return function* now() {
    const row = yield* firstOf(clock({}))
    if (row === null) throw new Error('A server tells the time')
    return row.now
  }
}
