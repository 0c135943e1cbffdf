// Strikes erased proposals off the list of those whose bytes may still be in the files.
import type { Kysely } from 'kysely'
import { changedBy, type Operation } from '../operation.ts'
import { statement } from '../statement.ts'
import type { Tables, UnscrubbedTable } from '../tables.ts'

/** The operation that strikes off exactly those that were on the list before the files were scrubbed. */
export type StrikeScrubbed = (scrubbed: readonly UnscrubbedTable[]) => Operation<void>

/** The write of the list over the statements of one database. */
export function scrubBook(db: Kysely<Tables>): StrikeScrubbed {
  const strike = statement((row: UnscrubbedTable) => {
    return db.deleteFrom('unscrubbed').where('tenant', '=', row.tenant).where('proposal', '=', row.proposal)
  })
  return function* strikeScrubbed(scrubbed) {
    for (const { tenant, proposal } of scrubbed) yield* changedBy(strike({ tenant, proposal }))
  }
}
