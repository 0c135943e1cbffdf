// Looks at what a database file is before it is used: new, ours, of another version, or somebody else's.
import { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteLibrary } from './sqlite-library.ts'
import { APPLICATION_ID, type MigrationText, migrate, migrationTexts } from './sqlite-migrate.ts'
import type { Bound } from './statement.ts'

/** What the file is; whatever is none of the first two is refused with the sentence. */
export type SchemaState =
  | { readonly kind: 'new' }
  | { readonly kind: 'current' }
  | { readonly kind: 'older'; readonly pending: readonly MigrationText[] }
  | { readonly kind: 'refused'; readonly sentence: string }

const refused = (sentence: string): SchemaState => ({ kind: 'refused', sentence })

/** Judges the schema without changing anything. */
export async function schemaState(connection: SqliteConnection, library: SqliteLibrary): Promise<SchemaState> {
  const applicationId = connection.pragma('application_id')
  const objects = schemaObjects(connection)
  if (applicationId === 0 && objects.size === 0) return { kind: 'new' }
  if (applicationId !== APPLICATION_ID) return refused('The file is the database of another application.')
  if (!objects.has('schema_info') || !objects.has('kysely_migration')) return refused(HALF_MIGRATED)

  const ran = new Map(rows(connection, RAN).map((row) => [row.migration, row.checksum]))
  const listed = rows(connection, LISTED).map(({ name }) => name)
  const known = await migrationTexts()
  const newer = [...ran.keys(), ...listed].find((name) => known.every((migration) => migration.name !== name))
  if (newer !== undefined) {
    return refused(`The database was made by a newer version of countersign (it has the migration ${newer}).`)
  }
  if (listed.length !== ran.size || !listed.every((name) => ran.has(name))) return refused(HALF_MIGRATED)
  const changed = known.find(({ name, checksum }) => ran.has(name) && ran.get(name) !== checksum)
  if (changed !== undefined) {
    return refused(
      `The migration ${changed.name} of the database is not the one that this version of countersign knows.`,
    )
  }
  const pending = known.filter(({ name }) => !ran.has(name))
  if (pending.length > 0) return { kind: 'older', pending }
  return isAsMade(objects, await expectedObjects(library)) ? { kind: 'current' } : refused(HALF_MIGRATED)
}

const OBJECTS: Bound<{ name: string; sql: string | null }> = {
  sql: 'select name, sql from sqlite_schema',
  parameters: [],
}
const LISTED: Bound<{ name: string }> = { sql: 'select name from kysely_migration', parameters: [] }
const RAN: Bound<{ migration: string; checksum: string }> = {
  sql: 'select migration, checksum from schema_info',
  parameters: [],
}

const HALF_MIGRATED =
  'The schema of the database is incomplete or was changed by something else; a backup or the migration log tells what is missing.'

function rows<Row>(connection: SqliteConnection, query: Bound<Row>): readonly Row[] {
  return connection.run(query).rows as readonly Row[]
}

// Tables, indexes and triggers by name, with the statement that made each.
function schemaObjects(connection: SqliteConnection): ReadonlyMap<string, string> {
  const found = rows(connection, OBJECTS)
  return new Map(found.filter(({ name }) => !name.startsWith('sqlite_')).map(({ name, sql }) => [name, sql ?? '']))
}

// An index that an operator has added does no harm; a table, index or trigger that is missing or different does.
function isAsMade(found: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): boolean {
  return [...expected].every(([name, sql]) => found.get(name) === sql)
}

let expected: Promise<ReadonlyMap<string, string>> | null = null

// What the migrations make, found out once a process by running them on a database in memory.
async function expectedObjects(library: SqliteLibrary): Promise<ReadonlyMap<string, string>> {
  expected ??= (async () => {
    const connection = new SqliteConnection(new library(':memory:'))
    await migrate(connection)
    const objects = schemaObjects(connection)
    connection.close()
    return objects
  })()
  return expected
}
