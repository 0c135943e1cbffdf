// Looks at what a database file is before it is used: new, ours, of another version, or somebody else's.
import type { MigrationText, Migrations } from './migration-texts.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteLibrary } from './sqlite-library.ts'
import { APPLICATION_ID, migrate, migrationTexts } from './sqlite-migrate.ts'
import type { Bound } from './statement.ts'

/** What the file is; whatever is `refused` is so with the sentence. */
export type SchemaState =
  | { readonly kind: 'new' }
  | { readonly kind: 'current' }
  | { readonly kind: 'older'; readonly pending: readonly MigrationText[] }
  | { readonly kind: 'refused'; readonly sentence: string }

const OBJECTS: Bound<{ name: string; sql: string | null }> = {
  sql: `select name, sql from sqlite_schema where name not like 'sqlite_%'`,
  parameters: [],
}
const LISTED: Bound<{ name: string }> = { sql: 'select name from kysely_migration', parameters: [] }
const RAN: Bound<{ migration: string; checksum: string }> = {
  sql: 'select migration, checksum from schema_info',
  parameters: [],
}

const FOREIGN = refused('The file is the database of another application.')
const INCOMPLETE = refused('The schema of the database is incomplete, or something else has changed it.')

/** Judges a file by its schema, against the migrations of this version, without changing anything. */
export async function schemaState(
  connection: SqliteConnection,
  library: SqliteLibrary,
  migrations: Migrations,
): Promise<SchemaState> {
  const applicationId = connection.pragma('application_id')
  const objects = schemaObjects(connection)
  if (applicationId === 0 && objects.size === 0) return { kind: 'new' }
  if (applicationId !== APPLICATION_ID) return FOREIGN
  if (!objects.has('schema_info') || !objects.has('kysely_migration')) return INCOMPLETE

  const ran = new Map(rows(connection, RAN).map(({ migration, checksum }) => [migration, checksum]))
  const listed = new Set(rows(connection, LISTED).map(({ name }) => name))
  const known = await migrationTexts(migrations)
  const newer = [...ran.keys(), ...listed].find((name) => known.every((migration) => migration.name !== name))
  if (newer !== undefined) {
    return refused(`The database was made by a newer version of countersign: it has the migration ${newer}.`)
  }
  const changed = known.find(({ name, checksum }) => ran.has(name) && ran.get(name) !== checksum)
  if (changed !== undefined) {
    return refused(`The migration ${changed.name} of the database is not the one that this version knows.`)
  }
  const hasRan = known.filter(({ name }) => ran.has(name))
  const pending = known.slice(hasRan.length)
  const isInOrder = hasRan.every(({ name }, index) => name === known[index]?.name && listed.has(name))
  if (!isInOrder || listed.size !== ran.size || hasRan.length === 0) return INCOMPLETE

  if (!isAsMade(objects, await objectsOf(library, migrations, hasRan))) return INCOMPLETE
  return pending.length === 0 ? { kind: 'current' } : { kind: 'older', pending }
}

function refused(sentence: string): SchemaState {
  return { kind: 'refused', sentence }
}

function rows<Row>(connection: SqliteConnection, query: Bound<Row>): readonly Row[] {
  return connection.run(query).rows as readonly Row[]
}

// Tables, indexes and triggers by name, with the statement that made each.
function schemaObjects(connection: SqliteConnection): ReadonlyMap<string, string | null> {
  return new Map(rows(connection, OBJECTS).map(({ name, sql }) => [name, sql]))
}

// An index that an operator has added does no harm; a table, index or trigger that is missing or different does.
function isAsMade(found: ReadonlyMap<string, string | null>, made: ReadonlyMap<string, string | null>): boolean {
  return [...made].every(([name, sql]) => found.get(name) === sql)
}

const objectsByChecksums = new Map<string, ReadonlyMap<string, string | null>>()

// What migrations make, found out by running them on a database in memory, once a process.
async function objectsOf(
  library: SqliteLibrary,
  migrations: Migrations,
  texts: readonly MigrationText[],
): Promise<ReadonlyMap<string, string | null>> {
  const checksums = texts.map(({ checksum }) => checksum).join()
  const known = objectsByChecksums.get(checksums)
  if (known !== undefined) return known
  const connection = new SqliteConnection(new library(':memory:'))
  try {
    const names = new Set(texts.map(({ name }) => name))
    await migrate(connection, Object.fromEntries(Object.entries(migrations).filter(([name]) => names.has(name))))
    const objects = schemaObjects(connection)
    objectsByChecksums.set(checksums, objects)
    return objects
  } finally {
    connection.close()
  }
}
