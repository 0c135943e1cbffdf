// Looks at what a schema of a PostgreSQL database is before it is used: new, ours, of another version, or somebody else's.
import { framed, sha256 } from '../effect/hash.ts'
import type { MigrationText } from './migration-texts.ts'
import type { PostgresTransaction } from './postgres-transaction.ts'

/** What the schema is; whatever is `refused` is so with the sentence. */
export type PostgresSchemaState =
  | { readonly kind: 'new' }
  | { readonly kind: 'current' }
  | { readonly kind: 'older'; readonly pending: readonly MigrationText[] }
  | { readonly kind: 'refused'; readonly sentence: string }

/**
 * SHA-256, hex, over what the migrations up to each have made, as {@link madeObjects} tells it. The catalog is asked for what
 * reads the same in every version of PostgreSQL, so the numbers are the same everywhere.
 */
export const SCHEMA_DIGESTS: Readonly<Record<string, string>> = {
  '0001_initial': '943a1419ba6bb45a8fcb4b6b89b2e5da7d5585598e4c0eb6f4e6390e38545198',
}

const BOOKS = ['schema_info', 'kysely_migration'] as const

const FOREIGN = refused('The schema of the database is that of another application.')
const INCOMPLETE = refused('The schema of the database is incomplete, or something else has changed it.')

/** Judges a schema against the migrations of this version, without changing anything. */
export async function postgresSchemaState(
  transaction: PostgresTransaction,
  schema: string,
  known: readonly MigrationText[],
): Promise<PostgresSchemaState> {
  const objects = await madeObjects(transaction, schema)
  if (objects.length === 0) return { kind: 'new' }
  const books = BOOKS.filter((table) => objects.some((object) => object.startsWith(`column ${table}.`)))
  if (books.length === 0) return FOREIGN
  if (books.length < BOOKS.length) return INCOMPLETE

  const ran = new Map(
    await rows<{ migration: string; checksum: string }>(
      transaction,
      'select migration, checksum from schema_info',
    ).then((all) => all.map(({ migration, checksum }) => [migration, checksum] as const)),
  )
  const listed = new Set(
    (await rows<{ name: string }>(transaction, 'select name from kysely_migration')).map(({ name }) => name),
  )
  const newer = [...ran.keys(), ...listed].find((name) => known.every((migration) => migration.name !== name))
  if (newer !== undefined) {
    return refused(`The database was made by a newer version of countersign: it has the migration ${newer}.`)
  }
  const changed = known.find(({ name, checksum }) => ran.has(name) && ran.get(name) !== checksum)
  if (changed !== undefined) {
    return refused(`The migration ${changed.name} of the database is not the one that this version knows.`)
  }
  const hasRan = known.filter(({ name }) => ran.has(name))
  const isInOrder = hasRan.every(({ name }, index) => name === known[index]?.name && listed.has(name))
  const last = hasRan.at(-1)
  if (!isInOrder || listed.size !== ran.size || last === undefined) return INCOMPLETE
  if (schemaDigest(objects) !== SCHEMA_DIGESTS[last.name]) return INCOMPLETE
  const pending = known.slice(hasRan.length)
  return pending.length === 0 ? { kind: 'current' } : { kind: 'older', pending }
}

/** The digest of what there is. */
export function schemaDigest(objects: readonly string[]): string {
  return Buffer.from(sha256(framed(objects))).toString('hex')
}

/**
 * Columns, constraints, functions and triggers of a schema, one a line, in order. An index that an operator has added does
 * no harm, so only the unique ones are told; a column, constraint, function or trigger that is missing or different does.
 */
export async function madeObjects(transaction: PostgresTransaction, schema: string): Promise<readonly string[]> {
  const found = await rows<{ told: string }>(transaction, OBJECTS, [schema])
  return found.map(({ told }) => told)
}

// The bodies of functions are kept as they were written. `tgenabled` is part of it: a trigger can be switched off.
const OBJECTS = `with made as (select oid from pg_catalog.pg_namespace where nspname = $1)
select told from (
  select concat('column ', r.relname, '.', a.attname, ' ', pg_catalog.format_type(a.atttypid, a.atttypmod), ' ',
    case when a.attnotnull then 'not null ' end, a.attgenerated::text, ' ', c.collname) as told
  from pg_catalog.pg_class r join pg_catalog.pg_attribute a on a.attrelid = r.oid and a.attnum > 0
    left join pg_catalog.pg_collation c on c.oid = a.attcollation
  where r.relnamespace = (select oid from made) and r.relkind in ('r', 'p', 'v', 'm', 'f') and not a.attisdropped
  union all
  select concat('constraint ', k.conname, ' ', k.contype::text, ' ', k.convalidated, k.condeferrable, k.condeferred)
  from pg_catalog.pg_constraint k where k.connamespace = (select oid from made) and k.contype in ('c', 'f', 'p', 'u')
  union all
  select concat('unique index ', i.relname, ' ', x.indisvalid) from pg_catalog.pg_index x
    join pg_catalog.pg_class i on i.oid = x.indexrelid
  where i.relnamespace = (select oid from made) and x.indisunique
  union all
  select concat('function ', p.proname, ' ', p.prosrc, ' ', p.proconfig is not null) from pg_catalog.pg_proc p
  where p.pronamespace = (select oid from made)
  union all
  select concat('trigger ', t.tgname, ' on ', r.relname, ' ', t.tgtype, t.tgenabled::text, ' ', p.proname)
  from pg_catalog.pg_trigger t join pg_catalog.pg_class r on r.oid = t.tgrelid
    join pg_catalog.pg_proc p on p.oid = t.tgfoid
  where r.relnamespace = (select oid from made) and not t.tgisinternal
) as objects order by told collate "C"`

async function rows<Row>(
  transaction: PostgresTransaction,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const { rows: found } = await transaction.run({ sql, parameters })
  return found as readonly Row[]
}

function refused(sentence: string): PostgresSchemaState {
  return { kind: 'refused', sentence }
}
