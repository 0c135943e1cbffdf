// The conditions of partial indexes: one text for the index and for the queries that are to use it.
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Literals and no parameters: an engine uses a partial index only where the query repeats its condition word by word. */
export const statusIsOpen: RawBuilder<SqlBool> = sql<SqlBool>`status in ('awaiting_approval', 'approved')`

/** Live proposals whose erasure was asked for. */
export const erasureIsOpen: RawBuilder<SqlBool> = sql<SqlBool>`erasure in ('requested', 'pending')`

/** Proposals that ask for a person. */
export const needsPerson: RawBuilder<SqlBool> = sql<SqlBool>`(status = 'verification_unresolved' or attention <> '[]')`
