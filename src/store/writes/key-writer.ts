// Wraps keys anew in place: a key that is not the one that was read any more stays as it is.
import type { Kysely } from 'kysely'
import type { Reference } from '../../effect/reference.ts'
import type { WrappedKey } from '../../runtime/ports.ts'
import { changedBy, firstOf, type Operation } from '../operation.ts'
import type { Bytes, Tables } from '../tables.ts'
import { statement } from '../statement.ts'

/** The operation that replaces a wrapped key, and says whether the renewed one is stored now. */
export type Rewrap = (
  tenant: Reference,
  proposal: Reference,
  old: WrappedKey,
  renewed: WrappedKey,
) => Operation<boolean>

interface StoredWrapping {
  readonly tenant: string
  readonly proposal: string
  readonly version: string
  readonly wrapped: Bytes
}

/** The write of keys over the statements of one database. Never an insert: that could bring an erased key back. */
export function keyRewrapper(db: Kysely<Tables>): Rewrap {
  const replace = statement((key: StoredWrapping & { readonly oldVersion: string; readonly oldWrapped: Bytes }) => {
    return db
      .updateTable('keys')
      .set({ kek_version: key.version, wrapped: key.wrapped })
      .where('tenant', '=', key.tenant)
      .where('proposal', '=', key.proposal)
      .where('kek_version', '=', key.oldVersion)
      .where('wrapped', '=', key.oldWrapped)
  })
  const find = statement((key: StoredWrapping) => {
    return db
      .selectFrom('keys')
      .select('proposal')
      .where('tenant', '=', key.tenant)
      .where('proposal', '=', key.proposal)
      .where('kek_version', '=', key.version)
      .where('wrapped', '=', key.wrapped)
  })

  return function* rewrap(tenant, proposal, old, renewed) {
    const key = { tenant, proposal, version: renewed.kekVersion, wrapped: renewed.wrapped }
    const changed = yield* changedBy(replace({ ...key, oldVersion: old.kekVersion, oldWrapped: old.wrapped }))
    // Run again after a commit without an answer, it finds its own work.
    return changed === 1 || (yield* firstOf(find(key))) !== null
  }
}
