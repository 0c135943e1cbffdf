// The opening statements of transactions: isolation, and every setting that the store relies on, for one transaction only.

/** The statements that open a transaction, sent at once. */
export interface Openings {
  readonly read: string
  readonly write: string
}

/** Commits that are as durable as they must be; anything less is refused (rules R15). */
export const DURABLE = ['on', 'remote_apply'] as const
export type Durability = (typeof DURABLE)[number]

const LOCK_LIMIT_MS = 5_000
const STATEMENT_LIMIT_MS = 20_000
/** After which the server lets go of what a client holds that has vanished within a transaction. */
const IDLE_LIMIT_MS = 20_000

/**
 * Nothing is set for longer than a transaction, since behind a pooler the next one may meet another server process. The
 * temporary schema comes last, so that no temporary table can stand in for one of ours. A read sees one moment.
 */
export function openings(schema: string, durability: Durability): Openings {
  const settings = `${searchPath(schema)};
set local bytea_output to hex;
set local statement_timeout to ${STATEMENT_LIMIT_MS};
set local idle_in_transaction_session_timeout to ${IDLE_LIMIT_MS};
set local lock_timeout to ${LOCK_LIMIT_MS}`
  return {
    read: `begin isolation level repeatable read read only;\n${settings}`,
    write: `begin isolation level read committed read write;\n${settings};\nset local synchronous_commit to ${durability}`,
  }
}

/** Where names are looked up until the end of a transaction. */
function searchPath(schema: string): string {
  return `set local search_path to ${quoted(schema)}, pg_temp`
}

/** A name as it stands in SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
