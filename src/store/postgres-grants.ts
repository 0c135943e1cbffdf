// The SQL that lets other roles than the owner use a schema: one that runs, one that erases, one that reads.
import { quoted } from './postgres-settings.ts'

/** The roles, which must exist. */
export interface PostgresRoles {
  /** Everything but erasure. */
  readonly runtime: string
  /** What the runtime may, and erasure. */
  readonly retention: string
  /** Reads everything but the wrapped keys. */
  readonly readOnly: string
}

/** Roles by the names that nobody has to choose. */
export const POSTGRES_ROLES: PostgresRoles = {
  runtime: 'countersign_runtime',
  retention: 'countersign_retention',
  readOnly: 'countersign_read_only',
}

const WRITTEN = [
  'proposals',
  'approvals',
  'receipts',
  'keys',
  'request_keys',
  'effects',
  'attempts',
  'observations',
  'calls',
  'call_attempts',
  'events',
  'delivery_endpoints',
  'deliveries',
  'changes',
  'action_domains',
  'restores',
] as const
const READ = ['unscrubbed', 'schema_info', 'kysely_migration', 'store_identity', 'store_counts'] as const
const CHANGED = [
  'proposals',
  'keys',
  'effects',
  'attempts',
  'calls',
  'call_attempts',
  'delivery_endpoints',
  'deliveries',
  'store_identity',
  'store_counts',
] as const
const ERASED = ['approvals', 'keys', 'proposals', 'receipts', 'attempts', 'observations', 'effects'] as const

/**
 * The statements, in the order in which the owner of the schema runs them. Nobody but the owner may change the schema or
 * pass its guards, and nobody but the owner can acknowledge a restore (rules R15). Rewriting tables after an erasure is
 * granted from PostgreSQL 17 on; before, only the owner can, and scrubbing stays busy for everybody else.
 */
export function postgresGrants(schema: string, roles: PostgresRoles = POSTGRES_ROLES): readonly string[] {
  const on = (tables: readonly string[]): string => tables.map((table) => `${quoted(schema)}.${table}`).join(', ')
  const runtime = quoted(roles.runtime)
  const retention = quoted(roles.retention)
  const readOnly = quoted(roles.readOnly)
  const readable = [...WRITTEN, ...READ].filter((table) => table !== 'keys')
  return [
    `grant usage on schema ${quoted(schema)} to ${runtime}, ${retention}, ${readOnly}`,
    `grant select on ${on(readable)} to ${readOnly}`,
    `grant select, insert on ${on(WRITTEN)} to ${runtime}, ${retention}`,
    `grant select on ${on(READ)} to ${runtime}, ${retention}`,
    `grant update on ${on(CHANGED)} to ${runtime}, ${retention}`,
    // A guarded call that was never started is released, and a queue goes when all of it is delivered.
    `grant delete on ${on(['effects', 'deliveries'])} to ${runtime}, ${retention}`,
    `grant usage on sequence ${on(['events_positions'])} to ${runtime}, ${retention}`,
    `grant update on ${on(['receipts', 'observations'])} to ${retention}`,
    `grant delete on ${on(['keys', 'approvals', 'unscrubbed'])} to ${retention}`,
    `grant insert on ${on(['unscrubbed'])} to ${retention}`,
    `do $grant$
begin
  if current_setting('server_version_num')::integer >= 170000 then
    execute $maintain$grant maintain on ${on(ERASED)} to ${retention}$maintain$;
  end if;
end
$grant$`,
  ]
}
