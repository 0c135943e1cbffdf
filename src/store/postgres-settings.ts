// The opening statements of transactions: isolation, and every setting that the store relies on, for one transaction only.

/** The statements that open a transaction, sent at once. */
export interface Openings {
  readonly read: string
  readonly write: string
  /** Of a write that others share: it gives up sooner, so that none waits long for the row of another. */
  readonly shared: string
}

/** Commits that are as durable as they must be; anything less is refused (rules R15). */
export const DURABLE = ['on', 'remote_apply'] as const
export type Durability = (typeof DURABLE)[number]

const LOCK_LIMIT_MS = 5_000
/** Shorter than the second after which a server looks for a deadlock. */
const SHARED_LOCK_LIMIT_MS = 300
const STATEMENT_LIMIT_MS = 20_000
/** After which the server lets go of what a client holds that has vanished within a transaction. */
const IDLE_LIMIT_MS = 20_000

/**
 * Nothing is set for longer than a transaction, since behind a pooler the next one may meet another server process. The
 * temporary schema comes last, so that no temporary table can stand in for one of ours. A read sees one moment.
 */
export function openings(schema: string, durability: Durability): Openings {
  const settings = (lockLimitMs: number): string => `${searchPath(schema)};
set local bytea_output to hex;
set local statement_timeout to ${STATEMENT_LIMIT_MS};
set local idle_in_transaction_session_timeout to ${IDLE_LIMIT_MS};
set local lock_timeout to ${lockLimitMs}`
  const write = (lockLimitMs: number): string => `begin isolation level read committed read write;
${settings(lockLimitMs)};\nset local synchronous_commit to ${durability}`
  return {
    read: `begin isolation level repeatable read read only;\n${settings(LOCK_LIMIT_MS)}`,
    write: write(LOCK_LIMIT_MS),
    shared: write(SHARED_LOCK_LIMIT_MS),
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
