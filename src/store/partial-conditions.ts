// The conditions of partial indexes: one text for the index and for the queries that are to use it.
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Literals and no parameters: an engine uses a partial index only where the query repeats its condition word by word. */
export const statusIsOpen: RawBuilder<SqlBool> = sql<SqlBool>`status in ('awaiting_approval', 'approved')`

/** Proposals whose effect may be happening, or may have happened. */
export const statusIsInDoubt: RawBuilder<SqlBool> = sql<SqlBool>`status in ('executing', 'verification_pending', 'failed_unknown')`

/** Live proposals whose erasure was asked for. */
export const erasureIsOpen: RawBuilder<SqlBool> = sql<SqlBool>`erasure in ('requested', 'pending')`

/** Proposals that ask for a person. */
export const needsPerson: RawBuilder<SqlBool> = sql<SqlBool>`(status = 'verification_unresolved' or attention <> '[]')`

/** Approved proposals, which may be executed. */
export const isApproved: RawBuilder<SqlBool> = sql<SqlBool>`status = 'approved'`

/** Attempts that were started for a proposal and not ended. */
export const attemptIsOpen: RawBuilder<SqlBool> = sql<SqlBool>`ended_at is null and proposal is not null`

/** Proposals whose effect is settled, and whose content nobody has asked to go. */
export const isSettledAndKept: RawBuilder<SqlBool> = sql<SqlBool>`settled_at is not null and erasure = 'none'`

/** Likewise of those that were closed without an effect. */
export const isClosedAndKept: RawBuilder<SqlBool> = sql<SqlBool>`closed_at is not null and erasure = 'none'`

/** Queues of deliveries that are tried, now or later. */
export const deliveryIsLive: RawBuilder<SqlBool> = sql<SqlBool>`due_at is not null`

/** Queues of deliveries that are not tried any more. */
export const deliveryIsDead: RawBuilder<SqlBool> = sql<SqlBool>`dead_at is not null`
